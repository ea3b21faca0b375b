"""Bytes as numbered lines, whatever terminal, shell or system they were copied from."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

MOST_CHARACTERS = 16 * 2**20
"""Of one line. A document of a server with a long prompt in it is one line."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""What colours text and moves the cursor."""

_ACTING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
"""How a file begins that was not written as plain UTF-8, as by the `>` of PowerShell."""


def lines_of(stream: io.BufferedReader[Any]) -> Iterator[tuple[int, str, bool]]:
    """Number, text, and whether all of the line is there; longer ones come cut.

    Bytes that are no text become replacement characters; colours and control characters go.
    """
    start = stream.peek(4)[:4]
    encoding = next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline=None)
    number = 0
    try:
        while line := text.readline(MOST_CHARACTERS):
            number += 1
            whole = line.endswith("\n") or len(line) < MOST_CHARACTERS
            yield number, clean(line.rstrip("\n")), whole
            rest = "" if whole else line
            while rest and not rest.endswith("\n"):
                rest = text.readline(MOST_CHARACTERS)
    finally:
        text.detach()


def clean(line: str) -> str:
    """A line without what colours it, moves the cursor, or acts on a terminal otherwise."""
    if "\x1b" in line:
        line = _ESCAPES.sub("", line)
    if not line.isprintable():
        line = _ACTING.sub("", line)
    return line
