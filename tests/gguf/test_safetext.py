"""Hostile text is shown, and does nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tokenroof.safetext import has_controls, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Qwen3 8B", "Qwen3 8B"),
        ("日本語 モデル é 🎉", "日本語 モデル é 🎉"),
        ("a\x1b[31mred\x1b[0m", "a\\x1b[31mred\\x1b[0m"),
        ("two\nlines\r\tx", "two\\nlines\\r\\tx"),
        ("nul\0", "nul\\x00"),
        ("c1\x9b31m", "c1\\x9b31m"),
        ("evil\u202egnp.exe", "evil\\u202egnp.exe"),
        ("\u2066isolate\u2069 \u200fmark", "\\u2066isolate\\u2069 \\u200fmark"),
        ("line\u2028para\u2029", "line\\u2028para\\u2029"),
        ("lone\ud800", "lone\\ud800"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"),
        ("</script>", "</script>"),
    ],
)
def test_only_what_acts_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_limit_counts_characters_of_the_text() -> None:
    assert printable("abcdef", 3) == "abc…"
    assert printable("abc", 3) == "abc"
    assert printable("\n" * 9, 2) == "\\n\\n…"


@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_one_line_that_any_file_takes(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert not has_controls(shown)
    assert printable(shown) == shown


def test_line_breaks_and_tabs_are_no_controls() -> None:
    assert not has_controls("a\n\tb\r\n")
    assert has_controls("a\x1b")
    assert has_controls("\u202e")
    assert not has_controls("日本")
