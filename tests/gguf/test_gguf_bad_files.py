"""Files that cannot be read: each is refused by one sentence of ours that says why."""

from __future__ import annotations

import os
import struct
from io import FileIO
from pathlib import Path

import pytest

from support.clocks import MeddlingClock, TickingClock
from support.gguf_files import Array, GGUFBuilder, Raw, Typed, write_gguf
from support.text import is_safe
from tokenroof.clock import Clock
from tokenroof.errors import GGUFError, NotFound
from tokenroof.gguf import GGUFArray, read_header


def refused(path: Path, clock: Clock | None = None) -> GGUFError:
    """The error that reading a file ends with, in both modes, fit to be shown."""
    for strict in (True, False):
        with pytest.raises(GGUFError) as caught:
            read_header(path, strict=strict, clock=clock)
    error = caught.value
    assert error.exit_code == 3
    for language in ("en", "ja"):
        assert is_safe(error.text(language))
    return error


def refused_bytes(tmp_path: Path, data: bytes) -> GGUFError:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    return refused(path)


def refused_build(tmp_path: Path, builder: GGUFBuilder) -> GGUFError:
    return refused(builder.write(tmp_path / "bad.gguf"))


# Fault 1: nothing, or next to nothing


def test_an_empty_file_is_refused(tmp_path: Path) -> None:  # B057
    error = refused_bytes(tmp_path, b"")
    assert error.message == "gguf.empty"
    assert "0 bytes" in str(error)


@pytest.mark.parametrize("size", [1, 3, 4, 7, 8, 23])
def test_a_file_shorter_than_a_header_is_refused_with_its_size(tmp_path: Path, size: int) -> None:
    error = refused_bytes(tmp_path, GGUFBuilder().header()[:size])
    assert error.message == "gguf.too_short"
    assert f"has {size} {'byte' if size == 1 else 'bytes'}" in str(error)
    assert "at least 24" in str(error)


# Fault 2: something else


@pytest.mark.parametrize(
    ("head", "message", "words"),
    [
        (b"<!DOCTYPE html><html>", "gguf.is_web_page", "web page"),
        (b"\n\n  <HTML lang=en>", "gguf.is_web_page", "web page"),
        (b"\xef\xbb\xbf<html>", "gguf.is_web_page", "web page"),
        (b"<?xml version='1.0'?><Error>", "gguf.is_xml", "XML"),
        (b'{"error":"Repository not found"}', "gguf.is_json", "JSON"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "gguf.is_git_lfs", "git lfs pull"),
        (b"PK\x03\x04archive/data.pkl", "gguf.is_zip", "ZIP"),
        (b"\x80\x02\x8a\nl\xfc\x9cF", "gguf.is_pickle", "pickle"),
        (struct.pack("<Q", 2000) + b'{"__metadata__":{', "gguf.is_safetensors", "safetensors"),
        (b"tjgg\x03\0\0\0", "gguf.is_old_ggml", "GGJT"),
        (b"lmgg\x03\0\0\0", "gguf.is_old_ggml", "GGML"),
        (b"fmgg\x01\0\0\0", "gguf.is_old_ggml", "GGMF"),
        (b"FUGG\x03\0\0\0", "gguf.is_reversed", "reversed"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gguf.is_compressed", "compressed"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "gguf.is_compressed", "compressed"),
        (b"\x89HDF\r\n\x1a\n", "gguf.is_hdf5", "HDF5"),
        (bytes(512), "gguf.is_zeros", "zeros"),
        (b"\x1b[31mred", "gguf.is_unknown", "\\x1b[31mre"),
    ],
)
@pytest.mark.parametrize("padding", [0, 1000])
def test_a_file_of_another_kind_is_named(
    tmp_path: Path, head: bytes, message: str, words: str, padding: int
) -> None:  # B057
    error = refused_bytes(tmp_path, head + bytes(padding))
    assert error.message == message
    assert words in str(error)


def test_a_web_page_shorter_than_a_header_is_still_a_web_page(tmp_path: Path) -> None:
    assert refused_bytes(tmp_path, b"<html></html>").message == "gguf.is_web_page"


# Fault 3: versions


def test_version_1_is_refused_with_the_reason(tmp_path: Path) -> None:  # B051
    error = refused_build(tmp_path, GGUFBuilder(version=1).add("a", "b"))
    assert error.message == "gguf.version_1"
    assert "32 bits" in str(error)


def test_version_1_is_told_even_from_its_shortest_file(tmp_path: Path) -> None:
    data = GGUFBuilder(version=1, alignment=1).build()
    assert len(data) == 16
    assert refused_bytes(tmp_path, data).message == "gguf.version_1"


@pytest.mark.parametrize(
    ("version", "message"),
    [(0, "gguf.version_0"), (4, "gguf.version_future"), (7, "gguf.version_future")],
)
@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_a_version_that_is_not_known_is_refused(
    tmp_path: Path, version: int, message: str, byte_order: str
) -> None:  # B051
    builder = GGUFBuilder(version=version, byte_order="big" if byte_order == "big" else "little")
    error = refused_build(tmp_path, builder)
    assert error.message == message
    assert f"version {version}" in str(error)


# Fault 4: counts


@pytest.mark.parametrize("count", [2**16 + 1, 2**31, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize(("field", "offset"), [("tensor_count", 8), ("kv_count", 16)])
def test_a_count_that_the_file_cannot_hold_is_refused_before_any_loop(
    tmp_path: Path, field: str, offset: int, count: int
) -> None:  # B047
    builder = GGUFBuilder().add("a", 1)
    setattr(builder, field, count)
    error = refused_build(tmp_path, builder)
    assert error.message == "gguf.count_too_large"
    assert error.values["field"] == field
    assert error.values["offset"] == offset
    assert error.values["found"] == count


def test_counts_are_compared_with_the_smallest_entries_there_can_be(tmp_path: Path) -> None:
    # 24 bytes of header and 40 of content: room for 3 pairs of 13 bytes, or 1 tensor of 24.
    builder = GGUFBuilder(alignment=64, kv_count=4)
    builder.add("a", 1)
    assert refused_build(tmp_path, builder).values["allowed"] == 3
    builder.kv_count, builder.tensor_count = None, 2
    assert refused_build(tmp_path, builder).values["allowed"] == 1


def test_a_header_that_ends_between_entries_is_refused(tmp_path: Path) -> None:
    builder = GGUFBuilder(tensor_count=3).tensor("abcdefgh" * 8, (1,))
    error = refused_build(tmp_path, builder)
    assert error.message == "gguf.past_end"
    # 24 bytes, an entry of 96, then 40 zeros: they pass as a second entry of 24 bytes, and leave
    # 16 for the third, whose name and dimensions take 12.
    assert error.values["field"] == "tensor 3"
    assert error.values["offset"] == 24 + 96 + 24 + 12
    assert error.values["found"] == 12
    assert error.values["allowed"] == 4


# Faults 5 and 6: strings and arrays longer than the file


@pytest.mark.parametrize("length", [100, 10**12, 2**31, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_string_beyond_the_end_is_refused_with_its_offset(tmp_path: Path, length: int) -> None:
    # The value's length lies at 24 + 8 + 12 + 4 = 48; "abc" and padding up to 64 follow. B047.
    value = Raw(8, struct.pack("<Q", length) + b"abc")
    error = refused_build(tmp_path, GGUFBuilder().add("general.name", value))
    assert error.message == "gguf.string_past_end"
    assert error.values["offset"] == 48
    assert error.values["field"] == "general.name"
    assert error.values["found"] == length
    assert error.values["allowed"] == 64 - 56


@pytest.mark.parametrize("length", [2**20, 2**63, 2**64 - 1])
def test_a_key_beyond_the_end_is_refused(tmp_path: Path, length: int) -> None:
    data = GGUFBuilder(kv_count=1).header()[:24] + struct.pack("<Q", length) + bytes(64)
    error = refused_bytes(tmp_path, data)
    assert error.message == "gguf.string_past_end"
    assert error.values["field"] == "key 1"


@pytest.mark.parametrize("element", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
@pytest.mark.parametrize("length", [10**6, 2**30, 2**60, 2**63, 2**64 - 1])
def test_an_array_beyond_the_end_is_refused_at_once(
    tmp_path: Path, element: int, length: int
) -> None:  # B047; 2^30 in 49 bytes makes the reference reader hang
    value = Raw(9, struct.pack("<IQ", element, length))
    error = refused_build(tmp_path, GGUFBuilder().add("a", value))
    assert error.message == "gguf.array_past_end"
    assert error.values["found"] == length
    assert error.values["offset"] == 24 + 9 + 4 + 4


@pytest.mark.parametrize("length", [60, 2**31, 2**62, 2**63, 2**64 - 1])
def test_the_string_of_an_array_that_leaves_the_file_is_found(tmp_path: Path, length: int) -> None:
    # Two good strings of 8 + 1 bytes after 24 + 9 + 4 + 12 = 49, then the bad one at 67.
    good = struct.pack("<Q", 1) + b"x"
    value = Raw(9, struct.pack("<IQ", 8, 3) + good + good + struct.pack("<Q", length))
    error = refused_build(tmp_path, GGUFBuilder().add("a", value))
    assert error.message == "gguf.string_past_end"
    assert error.values["offset"] == 67
    assert error.values["found"] == length


def test_strings_that_fill_the_file_and_more_to_come_are_refused(tmp_path: Path) -> None:
    good = struct.pack("<Q", 8) + bytes(8)
    data = GGUFBuilder(kv_count=1).header()[:24] + struct.pack("<Q", 1) + b"a"
    error = refused_bytes(tmp_path, data + struct.pack("<IIQ", 9, 8, 3) + good + good)
    assert error.message == "gguf.past_end"
    assert error.values["allowed"] == 0


# Fault 7: nesting


@pytest.mark.parametrize("depth", [9, 3000, 100_000])
def test_arrays_nested_too_deep_are_refused_without_recursion(tmp_path: Path, depth: int) -> None:
    value = Raw(9, struct.pack("<IQ", 9, 1) * depth + struct.pack("<IQ", 0, 0))  # B048
    error = refused_build(tmp_path, GGUFBuilder().add("a", value))
    assert error.message == "gguf.nested_too_deep"


def test_arrays_nested_eight_deep_are_read(tmp_path: Path) -> None:
    value = Raw(9, struct.pack("<IQ", 9, 1) * 8 + struct.pack("<IQB", 0, 1, 42))
    array = read_header(GGUFBuilder().add("a", value).write(tmp_path / "m.gguf")).metadata["a"]
    assert isinstance(array, GGUFArray)
    found: object = array.values()
    for _ in range(9):
        assert isinstance(found, tuple)
        (found,) = found
    assert found == 42


@pytest.mark.parametrize("kind", [13, 255, 2**31, 2**32 - 1])
def test_an_unknown_value_type_stops_with_the_key_and_the_offset(tmp_path: Path, kind: int) -> None:
    error = refused_build(tmp_path, GGUFBuilder().add("good", 1).add("odd.key", Raw(kind, b"1234")))
    assert error.message == "gguf.unknown_value_type"
    assert error.values["field"] == "odd.key"
    assert error.values["offset"] == 24 + 20 + 15


@pytest.mark.parametrize("inside", [b"", struct.pack("<IQ", 9, 1)])
def test_an_unknown_element_type_stops_with_the_key_and_the_offset(
    tmp_path: Path, inside: bytes
) -> None:  # B049
    value = Raw(9, inside + struct.pack("<IQ", 13, 2) + bytes(8))
    path = GGUFBuilder().add("odd.key", value).write(tmp_path / "bad.gguf")
    with pytest.raises(GGUFError) as caught:
        read_header(path)
    assert caught.value.message == "gguf.unknown_element_type"
    assert caught.value.values["field"] == "odd.key"
    assert caught.value.values["offset"] == 24 + 15 + 4 + len(inside)


# Fault 9: names


def test_a_key_longer_than_the_format_allows_is_refused(tmp_path: Path) -> None:
    error = refused_build(tmp_path, GGUFBuilder().add("k" * 65_536, 1))
    assert error.message == "gguf.name_too_long"
    assert error.values["allowed"] == 65_535
    fits = GGUFBuilder().add("k" * 65_535, 1).write(tmp_path / "m.gguf")
    assert read_header(fits).metadata["k" * 65_535] == 1


def test_names_have_a_budget_together(tmp_path: Path) -> None:
    builder = GGUFBuilder()
    for number in range(130):  # 130 x 65,000 bytes > 8 MiB
        builder.add(f"{number:065000d}", 1)
    assert refused_build(tmp_path, builder).message == "gguf.name_too_long"


# Fault 10: alignment


@pytest.mark.parametrize("value", [0, Typed("i32", -32), Typed("i64", -(2**63))])
def test_an_alignment_that_divides_nothing_is_refused(tmp_path: Path, value: object) -> None:
    builder = GGUFBuilder()
    assert isinstance(value, int | Typed)
    error = refused_build(tmp_path, builder.add("general.alignment", value).tensor("a", (4,)))
    assert error.message == "gguf.alignment_zero"  # B052


# Fault 11: dimensions and extents


@pytest.mark.parametrize("dimensions", [9, 1000, 2**32 - 1])
def test_an_absurd_number_of_dimensions_is_refused(tmp_path: Path, dimensions: int) -> None:
    error = refused_build(tmp_path, GGUFBuilder().tensor("w", (4,), dimensions=dimensions))
    assert error.message == "gguf.too_many_dimensions"  # B047
    assert error.values["field"] == "tensor 1 (w)"


@pytest.mark.parametrize(
    ("shape", "kind", "product"),
    [
        ((2**64 - 1, 2), "F32", "36,893,488,147,419,103,230"),
        ((2**62, 4), "I8", "18,446,744,073,709,551,616"),  # 2^64, which wraps to 0
        ((2**63, 0), "F32", "0"),
        ((2**32, 2**31), "I8", "9,223,372,036,854,775,808"),
        ((2**51,), "I8", "2,251,799,813,685,248"),
    ],
)
def test_a_tensor_larger_than_any_file_is_refused_with_the_true_product(
    tmp_path: Path, shape: tuple[int, ...], kind: str, product: str
) -> None:  # B054
    builder = GGUFBuilder().tensor("w", shape, kind, offset=0)
    path = tmp_path / "bad.gguf"
    path.write_bytes(builder.header())
    error = refused(path)
    assert error.message == "gguf.tensor_too_large"
    assert product in str(error)


@pytest.mark.parametrize("offset", [2**50 + 1, 2**63, 2**64 - 32])
def test_an_offset_beyond_any_file_is_refused(tmp_path: Path, offset: int) -> None:  # B054
    path = tmp_path / "bad.gguf"
    path.write_bytes(GGUFBuilder().tensor("w", (4,), offset=offset).header())
    error = refused(path)
    assert error.message == "gguf.tensor_too_far"
    assert error.values["found"] == offset


# Fault 17: the file and its surroundings


def test_a_path_to_nothing_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        read_header(tmp_path / "none.gguf")
    assert caught.value.exit_code == 3


def test_a_path_that_no_system_takes_is_refused() -> None:
    for path in ("a\0b.gguf", "a" * 5000 + ".gguf"):
        with pytest.raises(GGUFError) as caught:
            read_header(path)
        assert caught.value.message == "gguf.unreadable"
        assert is_safe(str(caught.value))


def test_a_loop_of_symlinks_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop.gguf"
    loop.symlink_to(loop)
    assert refused(loop).message == "gguf.unreadable"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_without_being_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    assert refused(pipe).message == "gguf.not_a_file"


def large(tmp_path: Path) -> Path:
    # 3 windows of strings: something happens after the first was read.
    strings = Array("string", ["x" * 1000] * 3000)
    return write_gguf(tmp_path / "m.gguf", {"a": strings, "b": 1}, [("w", (64,), "F32")])


def test_a_file_truncated_while_it_is_read_has_changed(tmp_path: Path) -> None:
    path = large(tmp_path)
    clock = MeddlingClock(reading=4, meddle=lambda: os.truncate(path, 2**20 + 5))
    with pytest.raises(GGUFError) as caught:
        read_header(path, clock=clock)
    assert caught.value.message == "gguf.changed"


def test_a_file_that_grows_while_it_is_read_has_changed(tmp_path: Path) -> None:
    path = large(tmp_path)
    clock = MeddlingClock(reading=4, meddle=lambda: os.truncate(path, 2**23))
    with pytest.raises(GGUFError) as caught:
        read_header(path, clock=clock)
    assert caught.value.message == "gguf.changed"


def test_a_file_replaced_while_it_is_read_has_changed(tmp_path: Path) -> None:
    path = large(tmp_path)
    other = write_gguf(tmp_path / "other.gguf", {})
    clock = MeddlingClock(reading=4, meddle=lambda: other.replace(path))
    with pytest.raises(GGUFError) as caught:
        read_header(path, clock=clock)
    assert caught.value.message == "gguf.changed"


def test_an_array_is_not_decoded_from_a_file_that_has_changed(tmp_path: Path) -> None:
    path = large(tmp_path)
    array = read_header(path).metadata["a"]
    assert isinstance(array, GGUFArray)
    assert array.values()[2999] == "x" * 1000
    os.truncate(path, 2**20)
    with pytest.raises(GGUFError) as caught:
        array.values()
    assert caught.value.message == "gguf.changed"


def test_the_deadline_ends_a_walk_over_endless_empty_strings(tmp_path: Path) -> None:
    # 2^30 bytes of nothing: 134 million strings of length 0. Each window is said to take 10 ms.
    path = tmp_path / "m.gguf"
    head = GGUFBuilder(kv_count=1).header()[:24] + struct.pack("<Q", 1) + b"a"
    path.write_bytes(head + struct.pack("<IIQ", 9, 8, 2**27 - 8))
    os.truncate(path, 2**30)
    clock = TickingClock(step=0.1)
    with pytest.raises(GGUFError) as caught:
        read_header(path, clock=clock)
    assert caught.value.message == "gguf.deadline"
    assert "1 s" in str(caught.value)
    assert clock.seconds == pytest.approx(1.2)  # read once at the start, then until past 1 s


def test_the_deadline_ends_a_walk_over_strings_that_jump(tmp_path: Path) -> None:
    # Each string is 2 MiB long, so each costs a window.
    path = tmp_path / "m.gguf"
    head = GGUFBuilder(kv_count=1).header()[:24] + struct.pack("<Q", 1) + b"a"
    head += struct.pack("<IIQ", 9, 8, 100)
    with path.open("wb") as file:
        file.write(head)
        for _ in range(100):
            file.write(struct.pack("<Q", 2**21))
            file.seek(2**21, os.SEEK_CUR)
        file.truncate()
    clock = TickingClock(step=0.05)
    with pytest.raises(GGUFError) as caught:
        read_header(path, clock=clock)
    assert caught.value.message == "gguf.deadline"


def test_a_path_named_inside_a_file_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bait = tmp_path / "bait"
    bait.write_text("secret")
    path = write_gguf(
        tmp_path / "m.gguf",
        {"general.name": str(bait), "split.file": str(bait), "general.url": bait.as_uri()},
        [(str(bait), (4,), "F32")],
    )
    opened: list[str] = []
    really_open = Path.open

    def noting_open(self: Path, mode: str, buffering: int) -> FileIO:
        opened.append(str(self))
        file = really_open(self, mode, buffering)
        assert isinstance(file, FileIO)
        return file

    monkeypatch.setattr(Path, "open", noting_open)
    read_header(path)
    assert opened == [str(path)]
