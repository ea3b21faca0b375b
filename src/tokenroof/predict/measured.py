"""Figures that a person gives: a CSV file of what was measured, each line with its question.

The first line names the columns, in any order. `phase` (`decode` or `prefill`) and `tokens_per_s`
are needed; `model` and `device` where the command names none; `depth` is the tokens that were in
the context before (0), `prompt` the tokens of a prompt, needed for prefill, `output` the tokens
that were written: such a figure belongs to their mean depth, which is how it is held against a
ceiling. `source` says who measured. Lines that begin with # are remarks.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from tokenroof.errors import InputError, UsageError
from tokenroof.predict.cases import Case
from tokenroof.predict.records import Measured, Row
from tokenroof.safetext import printable
from tokenroof.units import binary_size

COLUMNS = ("model", "device", "phase", "tokens_per_s", "depth", "prompt", "output", "source")
NEEDED = ("phase", "tokens_per_s")

MOST_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is of, as a question, and what it says."""

    case: Case
    phase: Literal["decode", "prefill"]
    tokens_per_s: float
    source: str | None


def read_measured(path: Path, like: Case) -> tuple[Line, ...]:
    """The figures of a file, in their order.

    Args:
        path: the CSV file.
        like: what the command says; stands in for columns that the file does not have.

    Raises:
        InputError: the file cannot be read, or a line of it means nothing; the error says which.
        UsageError: the file and the command both say where or what, or neither does.
    """
    shown = printable(str(path))
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError("lists.unreadable", path=shown, reason=reason) from error
    except UnicodeDecodeError as error:
        raise InputError("lists.not_utf8", path=shown) from error
    if len(data) > MOST_BYTES:
        raise InputError("lists.too_long", path=shown, limit=binary_size(MOST_BYTES))
    numbered = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    try:
        rows = list(csv.reader([line for _, line in numbered], skipinitialspace=True))
    except csv.Error as error:
        raise InputError("lists.unreadable", path=shown, reason=str(error)) from error
    if not rows:
        raise InputError("lists.no_figures", path=shown)
    columns = [name.strip().lower() for name in rows[0]]
    _check(columns, like, shown)
    return tuple(
        _line(dict(zip(columns, row, strict=False)), like, shown, number, len(columns) - len(row))
        for (number, _), row in zip(numbered[1:], rows[1:], strict=True)
    )


def _check(columns: Sequence[str], like: Case, path: str) -> None:
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown or len(set(columns)) < len(columns):
        name = printable((unknown or list(columns))[0], 40)
        raise InputError("lists.bad_column", path=path, name=name, known=", ".join(COLUMNS))
    for name in NEEDED:
        if name not in columns:
            raise InputError("lists.no_column", path=path, name=name)
    places = {"model": like.model, "device": like.device or like.bandwidth, "depth": like.depth}
    for name, given in places.items():
        if (name in columns) and given is not None:
            raise UsageError("lists.said_twice", path=path, name=name)
    for name in ("model", "device"):
        if name not in columns and places[name] is None:
            raise UsageError("lists.said_nowhere", path=path, name=name)


def _line(cells: dict[str, str], like: Case, path: str, number: int, missing: int) -> Line:
    def refuse(name: str) -> InputError:
        value = printable(cells.get(name, ""), 40)
        return InputError("lists.bad_cell", path=path, line=number, name=name, value=value)

    if missing < 0:
        raise InputError("lists.bad_line", path=path, line=number)
    phase = cells.get("phase", "").strip().lower()
    if phase not in ("decode", "prefill"):
        raise refuse("phase")
    try:
        speed = float(cells["tokens_per_s"])
    except (KeyError, ValueError):
        speed = math.nan
    if not (math.isfinite(speed) and speed > 0):
        raise refuse("tokens_per_s")
    counts: dict[str, int | None] = {}
    for name in ("depth", "prompt", "output"):
        text = cells.get(name, "").strip()
        if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise refuse(name)
        counts[name] = int(text) if text else None
    prompt, output = counts["prompt"] or like.prompt, counts["output"]
    if phase == "prefill" and not prompt:
        raise refuse("prompt")
    depth = counts["depth"] if counts["depth"] is not None else like.depth or 0
    named = {
        name: cells[name].strip() for name in ("model", "device") if cells.get(name, "").strip()
    }
    for name in ("model", "device"):
        if name in cells and name not in named:
            raise refuse(name)
    case = msgspec.structs.replace(
        like,
        **named,
        depth=depth + (_mean_depth(output) if phase == "decode" else 0),
        prompt=prompt if phase == "prefill" else None,
        output=None,
    )
    source = cells.get("source", "").strip() or None
    return Line(case, "decode" if phase == "decode" else "prefill", speed, source)


def _mean_depth(output: int | None) -> int:
    """(steps - 1) / 2 tokens, rounded up: 64 for 128 tokens, whose mean is 63.5."""
    return (output or 1) // 2


def beside(
    rows: Iterable[Row], lines: Sequence[Line], reads: int | None, reading: Sequence[Row] | None
) -> tuple[Row, ...]:
    """The rows of the lines' questions, each with its line's figure.

    Args:
        rows: the answers to the lines' cases, in their order.
        lines: the figures.
        reads: tokens of a prompt whose reading is asked about; None for none.
        reading: for each line the answer about a prompt of so many tokens; None for none.
    """
    made = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True)):
        is_decode = line.phase == "decode"
        ceiling = row.ceiling_tokens_per_s if is_decode else row.prefill_ceiling_tokens_per_s
        asked = None if is_decode else reads
        estimated = None
        if asked is not None and reading is not None:
            found = reading[number].prefill
            if found is not None and found.tokens_per_s:
                estimated = asked / found.tokens_per_s
        measured = Measured(
            phase=line.phase,
            tokens_per_s=line.tokens_per_s,
            share=line.tokens_per_s / ceiling if ceiling else None,
            reads_tokens=asked,
            reads_seconds=None if asked is None else asked / line.tokens_per_s,
            estimated_seconds=estimated,
            source=line.source,
        )
        made.append(msgspec.structs.replace(row, measured=measured))
    return tuple(made)
