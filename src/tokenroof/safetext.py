"""Text that came from a file or a name, made safe to print.

Names inside model files are written by strangers: they may hold escape sequences that move the
cursor or rename the terminal, marks that turn the reading direction round, or line breaks that
forge a line of output. Each such character is shown as its escape, so that it is seen.
"""

from __future__ import annotations

import unicodedata

_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Controls, formats (direction marks, zero width), lone surrogates, unassigned, separators."""


def printable(text: str, limit: int = 200) -> str:
    """The text on one line, without a character that a terminal would act on.

    Args:
        text: anything.
        limit: more characters than this are cut off, and an ellipsis says so.
    """
    shown = "".join(map(_shown, text[:limit]))
    return shown if len(text) <= limit else shown + "…"


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
