"""A header comes over the network as it comes from the disk, and nothing else travels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.file_server import Exchange, FileServer, Page
from support.gguf_files import (
    Array,
    GGUFBuilder,
    Value,
    gguf_builder,
    vocabulary_metadata,
    write_split_gguf,
)
from support.same_header import content
from tokenroof.clock import FakeClock
from tokenroof.errors import GGUFError, InputError, NotFound, TokenroofError, UsageError
from tokenroof.gguf import GGUFArray, Header, read_header
from tokenroof.library import http, locate, open_header, ranges
from tokenroof.library.remote import RemoteModel
from tokenroof.library.terms import Limits

TENSORS = [
    ("token_embd.weight", (64, 512), "Q8_0"),
    ("blk.0.attn_q.weight", (64, 64), "Q4_0"),
    ("output_norm.weight", (64,), "F32"),
]


def small() -> GGUFBuilder:
    metadata = {
        "general.architecture": "llama",
        "general.name": "Tiny",
        "llama.block_count": 1,
        **vocabulary_metadata(20),
    }
    return gguf_builder(metadata, TENSORS)


def large(tokens: int = 60_000) -> GGUFBuilder:
    return gguf_builder(
        {"general.architecture": "llama", **vocabulary_metadata(tokens), "llama.block_count": 1},
        TENSORS,
    )


def local(tmp_path: Path, data: bytes) -> Header:
    path = tmp_path / "local.gguf"
    path.write_bytes(data)
    return read_header(path)


def read(url: str, clock: FakeClock | None = None, **limits: float | int) -> Header:
    model = RemoteModel(name=url, source="web", url=url, limits=Limits(**limits))  # type: ignore[arg-type]
    return model.header(clock or FakeClock())


def message(read_it: Callable[[], object], kind: type[TokenroofError] = InputError) -> str:
    with pytest.raises(kind) as caught:
        read_it()
    return caught.value.message


# --- the same as from the disk -----------------------------------------------------------------


def test_a_header_over_ranges_equals_the_one_read_from_the_disk(
    server: FileServer, tmp_path: Path
) -> None:
    data = large().build()
    url = server.add("/m.gguf", data)
    assert content(open_header(url)) == content(local(tmp_path, data))
    assert all("range" in request.headers for request in server.requests)


def test_a_header_from_a_server_without_ranges_equals_the_one_read_from_the_disk(
    server: FileServer, tmp_path: Path
) -> None:
    data = large().build()
    url = server.add("/m.gguf", data, Exchange.whole)
    assert content(open_header(url)) == content(local(tmp_path, data))
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", [1, 2, 3, 4, 7, 8, 9, 12, 23, 24, 25, 31, 33, 64, 100, 511, 513])
def test_wherever_a_chunk_ends_the_header_is_the_same(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(ranges, "FIRST_BYTES", first)
    monkeypatch.setattr(ranges.RangeSource, "window_bytes", max(first, 40))
    data = small().build()
    url = server.add("/m.gguf", data)
    assert content(read(url)) == content(local(tmp_path, data))


def test_a_file_smaller_than_a_chunk_is_read_whole(server: FileServer, tmp_path: Path) -> None:
    # 4 magic + 4 version + 8 + 8 counts + one pair of 8 + 20 + 4 + 8 + 5 bytes, padded to 96
    data = gguf_builder({"general.architecture": "llama"}).build()
    assert len(data) == 96
    url = server.add("/m.gguf", data)
    assert content(read(url)) == content(local(tmp_path, data))


def test_what_was_read_needs_no_server_later(tmp_path: Path) -> None:
    data = large().build()
    with FileServer() as server:
        header = read(server.add("/m.gguf", data))
    here = local(tmp_path, data)
    for key in ("tokenizer.ggml.tokens", "tokenizer.ggml.merges"):
        array, expected = header.metadata[key], here.metadata[key]
        assert isinstance(array, GGUFArray)
        assert isinstance(expected, GGUFArray)
        assert array.values() == expected.values()


def test_an_array_that_was_passed_over_is_fetched_when_it_is_wanted(server: FileServer) -> None:
    # 60,000 numbers of 4 bytes: more than is kept, and nothing that a cost needs
    header = read(server.add("/m.gguf", large().build()))
    before = server.sent_bytes
    array = header.metadata["tokenizer.ggml.token_type"]
    assert isinstance(array, GGUFArray)
    assert array.values() == (1,) * 60_000
    assert server.sent_bytes - before <= 240_000


# --- only the header travels -------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [20_000, 60_000, 151_000])
def test_at_most_1_3_times_the_header_travels(server: FileServer, tokens: int) -> None:
    builder = large(tokens)
    header_bytes = len(builder.header())
    url = server.add("/m.gguf", builder.header() + bytes(20_000_000))
    read(url)
    assert server.sent_bytes <= 1.3 * header_bytes
    assert all(request.sent_bytes <= header_bytes / 3 for request in server.requests[1:])


# What was read after 0, 1, ... further ranges: a quarter more each time, from 256 KiB on.
BOUNDARIES = [262_144, 327_680, 409_600, 512_000, 640_000, 1_250_000]


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("beyond", [-8_192, -100, 20])
def test_the_worst_places_for_a_header_to_end_stay_within_1_3(
    server: FileServer, boundary: int, beyond: int
) -> None:
    def built(tokens: int) -> bytes:
        strings = Array("string", ["token."] * tokens)  # 8 + 6 bytes each, all of them walked
        return gguf_builder({"tokenizer.ggml.tokens": strings}).header()

    header = built((boundary + beyond - len(built(0))) // 14)
    read(server.add("/m.gguf", header + bytes(3_000_000)))
    assert len(header) <= server.sent_bytes <= 1.3 * len(header)


def test_a_connection_serves_many_ranges(server: FileServer) -> None:
    """A handshake for each range would double the time; the log names the client's port."""
    ports: set[int] = set()

    def note_port(exchange: Exchange) -> None:
        ports.add(exchange.handler.client_address[1])
        exchange.well()

    read(server.add("/m.gguf", large().build(), note_port))
    assert len(server.requests) > 3
    assert len(ports) == 1


def test_a_server_that_ignores_ranges_is_hung_up_on_after_the_header(server: FileServer) -> None:
    header = small().header()
    written = []

    def endless(exchange: Exchange) -> None:
        handler = exchange.handler
        handler.send_response(200)
        handler.send_header("Content-Length", str(2**36))
        handler.end_headers()
        piece, total = header, 0
        try:
            while total < 2**28:
                handler.wfile.write(piece)
                total += len(piece)
                piece = bytes(65536)
        except OSError:
            pass
        written.append(total)
        gone.set()

    gone = threading.Event()
    found = read(server.add("/m.gguf", b"", endless))
    assert found.file_bytes == 2**36
    assert gone.wait(120)
    assert written[0] < 2**26  # what fits into the buffers between the two, not 64 GiB


def test_memory_and_traffic_are_bounded_when_a_header_never_ends(server: FileServer) -> None:
    """A vocabulary that claims 2^40 bytes stops at the limit."""
    head = GGUFBuilder(kv_count=1, tensor_count=0).header()[:24]
    key = b"tokenizer.ggml.tokens"
    strings = (2**26).to_bytes(8, "little")
    pair = len(key).to_bytes(8, "little") + key + b"\x09\0\0\0" + b"\x08\0\0\0" + strings

    def any_range(exchange: Exchange) -> None:
        assert exchange.range is not None
        start, end = exchange.range
        data = (head + pair + bytes(end))[start:end]
        exchange.send(206, {"Content-Range": f"bytes {start}-{end - 1}/{2**40}"}, data)

    url = server.add("/m.gguf", b"", any_range)
    assert message(lambda: read(url, bytes=3_000_000)) == "library.remote_limit"
    assert server.sent_bytes < 5_000_000


# --- split sets --------------------------------------------------------------------------------


def split_set(server: FileServer, tmp_path: Path) -> list[Path]:
    metadata: dict[str, Value] = {"general.architecture": "llama", "llama.block_count": 1}
    shards = [[], TENSORS[:2], TENSORS[2:]]
    paths = write_split_gguf(tmp_path, "big model", metadata, shards)
    for path in paths:
        server.add(f"/dir/{path.name}", path.read_bytes())
    return paths


@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_part_of_a_remote_split_set_is_the_whole_model(
    server: FileServer, tmp_path: Path, number: int
) -> None:
    paths = split_set(server, tmp_path)
    url = f"{server.url}/dir/big%20model-{number:05d}-of-00003.gguf?download=true"
    header = read(url)
    assert content(header) == content(read_header(paths[0]))
    assert header.parts == 3
    assert all(request.path.endswith("?download=true") for request in server.requests)


def test_a_missing_part_of_a_remote_split_set_is_named(server: FileServer, tmp_path: Path) -> None:
    split_set(server, tmp_path)
    del server.pages["/dir/big model-00002-of-00003.gguf"]
    with pytest.raises(GGUFError) as caught:
        read(f"{server.url}/dir/big%20model-00001-of-00003.gguf")
    assert caught.value.message == "gguf.part_missing"
    assert caught.value.values["number"] == 2


# --- what passes and what does not -------------------------------------------------------------


def failing(status: int, **headers: str) -> Callable[[Exchange], None]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.send(status, named, b"busy")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again_after_a_pause(
    server: FileServer, status: int
) -> None:
    clock = FakeClock()
    url = server.add("/m.gguf", small().build(), failing(status), failing(status), Exchange.well)
    assert read(url, clock).text("general.name") == "Tiny"
    assert clock.seconds == 0.5 + 1.0  # the pauses double


def test_a_server_that_names_a_pause_is_given_it(server: FileServer) -> None:
    clock = FakeClock()
    url = server.add("/m.gguf", small().build(), failing(429, Retry_After="7"), Exchange.well)
    read(url, clock)
    assert clock.seconds == 7


def test_a_server_that_stays_busy_is_given_up(server: FileServer) -> None:
    clock = FakeClock()
    url = server.add("/m.gguf", b"", failing(503))
    assert message(lambda: read(url, clock)) == "library.remote_failed"
    assert len(server.requests) == Limits().attempts
    assert clock.seconds == 0.5 + 1.0 + 2.0


def test_a_pause_beyond_the_deadline_is_not_waited_for(server: FileServer) -> None:
    clock = FakeClock()
    url = server.add("/m.gguf", b"", failing(503, Retry_After="3600"))
    assert message(lambda: read(url, clock)) == "library.remote_failed"
    assert clock.seconds == 0


def test_an_answer_that_is_cut_off_goes_on_where_it_broke(
    server: FileServer, tmp_path: Path
) -> None:
    data = large().build()

    def cut(exchange: Exchange) -> None:
        assert exchange.range is not None
        start, end = exchange.range
        exchange.part(start, min(end, len(data)), cut=1000)

    url = server.add("/m.gguf", data, Exchange.well, cut, cut, Exchange.well)
    assert content(read(url)) == content(local(tmp_path, data))
    second, third = (request.headers["range"] for request in server.requests[1:3])
    start = int(second.removeprefix("bytes=").partition("-")[0])
    assert third.startswith(f"bytes={start + 1000}-")


def test_a_whole_file_that_is_cut_off_is_asked_for_again(
    server: FileServer, tmp_path: Path
) -> None:
    data = large().build()
    cut = [lambda exchange: exchange.whole(cut=100_000)]
    url = server.add("/m.gguf", data, *cut, Exchange.whole)
    assert content(read(url)) == content(local(tmp_path, data))
    assert len(server.requests) == 2


def test_a_connection_that_always_breaks_is_given_up(server: FileServer) -> None:
    url = server.add("/m.gguf", b"", Exchange.hang_up)
    assert message(lambda: read(url)) == "library.remote_failed"


def test_nobody_listening_is_said_plainly() -> None:
    with FileServer() as server:
        url = server.url + "/m.gguf"
    with pytest.raises(InputError) as caught:
        read(url)
    assert caught.value.message == "library.remote_failed"
    assert caught.value.exit_code == 3


def test_a_server_that_stalls_is_not_waited_for(server: FileServer) -> None:
    over = threading.Event()

    def stall(exchange: Exchange) -> None:
        over.wait(120)

    url = server.add("/m.gguf", b"", stall)
    try:
        text = message(lambda: read(url, idle_seconds=0.3, attempts=2))
        assert server.came(2)
    finally:
        over.set()
    assert text == "library.remote_failed"
    assert len(server.requests) == 2


def test_a_server_that_drips_meets_the_deadline(server: FileServer) -> None:
    clock = FakeClock()

    def slow(exchange: Exchange) -> None:
        clock.sleep(25)
        exchange.well()

    url = server.add("/m.gguf", large().build(), slow)
    found = message(lambda: read(url, clock, seconds=60), TokenroofError)
    assert found in ("library.remote_deadline", "gguf.deadline")
    assert len(server.requests) == 3  # at 25, 50 and 75 s


def test_a_first_answer_that_takes_too_long_is_not_read(server: FileServer) -> None:
    clock = FakeClock()

    def late(exchange: Exchange) -> None:
        clock.sleep(61)
        exchange.well()

    url = server.add("/m.gguf", small().build(), late)
    assert message(lambda: read(url, clock, seconds=60)) == "library.remote_deadline"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, "library.remote_forbidden"),
        (403, "library.remote_forbidden"),
        (404, "library.remote_not_found"),
        (410, "library.remote_not_found"),
        (400, "library.remote_status"),
        (204, "library.remote_no_size"),
        (304, "library.remote_status"),
    ],
)
def test_an_answer_that_will_not_change_is_an_error_at_once(
    server: FileServer, status: int, expected: str
) -> None:
    url = server.add("/m.gguf", b"", failing(status))
    assert message(lambda: read(url)) == expected
    assert len(server.requests) == 1


def test_a_missing_file_is_not_found(server: FileServer) -> None:
    with pytest.raises(NotFound):
        read(server.url + "/none.gguf")


def test_a_page_instead_of_a_file_is_called_one(server: FileServer) -> None:
    url = server.add("/m.gguf", b"<!DOCTYPE html><html>Sign in</html>", Exchange.whole)
    assert message(lambda: read(url)) == "gguf.is_web_page"


def test_an_empty_file_is_called_empty(server: FileServer) -> None:
    assert message(lambda: read(server.add("/m.gguf", b""))) == "gguf.empty"
    assert message(lambda: read(server.add("/w.gguf", b"", Exchange.whole))) == "gguf.empty"


@pytest.mark.parametrize("whole", [True, False])
def test_a_compressed_answer_is_refused(server: FileServer, whole: bool) -> None:
    answer = Exchange.whole if whole else Exchange.well
    url = server.add("/m.gguf", small().build(), answer, Content_Encoding="gzip")
    assert message(lambda: read(url)) == "library.remote_encoded"
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_a_file_of_unknown_length_is_refused(server: FileServer) -> None:
    data = small().build()
    chunked = {"Content-Length": "", "Transfer-Encoding": "chunked"}
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    url = server.add("/m.gguf", data, lambda exchange: exchange.send(200, chunked, body))
    assert message(lambda: read(url)) == "library.remote_no_size"


@pytest.mark.parametrize(
    "content_range",
    ["bytes 1-100/1000", "bytes 0-999999/1000", "bytes 5-4/1000", "bytes 0-9/20"],
)
def test_another_range_than_the_one_asked_for_is_refused(
    server: FileServer, content_range: str
) -> None:
    headers = {"Content-Range": content_range}
    url = server.add("/m.gguf", b"", lambda exchange: exchange.send(206, headers, bytes(100)))
    assert message(lambda: read(url)) == "library.remote_range"


@pytest.mark.parametrize("content_range", ["", "bytes 0-9/*", "bytes */1000", "items 0-9/1000"])
def test_a_range_that_does_not_say_of_how_much_is_refused(
    server: FileServer, content_range: str
) -> None:
    headers = {"Content-Range": content_range}
    url = server.add("/m.gguf", b"", lambda exchange: exchange.send(206, headers, bytes(10)))
    assert message(lambda: read(url)) == "library.remote_no_size"


def test_less_than_asked_for_is_taken_and_the_rest_asked_for(
    server: FileServer, tmp_path: Path
) -> None:
    data = small().build()

    def stingy(exchange: Exchange) -> None:
        assert exchange.range is not None
        start, end = exchange.range
        exchange.part(start, min(start + 5000, end))

    clock = FakeClock()
    url = server.add("/m.gguf", data, stingy)
    assert content(read(url, clock)) == content(local(tmp_path, data))
    assert clock.seconds == 0  # nothing failed


# --- replaced while it is read -----------------------------------------------------------------


def replaced(server: FileServer, **second: str) -> str:
    """A file whose second answer has other headers than its first."""
    data = large().build()

    def another(exchange: Exchange) -> None:
        other = Page(data, headers={k.replace("_", "-"): v for k, v in second.items()})
        Exchange(exchange.request, other, exchange.handler).well()

    first = {"ETag": '"one"', "Last_Modified": "Mon, 02 Nov 2026 00:00:00 GMT"}
    return server.add("/m.gguf", data, Exchange.well, another, **first)


def test_another_etag_in_the_middle_is_noticed(server: FileServer) -> None:
    assert message(lambda: read(replaced(server, ETag='"two"'))) == "gguf.changed"


def test_another_date_in_the_middle_is_noticed(server: FileServer) -> None:
    url = replaced(server, Last_Modified="Tue, 03 Nov 2026 00:00:00 GMT")
    assert message(lambda: read(url)) == "gguf.changed"


def test_another_length_in_the_middle_is_noticed(server: FileServer) -> None:
    data = large().build()

    def longer(exchange: Exchange) -> None:
        assert exchange.range is not None
        exchange.part(*exchange.range, total=len(data) + 1)

    url = server.add("/m.gguf", data, Exchange.well, longer)
    assert message(lambda: read(url)) == "gguf.changed"


def test_a_weak_etag_is_the_same_as_a_strong_one(server: FileServer) -> None:
    assert read(replaced(server, ETag='W/"one"')).text("general.architecture") == "llama"


def test_a_whole_file_that_changed_before_it_was_asked_for_again_is_noticed(
    server: FileServer,
) -> None:
    data = large().build()

    def cut(exchange: Exchange) -> None:
        exchange.whole(cut=100_000)

    def another(exchange: Exchange) -> None:
        page = Page(data, headers={"ETag": '"two"'})
        Exchange(exchange.request, page, exchange.handler).whole()

    url = server.add("/m.gguf", data, cut, another, ETag='"one"')
    assert message(lambda: read(url)) == "gguf.changed"


def test_a_server_that_forgets_about_ranges_is_refused(server: FileServer) -> None:
    url = server.add("/m.gguf", large().build(), Exchange.well, Exchange.whole)
    assert message(lambda: read(url)) == "library.remote_range"


# --- redirects ---------------------------------------------------------------------------------


def test_a_redirect_is_followed_once_for_all_ranges(server: FileServer, tmp_path: Path) -> None:
    data = large().build()
    target = server.add("/cdn/m.gguf", data)
    url = server.add("/m.gguf", b"", lambda e: e.redirect(target + "?signature=secret"))
    assert content(read(url)) == content(local(tmp_path, data))
    assert [r.path for r in server.requests].count("/m.gguf") == 1


def test_a_relative_redirect_is_followed(server: FileServer) -> None:
    server.add("/dir/real.gguf", small().build())
    url = server.add("/dir/m.gguf", b"", lambda e: e.redirect("real.gguf", 307))
    assert read(url).text("general.name") == "Tiny"


def test_a_redirect_that_leads_nowhere_is_not_followed_at_all(server: FileServer) -> None:
    url = server.add("/m.gguf", b"", lambda e: e.send(302, {}))
    with pytest.raises(InputError) as caught:
        locate(url).header()
    assert caught.value.message == "library.remote_status"
    assert len(server.requests) == 1


def test_a_circle_of_redirects_ends(server: FileServer) -> None:
    url = server.add("/m.gguf", b"", lambda e: e.redirect("/m.gguf"))
    assert message(lambda: read(url)) == "library.remote_redirects"
    assert len(server.requests) == 1 + Limits().redirects


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "ftp://example.org/m.gguf", "gopher://x/", "http://[", "http://x:0x"],
)
def test_a_redirect_to_another_scheme_is_not_followed(server: FileServer, target: str) -> None:
    url = server.add("/m.gguf", b"", lambda e: e.redirect(target))
    assert message(lambda: read(url)) == "library.remote_scheme"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.2",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",  # 127.0.0.1 as one number
        "0x7f.1",
        "0.0.0.0",
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[fd00::1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ],
)
def test_a_redirect_that_turns_inward_is_not_followed(server: FileServer, host: str) -> None:
    url = server.add("/m.gguf", b"", lambda e: e.redirect(f"http://{host}:{server.port}/secret"))
    server.add("/secret", small().build())
    assert message(lambda: read(url)) == "library.remote_inward"
    assert len(server.requests) == 1


def test_a_name_that_turns_inward_after_it_was_looked_up_is_noticed(
    server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "addresses", lambda host, port: ["93.184.216.34"])
    server.add("/secret", small().build())
    target = f"http://localhost:{server.port}/secret"
    url = server.add("/m.gguf", b"", lambda e: e.redirect(target))
    assert message(lambda: read(url)) == "library.remote_inward"


def test_a_host_that_the_person_named_may_be_inside(server: FileServer) -> None:
    with FileServer() as other:
        target = other.add("/m.gguf", small().build())
        url = server.add("/m.gguf", b"", lambda e: e.redirect(target))
        assert read(url).text("general.name") == "Tiny"


def test_a_user_in_a_redirect_is_not_believed(server: FileServer) -> None:
    server.add("/real.gguf", small().build())
    target = f"http://eve:pass@127.0.0.1:{server.port}/real.gguf"
    read(server.add("/m.gguf", b"", lambda e: e.redirect(target)))
    assert all("authorization" not in request.headers for request in server.requests)


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "ftp://example.org/m.gguf",
        "file:///m.gguf",
        "s3://bucket/m.gguf",
        "https://",
        "https:///m.gguf",
        "http://[::1/m.gguf",
        "https://example.org:0/m.gguf",
        "https://example.org:99999/m.gguf",
        "https://example.org/m .gguf",
        "https://example.org/m\r\nHost: evil",
        "https://example.org/\x1b[31m",
    ],
)
def test_what_is_no_url_of_a_file_is_refused_before_any_request(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        locate(name)
    assert caught.value.message == "library.bad_url"
    assert not {"\x1b", "\r", "\n"} & set(str(caught.value))


def test_no_message_shows_a_password_or_a_signature() -> None:
    with FileServer() as server:
        port = server.port
    url = f"http://me:hunter2@127.0.0.1:{port}/m.gguf?X-Signature=abc123#frag"
    with pytest.raises(InputError) as caught:
        read(url)
    sentence = str(caught.value)
    assert f"http://127.0.0.1:{port}/m.gguf" in sentence
    assert not any(secret in sentence for secret in ("hunter2", "abc123", "me:"))
    assert "hunter2" not in locate(url).name


def test_a_password_in_the_url_that_was_typed_is_used(server: FileServer) -> None:
    server.add("/m.gguf", small().build())
    read(f"http://me:hunter2@127.0.0.1:{server.port}/m.gguf")
    # base64 of "me:hunter2"
    assert server.requests[0].headers["authorization"] == "Basic bWU6aHVudGVyMg=="


def test_a_remote_model_is_not_on_this_machine(server: FileServer) -> None:
    from tokenroof.library import resolve

    with pytest.raises(InputError) as caught:
        resolve(server.url + "/m.gguf")
    assert caught.value.message == "library.not_local"
    assert server.requests == []
