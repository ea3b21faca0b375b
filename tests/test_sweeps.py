"""Sweeps mean what they mean to llama-bench."""

from __future__ import annotations

import pytest

from tokenroof.errors import UsageError
from tokenroof.sweeps import count, sweep


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


def test_a_value_below_the_least_is_refused_wherever_it_stands() -> None:
    with pytest.raises(UsageError, match="from 1 on"):
        sweep("512,0-8", least=1)
    assert sweep("0-2", least=0) == (0, 1, 2)


def test_one_count_is_no_list() -> None:
    assert count("4k") == 4096
    assert [count(text) for text in ("1,2", "1-2", "", "-1", "x")] == [None] * 5
