"""Text is laid out by cells: one for Latin, two for Japanese."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from tokenroof.cli import wide


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("実測", 4), ("KV キャッシュ", 13), ("が", 2), ("か\u3099", 2), ("é", 1), ("", 0)],
)
def test_width_counts_two_cells_for_wide_and_none_for_combining(text: str, cells: int) -> None:
    assert wide.width(text) == cells


@pytest.mark.parametrize(
    "text", ["プロンプト処理(prefill)", "95% 区間 / 見込みの幅", "最初の 1 トークンまで"]
)
def test_width_agrees_with_rich(text: str) -> None:
    assert wide.width(text) == cell_len(text)


def test_pad_fills_up_to_cells_not_characters() -> None:
    assert wide.pad("実測", 6) == "実測  "
    assert wide.pad("toolong", 3) == "toolong"


def test_latin_words_stay_whole() -> None:
    assert wide.wrap("one two three", 7) == ["one two", "three"]


def test_a_word_longer_than_the_line_stands_alone() -> None:
    assert wide.wrap("a extraordinarily b", 5) == ["a", "extraordinarily", "b"]


def test_japanese_breaks_anywhere_but_before_closing_marks() -> None:
    # Ten cells hold five characters; the full stop may not begin the second line.
    assert wide.wrap("あいうえお。かき", 10) == ["あいうえ", "お。かき"]


def test_japanese_does_not_break_after_an_opening_mark() -> None:
    assert wide.wrap("あいうえ「おか」", 10) == ["あいうえ", "「おか」"]


@given(st.text(alphabet="ab 、。「」あいう\n", max_size=60), st.integers(4, 30))
def test_wrapping_loses_nothing_but_spaces_and_keeps_to_the_width(text: str, cells: int) -> None:
    lines = wide.wrap(text, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        # A line may be longer only where nothing in it may be broken.
        assert wide.width(line) <= cells or len(wide.wrap(line, cells)) == 1
