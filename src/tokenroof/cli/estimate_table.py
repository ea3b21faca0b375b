"""A table of estimates that fits the screen, and the same as Markdown and as CSV.

What does not fit is left out in a fixed order, what is least asked for first; before a name is cut
to pieces it gets a line of its own, with its rows below. Markdown and CSV leave nothing out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from tokenroof import words
from tokenroof.cli import streams, wide
from tokenroof.cli.estimate_columns import Column, columns, point
from tokenroof.cli.screen import Screen
from tokenroof.predict.records import Row

_INDENT = 2
_GAP = 3

_POINTS: dict[str, Callable[[Row], str]] = {
    "prefill": lambda row: point(row.prefill),
    "decode": lambda row: point(row.decode),
}
"""Predictions without their intervals."""

Table = list[Column]


def show_table(screen: Screen, rows: Sequence[Row], language: str) -> None:
    """Print the table in the width that there is."""
    grouped, table = fitting(rows, language, screen.console.width)
    titles = [words.text(each.title, language) for each in table]
    left = [number for number, each in enumerate(table) if each.is_name]
    if grouped is None:
        screen.table(titles, [[each.cell(row) for each in table] for row in rows], left=left)
        return
    titles = [_filled(title, each, rows) for title, each in zip(titles, table, strict=True)]
    for number, (name, some) in enumerate(groupby(rows, grouped.cell)):
        if number:
            screen.gap()
        screen.say(name, indent=_INDENT)
        screen.table(titles, [[each.cell(row) for each in table] for row in some], left=left)


def _filled(title: str, column: Column, rows: Sequence[Row]) -> str:
    """A heading as wide as any cell of the column, so that all groups stand below one another."""
    widest = max(wide.width(column.cell(row)) for row in rows)
    first, *others = title.split("\n")
    blanks = " " * max(widest - wide.width(first), 0)
    return "\n".join([first + blanks if column.is_name else blanks + first, *others])


def fitting(rows: Sequence[Row], language: str, width: int) -> tuple[Column | None, Table]:
    """The columns that fit, and the one whose names stand above the rows; None for none."""
    table = columns(rows, language)
    for grouped, tried in _attempts(table, rows):
        if _width(tried, rows, language) <= width:
            return grouped, tried
    return grouped, tried


def _attempts(table: Table, rows: Sequence[Row]) -> list[tuple[Column | None, Table]]:
    """Tables that say less and less."""
    attempts: list[tuple[Column | None, Table]] = [(None, table)]
    grouped: Column | None = None
    names = [each for each in table if each.is_name]
    if len(names) > 1 and _stands_together(rows, names[0]):
        grouped, table = names[0], table[1:]
        attempts.append((grouped, table))
    has_ceiling = any(each.id == "ceiling" for each in table)
    if has_ceiling and len({row.device for row in rows}) > 1:
        table = [each for each in table if each.id != "read"]
        attempts.append((grouped, table))
    for name in ("prefill", "decode"):
        table = [replace(each, cell=_POINTS[name]) if each.id == name else each for each in table]
        attempts.append((grouped, table))
    dropped = ["read"] if has_ceiling else []
    if len({row.depth for row in rows}) == 1:
        dropped.append("depth")
    for name in (*dropped, "times", "peak_times", "memory", "wait", "peak"):
        table = [each for each in table if each.id != name]
        attempts.append((grouped, table))
    return attempts


def _stands_together(rows: Sequence[Row], column: Column) -> bool:
    """Whether all rows of a name follow one another, and some name has several."""
    names = [name for name, _ in groupby(rows, column.cell)]
    return len(names) == len(set(names)) < len(rows)


def _width(table: Table, rows: Sequence[Row], language: str) -> int:
    widths = []
    for each in table:
        titles = words.text(each.title, language).split("\n")
        cells = [each.cell(row) for row in rows]
        widths.append(max(map(wide.width, [*titles, *cells])))
    return _INDENT + sum(widths) + _GAP * (len(widths) - 1)


def markdown(rows: Sequence[Row], language: str) -> str:
    """The table as Markdown, one line a row; below it why some have no figures."""
    from tokenroof.report.markdown import escaped

    table = columns(rows, language)
    titles = [words.text(each.title, language).replace("\n", " ") for each in table]
    lines = [
        _bars(escaped(title) for title in titles),
        _bars("---" if each.is_name else "---:" for each in table),
        *(_bars(escaped(each.cell(row)) for each in table) for row in rows),
    ]
    refused = [(number, row.error) for number, row in enumerate(rows, 1) if row.error is not None]
    for number, error in refused:
        reason = error.text(language)
        lines += ["", escaped(words.text("cli.no_answer", language, row=number, reason=reason))]
    return "\n".join(lines)


def _bars(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


_CSV: dict[str, Callable[[Row], object]] = {
    "model": lambda row: row.model,
    "file_type": lambda row: row.file_type,
    "device": lambda row: row.device,
    "depth": lambda row: row.depth,
    "context": lambda row: row.context,
    "read_bytes": lambda row: row.read_bytes,
    "bandwidth_bytes_per_s": lambda row: row.bandwidth_bytes_per_s,
    "flop_per_s": lambda row: row.flop_per_s,
    "ceiling_tokens_per_s": lambda row: row.ceiling_tokens_per_s,
    "decode_tokens_per_s": lambda row: row.decode and row.decode.tokens_per_s,
    "decode_low": lambda row: row.decode and row.decode.low,
    "decode_high": lambda row: row.decode and row.decode.high,
    "prefill_ceiling_tokens_per_s": lambda row: row.prefill_ceiling_tokens_per_s,
    "prefill_tokens_per_s": lambda row: row.prefill and row.prefill.tokens_per_s,
    "prefill_low": lambda row: row.prefill and row.prefill.low,
    "prefill_high": lambda row: row.prefill and row.prefill.high,
    "ttft_seconds": lambda row: row.wait and row.wait.ttft_seconds,
    "total_seconds": lambda row: row.wait and row.wait.total_seconds,
    "resident_bytes": lambda row: row.fits and row.fits.resident_bytes,
    "capacity_bytes": lambda row: row.fits and row.fits.capacity_bytes,
    "verdict": lambda row: row.fits and row.fits.verdict,
    "basis": lambda row: row.basis,
    "phase": lambda row: row.measured and row.measured.phase,
    "measured_tokens_per_s": lambda row: row.measured and row.measured.tokens_per_s,
    "measured_share": lambda row: row.measured and row.measured.share,
    "reads_tokens": lambda row: row.measured and row.measured.reads_tokens,
    "reads_seconds": lambda row: row.measured and row.measured.reads_seconds,
    "estimated_seconds": lambda row: row.measured and row.measured.estimated_seconds,
    "source": lambda row: row.measured and row.measured.source,
    "size_bytes": lambda row: row.by_size and row.by_size.bytes,
    "size_ceiling_tokens_per_s": lambda row: row.by_size and row.by_size.ceiling_tokens_per_s,
    "size_share": lambda row: row.by_size and row.by_size.share,
}
"""The figures of the JSON document, a row a line: in full, and in base units."""


def as_csv(rows: Sequence[Row], language: str) -> str:
    """The rows as CSV: one line of names, then all figures; what is not known is empty."""
    errors = any(row.error is not None for row in rows)
    with io.StringIO(newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*_CSV, *(["error"] if errors else [])])
        for row in rows:
            error = [row.error.text(language) if row.error is not None else None]
            writer.writerow([*(value(row) for value in _CSV.values()), *(error if errors else [])])
        return text.getvalue()


def write(rows: Sequence[Row], kind: str, language: str) -> None:
    """Print nothing but the table: `markdown` or `csv`."""
    text = as_csv(rows, language) if kind == "csv" else markdown(rows, language) + "\n"
    streams.write(text)
