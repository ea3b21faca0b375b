"""Text on a grid of cells, where Japanese takes two cells a character and has no spaces.

Help is laid out with this and not with rich, which takes longer to import than help may take.
"""

from __future__ import annotations

import re
import unicodedata

_NEVER_FIRST = "、。，．・：；？！」』）】〕％)],.:;?!ーぁぃぅぇぉっゃゅょァィゥェォッャュョ"
"""What must not begin a line (the Japanese rule kinsoku, its common part)."""

_NEVER_LAST = "「『（【〔(["

_WORD = re.compile(r"\s+|[!-~]+")


def width(text: str) -> int:
    """How many cells a text takes."""
    return sum(_cells(character) for character in text)


def pad(text: str, cells: int) -> str:
    """A text filled up with spaces on its right; one that is longer is left as it is."""
    return text + " " * max(cells - width(text), 0)


def wrap(text: str, cells: int) -> list[str]:
    """A paragraph broken into lines of at most `cells` cells, where its script allows it.

    Latin words stay whole (one that is longer than a line stands alone on its own); Japanese
    breaks anywhere except before closing and after opening marks.
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and width(line) + width(piece.rstrip()) > cells:
            lines.append(line.rstrip())
            line = ""
        line += piece.lstrip() if not line else piece
    if line.strip() or not lines:
        lines.append(line.rstrip())
    return lines


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(text: str) -> list[str]:
    """The text in the smallest pieces that a line may end after."""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        piece = word[0] if word else text[at]
        if piece.isspace():
            piece = " "
        glued = pieces and (
            piece == " " or piece[0] in _NEVER_FIRST or pieces[-1][-1] in _NEVER_LAST
        )
        if glued:
            pieces[-1] += piece
        else:
            pieces.append(piece)
        at = word.end() if word else at + 1
    return pieces
