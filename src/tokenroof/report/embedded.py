"""Data inside a page: written so that no text can leave its element, and read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import msgspec

from tokenroof.errors import RecordError
from tokenroof.records import Run

RUNS_ID = "tokenroof-runs"
ANALYSIS_ID = "tokenroof-analysis"
FIGURES_ID = "tokenroof-figures"

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def script_json(value: object) -> str:
    """JSON that is safe inside a script element.

    Only ASCII is left (so no line separator, no lone surrogate), and no character that could end
    the element or begin a comment.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return "".join(_ESCAPES.get(character, character) for character in text)


def runs_json(runs: Sequence[Run]) -> str:
    """All runs, for the element that they are read back from."""
    return script_json([run.to_dict() for run in runs])


def read_report(path: Path) -> list[Run]:
    """The runs inside a report.html.

    Raises:
        RecordError: the file cannot be read, or it is not a report.
    """
    finder = _Finder()
    try:
        finder.feed(path.read_text(encoding="utf-8"))
        return msgspec.convert(json.loads("".join(finder.found)), list[Run])
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise RecordError("report.not_a_report", path=path) from problem


class _Finder(HTMLParser):
    """Collects the text of the element that holds the runs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and dict(attrs).get("id") == RUNS_ID

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found.append(data)
