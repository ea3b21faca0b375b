"""Speaking to servers: nobody waits forever, nothing is cut in two, every failure has its kind."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from simulator.script import Script
from simulator.server import Simulator
from support.ports import nobody_listens
from tokenroof.engines.framing import Events, Lines
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import LARGEST_FRAME_BYTES, Client, Frame, parse
from tokenroof.errors import EngineDied, EngineError, EngineMissing, EngineRefused, UsageError

CHAT = {"model": "sim", "messages": [{"role": "user", "content": "x" * 100}]}
ASKED = CHAT | {"options": {"num_predict": 8}}


def client(url: str, limits: Limits | None = None, key: str | None = None) -> Client:
    return Client(Endpoint("ollama", url, "a test", "ollama serve"), limits, key)


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as running:
        yield running


def frames(simulator: Simulator, script: Script, **limits: float) -> list[Frame]:
    """All frames of an answer, each taken for a token."""
    simulator.world.scripts.append(script)
    found = []
    with client(simulator.url, Limits(**limits)).stream("/api/chat", ASKED, "lines") as stream:
        for frame in stream:
            stream.token(frame.at)
            found.append(frame)
    return found


def failure(simulator: Simulator, script: Script, **limits: float) -> EngineError:
    with pytest.raises(EngineError) as caught:
        frames(simulator, script, **limits)
    return caught.value


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_characters_that_are_cut_in_two_on_the_way_arrive_whole(
    simulator: Simulator, size: int
) -> None:
    # Four bytes each; pieces of 1, 2, 3 and 7 bytes cut them everywhere.
    got = frames(simulator, Script(output_tokens=5, text="灯🗼", piece_bytes=size))
    texts = [frame.document()["message"]["content"] for frame in got]
    assert texts == ["灯🗼"] * 5 + [""]


def test_a_frame_is_stamped_when_it_is_there_and_not_before_it_was_sent(
    simulator: Simulator,
) -> None:
    got = frames(simulator, Script(output_tokens=6, gap_seconds=0.02))
    sent = simulator.exchanges[-1].sent
    assert [each.data.strip() for each in sent] == [frame.data for frame in got]
    assert all(frame.at >= each.at for frame, each in zip(got, sent, strict=True))


def test_a_frame_is_handed_on_before_the_next_one_is_there(simulator: Simulator) -> None:
    # The server sends the third token only once we had the second.
    script = Script(output_tokens=4, hold_after=2, gap_seconds=0.02)
    simulator.world.scripts.append(script)
    had: list[Frame] = []
    with client(simulator.url).stream("/api/chat", ASKED, "lines") as stream:
        for frame in stream:
            had.append(frame)
            if len(had) == 2:
                script.released.set()
    sent = simulator.over("/api/chat").sent
    assert had[1].at <= sent[2].at
    assert had[2].at - had[1].at >= 0.02


@pytest.mark.parametrize(
    ("script", "limits", "message"),
    [
        (Script(stall_after=0), {"first_token_seconds": 0.3}, "http.no_first_token"),
        (Script(stall_after=2), {"between_tokens_seconds": 0.3}, "http.no_next_token"),
        (Script(gap_seconds=0.1), {"total_seconds": 0.3}, "http.too_long"),
        (Script(stall_after=2), {"total_seconds": 0.3}, "http.too_long"),
    ],
)
def test_each_limit_ends_the_wait_names_itself_and_hangs_up(
    simulator: Simulator, script: Script, limits: dict[str, float], message: str
) -> None:
    error = failure(simulator, script, **limits)
    assert isinstance(error, EngineDied)
    assert error.message == message
    assert simulator.over("/api/chat").hung_up_at is not None


def listening(answer: Callable[[socket.socket], None]) -> str:
    """A server for one connection, by hand; its URL."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        with server, connection:
            connection.recv(65536)
            with contextlib.suppress(OSError):
                answer(connection)
                # Closing with something unread would take back what was sent.
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}"


def trickle(data: bytes) -> Callable[[socket.socket], None]:
    """A byte every 20 ms: less than any limit for one read."""

    def answer(connection: socket.socket) -> None:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    return answer


HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 90, HEAD + b"ffff\r\n" + b"x" * 500],
    ids=["headers", "body"],
)
def test_a_server_that_trickles_is_no_way_around_a_limit(data: bytes) -> None:
    asked = client(listening(trickle(data)), Limits(first_token_seconds=0.3))
    with pytest.raises(EngineDied) as caught, asked.stream("/", {}, "lines") as stream:
        list(stream)
    assert caught.value.message == "http.no_first_token"


def test_a_whole_answer_has_a_limit_too() -> None:
    asked = client(listening(trickle(b"HTTP/1.1 200 OK\r\n" * 90)))
    with pytest.raises(EngineDied) as caught:
        asked.get("/api/version", seconds=0.2)
    assert caught.value.message == "http.no_answer_in_time"


@pytest.mark.parametrize("size", [0, 1, 200, 500, 900])
def test_death_amid_an_answer_is_death(simulator: Simulator, size: int) -> None:
    error = failure(simulator, Script(output_tokens=8, die_after_bytes=size))
    assert isinstance(error, EngineDied | EngineMissing)
    if size >= 200:
        assert error.message == "http.cut"
        # What a person is told is what came.
        assert error.values["received"] == str(size)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, EngineRefused),
        (400, EngineRefused),
        (401, EngineRefused),
        (404, EngineRefused),
        (429, EngineRefused),
        (500, EngineDied),
        (501, EngineRefused),
        (502, EngineDied),
        (503, EngineRefused),
        (599, EngineDied),
    ],
)
def test_a_status_is_an_error_of_one_kind_with_the_servers_own_words(
    simulator: Simulator, status: int, kind: type[EngineError]
) -> None:
    body = b'{"error": {"message": "no \\u001b[2J luck", "type": "t"}}'
    error = failure(simulator, Script(status=status, body=body))
    assert type(error) is kind
    assert error.values["status"] == status
    assert status == 301 or r"no \x1b[2J luck" in str(error)


def test_a_redirect_is_never_followed_so_a_key_goes_nowhere_else(simulator: Simulator) -> None:
    with Simulator() as elsewhere:
        target = elsewhere.url + "/api/chat?token=secret"
        simulator.world.scripts.append(Script(status=307, headers={"Location": target}))
        with pytest.raises(EngineRefused) as caught:
            client(simulator.url, key="the-key").stream("/api/chat", ASKED, "lines")
        assert elsewhere.exchanges == []
    assert simulator.exchanges[-1].headers["authorization"] == "Bearer the-key"
    assert elsewhere.url in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "the-key" not in str(caught.value)


def test_a_wrong_key_is_told_with_the_variable_that_holds_it(simulator: Simulator) -> None:
    simulator.world.api_key = "right"
    with pytest.raises(EngineRefused, match="TOKENROOF_OLLAMA_API_KEY") as caught:
        client(simulator.url, key="wrong").get("/api/version")
    assert "wrong" not in str(caught.value)


def test_a_key_that_would_forge_a_header_is_not_sent(simulator: Simulator) -> None:
    with pytest.raises(UsageError) as caught:
        client(simulator.url, key="a\r\nX-Forged: 1").get("/api/version")
    assert simulator.exchanges == []
    assert "X-Forged" not in str(caught.value)


def test_nobody_there_is_told_with_address_source_and_the_command_that_starts_it() -> None:
    with nobody_listens() as port, pytest.raises(EngineMissing) as caught:
        client(f"http://127.0.0.1:{port}").get("/")
    said = str(caught.value)
    assert all(part in said for part in (str(port), "a test", "ollama serve"))
    assert caught.value.exit_code == 4


def test_a_server_that_speaks_something_else_is_not_the_engine() -> None:
    with pytest.raises(EngineMissing) as caught:
        client(listening(lambda to: to.sendall(b"SSH-2.0-OpenSSH_9.7\r\n"))).get("/")
    assert caught.value.message == "http.not_http"


def test_no_secure_connection_is_told_as_such(simulator: Simulator) -> None:
    with pytest.raises(EngineMissing) as caught:
        client(simulator.url.replace("http:", "https:")).get("/api/version")
    assert caught.value.message == "http.tls"


@pytest.mark.parametrize(
    ("body", "message", "kept"),
    [
        (b"<!DOCTYPE html><title>Sign in</title>", "http.web_page", "Sign in"),
        (b"", "http.nonsense", "-"),
        (b"{half", "http.nonsense", "{half"),
        (b'{"error": "out of memory"}', "http.error_frame", "out of memory"),
    ],
)
def test_200_with_what_is_no_answer_is_an_error_that_keeps_it(
    body: bytes, message: str, kept: str
) -> None:
    def answer(to: socket.socket) -> None:
        to.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    with pytest.raises(EngineError) as caught:
        client(listening(answer)).get("/")
    assert caught.value.message == message
    assert kept in str(caught.value)


def test_a_frame_without_end_is_refused_before_it_fills_the_memory() -> None:
    megabyte = b"%x\r\n%s\r\n" % (2**20, b"x" * 2**20)

    def answer(to: socket.socket) -> None:
        to.sendall(HEAD)
        for _ in range(LARGEST_FRAME_BYTES // 2**20 + 2):
            to.sendall(megabyte)

    asked = client(listening(answer))
    with pytest.raises(EngineError) as caught, asked.stream("/", {}, "lines") as stream:
        list(stream)
    assert caught.value.message == "http.too_large"


def fed(framing: Lines | Events, data: bytes, size: int) -> list[bytes]:
    found: list[bytes] = []
    for start in range(0, len(data), size):
        found += framing.feed(data[start : start + size])
    return found + list(framing.end())


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_lines_end_at_line_ends_and_the_last_one_needs_none(size: int) -> None:
    assert fed(Lines(), b'{"a":1}\r\n\n{"b":2}\n{"c":3}', size) == [
        b'{"a":1}',
        b'{"b":2}',
        b'{"c":3}',
    ]


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_events_are_their_data_and_an_error_is_never_dropped(size: int) -> None:
    stream = (
        b": ping\n\nevent: message\nid: 7\ndata: {\ndata: }\r\n\r\ndata:tight\n\n"
        b'error: {"code":500}\n\n{"error":"bare"}\n\nretry: 3\n\ndata: [DONE]'
    )
    assert fed(Events(), stream, size) == [
        b"{\n}",
        b"tight",
        b'{"code":500}',
        b'{"error":"bare"}',
        b"[DONE]",
    ]


def test_odd_characters_and_numbers_are_no_reason_to_lose_a_document() -> None:
    assert parse(b'{"a": "\xff", "b": NaN}')["a"] == "\ufffd"
    assert parse(b'{"a": 1e999}') == {"a": float("inf")}
    assert parse(b"{") is None
    assert parse(b"[" * 100_000) is None


def test_our_own_processor_time_is_known_and_less_than_what_passed(simulator: Simulator) -> None:
    began = time.perf_counter()
    with client(simulator.url).stream("/api/chat", ASKED, "lines") as stream:
        list(stream)
        assert 0 < stream.cpu_seconds < time.perf_counter() - began
