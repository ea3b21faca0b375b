"""Data inside a page: written so that no text can leave its element, and read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tokenroof.errors import RecordError
from tokenroof.importing.own import RUNS_ID, runs_in_page
from tokenroof.records import Run

__all__ = ["ANALYSIS_ID", "FIGURES_ID", "RUNS_ID", "read_report", "runs_json", "script_json"]

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
    try:
        return runs_in_page(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RecordError("report.not_a_report", path=path) from problem
