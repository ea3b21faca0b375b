"""Tokens by language, where no vocabulary is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tokenroof.predict.languages import letters


def test_english_is_about_four_characters_a_token() -> None:
    # 400 letters: 400 / 4.2, 400 / 3.95, 400 / 3.6.
    assert letters("abcd " * 80).tokens() == (95, 101, 111)


def test_japanese_is_one_or_two_characters_a_token() -> None:
    text = "日本語の文章です。" * 10
    found = letters(text)
    assert (found.japanese, found.is_japanese) == (90, True)
    # 90 / 1.75, 90 / 1.5, 90 / 0.8.
    assert found.tokens() == (51, 60, 112)


def test_code_is_told_by_its_file_or_its_symbols() -> None:
    assert letters("x = 1", Path("a.py")).is_code
    assert letters("if (a[0] == b) { f(a); }").is_code
    assert not letters("A letter to a friend (who is away).", Path("a.txt")).is_code


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("これは日本語の文です。", 6), ("The quick brown fox jumps over the lazy dog", 9)],
)
def test_what_gemma_3_counts_lies_within_a_token_of_the_range(text: str, tokens: int) -> None:
    fewest, _, most = letters(text).tokens()
    assert fewest - 1 <= tokens <= most


@given(st.text(max_size=200))
def test_the_usual_lies_within(text: str) -> None:
    fewest, usual, most = letters(text).tokens()
    assert 1 <= fewest <= usual <= most


@pytest.mark.parametrize("text", ["", " "])
def test_there_is_at_least_one_token(text: str) -> None:
    assert letters(text).tokens() == (1, 1, 1)
