"""Long arrays of strings are passed over in blocks, and exactly as one by one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.gguf_files import Array, ByteOrder, GGUFBuilder
from tokenroof.errors import GGUFError
from tokenroof.gguf import GGUFArray, read_header
from tokenroof.gguf.strings import BLOCK_STRINGS, MANY_STRINGS, SHORT_BYTES, block_matcher

ORDERS: tuple[ByteOrder, ...] = ("little", "big")


def packed(strings: list[bytes], byte_order: ByteOrder) -> bytes:
    return b"".join(len(s).to_bytes(8, byte_order) + s for s in strings)


def hostile_strings(count: int, longest: int) -> list[bytes]:
    """Strings full of what looks like lengths: zeros, small numbers, line breaks."""
    chance = random.Random(7)
    return [
        bytes(chance.choices(b"\0\0\0\1\5\n\xffa", k=chance.randint(0, longest)))
        for _ in range(count)
    ]


@pytest.mark.parametrize("byte_order", ORDERS)
def test_a_block_ends_where_its_last_string_ends(byte_order: ByteOrder) -> None:
    strings = hostile_strings(BLOCK_STRINGS, SHORT_BYTES - 1)
    data = b"before" + packed(strings, byte_order)
    match = block_matcher(byte_order)(data + b"after", 6)
    assert match is not None
    assert match.end() == len(data)


@pytest.mark.parametrize("byte_order", ORDERS)
@pytest.mark.parametrize("number", [0, 1, 77, BLOCK_STRINGS - 1])
def test_a_block_with_a_long_string_is_not_matched(byte_order: ByteOrder, number: int) -> None:
    strings = hostile_strings(BLOCK_STRINGS, SHORT_BYTES - 1)
    strings[number] = b"x" * SHORT_BYTES
    assert block_matcher(byte_order)(packed(strings, byte_order) + bytes(5000), 0) is None


@pytest.mark.parametrize("byte_order", ORDERS)
@pytest.mark.parametrize("place", range(1, 8))
def test_a_length_with_any_high_byte_is_not_matched(byte_order: ByteOrder, place: int) -> None:
    data = bytearray(packed([b"abc"] * BLOCK_STRINGS, byte_order))
    data[11 * 50 + (place if byte_order == "little" else 7 - place)] = 1
    assert block_matcher(byte_order)(bytes(data) + bytes(5000), 0) is None


@pytest.mark.parametrize("byte_order", ORDERS)
def test_a_block_that_the_window_cuts_is_not_matched(byte_order: ByteOrder) -> None:
    data = packed([b"abc"] * BLOCK_STRINGS, byte_order)
    assert block_matcher(byte_order)(data[:-1], 0) is None


@pytest.mark.parametrize("byte_order", ORDERS)
def test_short_and_long_strings_of_any_bytes_are_passed_alike(
    tmp_path: Path, byte_order: ByteOrder
) -> None:
    strings = hostile_strings(MANY_STRINGS + 5_000, 40)
    for number in range(0, len(strings), 1_000):  # some that no block fits, one over two windows
        strings[number] = b"long" * (20 + number)
    strings[3] = b"w" * (2**21 + 1)
    builder = GGUFBuilder(byte_order=byte_order).add("a", Array("string", strings))
    header = read_header(builder.add("after", 42).write(tmp_path / "m.gguf"))
    array = header.metadata["a"]
    assert isinstance(array, GGUFArray)
    assert array.values() == tuple(s.decode("utf-8", "replace") for s in strings)
    assert header.metadata["after"] == 42


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 30_000, MANY_STRINGS - 1])
def test_a_bad_length_among_many_strings_is_named_by_its_offset(
    tmp_path: Path, number: int
) -> None:
    builder = GGUFBuilder().add("a", Array("string", ["abcde"] * MANY_STRINGS))
    data = bytearray(builder.header())
    # The pair's key, type, element type and length take 9 + 4 + 12 bytes; each string takes 13.
    place = 24 + 25 + 13 * number
    data[place : place + 8] = (10**9).to_bytes(8, "little")
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(GGUFError) as caught:
        read_header(path)
    assert caught.value.message == "gguf.string_past_end"
    assert caught.value.values["offset"] == place
    assert caught.value.values["found"] == 10**9


def test_an_array_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data = GGUFBuilder().add("a", Array("string", ["abcde"] * MANY_STRINGS)).header()
    path = tmp_path / "bad.gguf"
    for size in (60, 24 + 25 + 13 * 30_000, 24 + 25 + 13 * 30_000 + 5, 24 + 25 + 13 * 40_001 + 9):
        path.write_bytes(data[:size])
        with pytest.raises(GGUFError) as caught:
            read_header(path)
        assert caught.value.message in {
            "gguf.array_past_end",
            "gguf.past_end",
            "gguf.string_past_end",
        }
