"""Text from files and networks, made fit to be shown.

A model's name may hold anything: escape sequences that repaint a terminal, marks that turn the
reading direction, line breaks that forge a second message. Shown text passes through `printable`,
which writes such characters as the escapes of a Python string. Markup (HTML, CSV, Markdown) has
rules of its own and is escaped where it is written.
"""

from __future__ import annotations

import unicodedata

# Control, format (direction marks, tags, invisible joiners), surrogate, line and paragraph
# separators: characters that act instead of being seen.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# The two joiners are part of how Persian, Hindi and emoji are written, and move nothing.
_HARMLESS = frozenset("\u200c\u200d")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str, limit: int | None = None) -> str:
    """The text on one line, with every character that acts on a screen written as an escape.

    Args:
        text: anything, lone surrogates included.
        limit: the most characters of `text` to show; the rest becomes an ellipsis.
    """
    shown = text if limit is None or len(text) <= limit else text[:limit] + "…"
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(map(_escaped, shown))


def has_controls(text: str) -> bool:
    """Whether text holds characters that act on a screen, line breaks and tabs apart."""
    if text.isascii() and text.isprintable():
        return False
    return any(c not in _SHORT and _escaped(c) != c for c in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _ACTING or character in _HARMLESS:
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
