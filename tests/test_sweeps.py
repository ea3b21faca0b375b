"""Sweeps mean what they mean to llama-bench."""

from __future__ import annotations

import pytest

from tokenroof.errors import UsageError
from tokenroof.sweeps import count, seconds, sweep


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("512", (512,)),
        ("0", (0,)),
        ("4k", (4096,)),
        ("1M", (1048576,)),
        (" 512 , 2k ", (512, 2048)),
        ("512,128,512", (512, 128)),
        ("1-4", (1, 2, 3, 4)),
        ("512-2048+512", (512, 1024, 1536, 2048)),
        ("512-2000+512", (512, 1024, 1536)),
        ("0,4096-32768*2", (0, 4096, 8192, 16384, 32768)),
        ("4k-32k*2", (4096, 8192, 16384, 32768)),
        ("8,16-32*2", (8, 16, 32)),
        ("7-7*1", (7,)),
        ("5-5+0", (5,)),
    ],
)
def test_lists_and_sweeps(text: str, values: tuple[int, ...]) -> None:
    assert sweep(text) == values


@pytest.mark.parametrize(
    "text",
    ["", ",", "1,", "a", "-1", "1.5", "1-", "-4", "1-4+", "1-4-2", "4-1", "1-8*1", "0-8*2", "1-8+0",
     "1--4", "٣", "1-4*-2", "1 - 4", "k", "1kk", "0-2000", "1-9999999999"],
)  # fmt: skip
def test_what_is_no_sweep_or_has_no_end_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        sweep(text)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["9007199254740993", "9" * 30, "9" * 5000, "9000000000000k"])
def test_what_is_too_large_is_said_to_be_and_not_to_be_no_number(text: str) -> None:
    for read in (sweep, count):
        with pytest.raises(UsageError, match="is more than any count of tokens can be"):
            read(text)
    assert count("9007199254740992") == 2**53


def test_a_value_below_the_least_is_refused_wherever_it_stands() -> None:
    with pytest.raises(UsageError, match="from 1 on"):
        sweep("512,0-8", least=1)
    assert sweep("0-2", least=0) == (0, 1, 2)


def test_one_count_is_no_list() -> None:
    assert count("4k") == 4096
    assert [count(text) for text in ("1,2", "1-2", "", "-1", "x")] == [None] * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90", 90.0), ("1.5s", 1.5), ("10m", 600.0), ("2 min", 120.0), ("1H", 3600.0)],
)
def test_spans_say_their_unit_or_are_seconds(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_what_is_no_span_is_none() -> None:
    assert [seconds(text) for text in ("", "x", "-1", "1d", "1,5", "1m30")] == [None] * 6
