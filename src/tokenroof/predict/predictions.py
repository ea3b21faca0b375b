"""Predictions that were kept, to be held against runs that are measured later.

<data folder>/predictions.jsonl, one line a prediction. The same figures for the same question are
kept once, and of several answers to one question the last before it was measured counts: asking
again does not make a prediction count twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from tokenroof.errors import RecordError
from tokenroof.predict.records import Rate, Wait
from tokenroof.records import Record, RunModel
from tokenroof.safetext import printable
from tokenroof.store.files import append_line, make_folder
from tokenroof.store.journal import data_folder

FILE = "predictions.jsonl"

MOST_BYTES = 2**20
"""Of a line; a longer one is something else."""


class Prediction(Record, frozen=True, kw_only=True):
    """`tokenroof.prediction/1`: what was said of a question, and when.

    Attributes:
        id: names it.
        made: when, in UTC.
        tokenroof: the version that said it.
        model: as runs name theirs.
        device: what it was said of.
        here: whether that is this machine, as it was then.
        case: the question.
        depth: tokens in the context.
        decode, prefill, wait: the answer.
        verify: the command that measures it.
    """

    id: str
    made: str
    tokenroof: str
    model: RunModel
    device: str
    here: bool
    case: dict[str, Any]
    depth: int
    decode: Rate | None = None
    prefill: Rate | None = None
    wait: Wait | None = None
    verify: str | None = None
    schema: Literal["tokenroof.prediction/1"] = "tokenroof.prediction/1"


def predictions_file() -> Path:
    """Where they lie."""
    return data_folder() / FILE


def kept_predictions(path: Path | None = None) -> list[Prediction]:
    """All that were kept, oldest first. A line that cannot be read is passed over.

    Raises:
        RecordError: the file is there and cannot be read.
    """
    path = path or predictions_file()
    found = []
    try:
        with path.open("rb") as file:
            while line := file.readline(MOST_BYTES):
                try:
                    found.append(msgspec.json.decode(line, type=Prediction))
                except (msgspec.MsgspecError, ValueError, RecursionError):
                    continue
    except FileNotFoundError:
        return []
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        shown = printable(str(path))
        raise RecordError("store.not_readable", path=shown, reason=reason) from problem
    return found


def keep(predictions: list[Prediction], path: Path | None = None) -> int:
    """Append those whose figures for their question are not the ones kept last; how many.

    Raises:
        OutputError: they cannot be written.
        RecordError: the file is there and cannot be read.
    """
    path = path or predictions_file()
    last = {question_of(each): _answer(each) for each in kept_predictions(path)}
    lines = []
    for each in predictions:
        if last.get(question_of(each)) != _answer(each):
            last[question_of(each)] = _answer(each)
            lines.append(msgspec.json.encode(each))
    if lines:
        make_folder(path.parent)
        append_line(path, b"\n".join(lines))
    return len(lines)


def question_of(each: Prediction) -> str:
    """What was asked, as a text to tell questions apart by."""
    return repr((each.model, each.device, sorted(each.case.items())))


def _answer(each: Prediction) -> str:
    return repr((each.decode, each.prefill, each.wait))
