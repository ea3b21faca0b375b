"""The columns of a table of estimates: what each is called and what it says of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenroof import words
from tokenroof.predict.records import Rate, Row
from tokenroof.safetext import printable
from tokenroof.units import (
    bandwidth,
    binary_size,
    count,
    duration,
    operations,
    percent,
    significant,
    size,
)

UNKNOWN = "–"

VERDICTS = {
    "fits": "cli.fits",
    "tight": "cli.tight",
    "does_not_fit": "cli.does_not_fit",
    "unknown": "cli.fit_unknown",
}
PHASES = {"decode": "lists.decode", "prefill": "lists.prefill"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        id: how `fitting` speaks of it.
        title: id of its heading.
        cell: what it says of a row.
        is_name: whether it is a text, which is aligned left and may be broken.
    """

    id: str
    title: str
    cell: Callable[[Row], str]
    is_name: bool = False


def columns(rows: Sequence[Row], language: str) -> list[Column]:
    """What says something of these rows: what differs, or is known."""
    names = []
    if _differs(rows, lambda row: row.measured and row.measured.phase):
        phase = Column("phase", "lists.column_phase", lambda row: _phase(row, language), True)
        names.append(phase)
    if _differs(rows, lambda row: (row.model, row.file_type)):
        names.append(Column("model", "cli.column_model", model_name(rows), is_name=True))
    if _differs(rows, lambda row: row.device):
        names.append(Column("device", "cli.column_device", _device, is_name=True))
    if any(row.measured for row in rows):
        return names + _of_figures(rows, language)
    return names + _of_answers(rows, language)


def model_name(rows: Sequence[Row]) -> Callable[[Row], str]:
    """A model's name, with its type where one name stands for several."""
    types: dict[str | None, set[str | None]] = {}
    for row in rows:
        types.setdefault(row.model, set()).add(row.file_type)

    def name(row: Row) -> str:
        shown = printable(row.model or UNKNOWN)
        return f"{shown} {row.file_type}" if len(types[row.model]) > 1 else shown

    return name


def _of_answers(rows: Sequence[Row], language: str) -> list[Column]:
    found = [
        Column("depth", "cli.column_depth", _depth),
        Column("read", "lists.column_read", _read),
        Column("decode", "lists.column_decode", lambda row: speed(row.decode)),
    ]
    if any(row.decode and row.decode.tokens_per_s is not None for row in rows):
        found.append(Column("ceiling", "cli.column_ceiling", _ceiling))
    if any(row.by_size for row in rows):
        found.append(Column("by_size", "lists.column_by_size", _by_size))
    if any(row.prefill for row in rows):
        found.append(Column("prefill", "lists.column_prefill", lambda row: speed(row.prefill)))
    if any(row.wait is not None for row in rows):
        found.append(Column("wait", "lists.column_wait", _wait))
    found.append(Column("memory", "lists.column_memory", _resident))
    if any(row.fits is not None and row.fits.verdict != "unknown" for row in rows):
        found.append(Column("fits", "cli.column_fits", lambda row: _verdict(row, language)))
    return found


def _of_figures(rows: Sequence[Row], language: str) -> list[Column]:
    """Of figures that somebody measured: against the first of their phase, and the ceilings."""
    first: dict[str, Row] = {}
    for row in rows:
        if row.measured is not None:
            first.setdefault(row.measured.phase, row)
    found = []
    has_decode = "decode" in first
    if any(len({row.depth for row in _of_phase(rows, phase)}) > 1 for phase in first):
        found.append(Column("depth", "cli.column_depth", _depth))
    if _differs(rows, lambda row: row.device):
        found.append(Column("peak", "lists.column_peak", _peak))
        found.append(Column("peak_times", "lists.column_times", lambda r: _peak_times(r, first)))
    found.append(Column("measured", "lists.column_measured", _measured))
    if len(rows) > 1:
        found.append(Column("times", "lists.column_times", lambda row: _times(row, first)))
    if any(_ceiling_of_phase(row) is not None for row in rows):
        found.append(Column("ceiling", "lists.column_ceiling", _ceiling_and_share))
    if has_decode and any(row.by_size for row in rows):
        found.append(Column("by_size", "lists.column_by_size_share", _by_size_and_share))
    if any(row.measured and row.measured.reads_seconds is not None for row in rows):
        found.append(Column("reads", "lists.column_reads", _reads))
    if any(row.measured and row.measured.estimated_seconds is not None for row in rows):
        found.append(Column("estimated", "lists.column_estimated", _estimated))
    return found


def _of_phase(rows: Sequence[Row], phase: str) -> list[Row]:
    return [row for row in rows if row.measured is not None and row.measured.phase == phase]


def _differs(rows: Sequence[Row], value: Callable[[Row], object]) -> bool:
    return len({value(row) for row in rows}) > 1


def _device(row: Row) -> str:
    return printable(row.device or UNKNOWN)


def _depth(row: Row) -> str:
    return UNKNOWN if row.depth is None else count(row.depth)


def _read(row: Row) -> str:
    return UNKNOWN if row.read_bytes is None else size(row.read_bytes)


def speed(found: Rate | None) -> str:
    """A prediction with its interval, or else the bound."""
    if found is None or found.high is None:
        return UNKNOWN
    if found.tokens_per_s is None:
        return f"≤ {significant(found.high)}"
    return f"{significant(found.tokens_per_s)} ({interval(found)})"


def point(found: Rate | None) -> str:
    """A prediction alone, or else the bound."""
    if found is None or found.tokens_per_s is None:
        return speed(found)
    return significant(found.tokens_per_s)


def interval(found: Rate) -> str:
    """Between what a prediction lies."""
    low, high = found.low, found.high
    if low is None or high is None:
        return UNKNOWN
    return f"{significant(low)}–{significant(high)}"


def _ceiling(row: Row) -> str:
    return UNKNOWN if row.decode is None else _figure(row.ceiling_tokens_per_s)


def _by_size(row: Row) -> str:
    return UNKNOWN if row.by_size is None else _figure(row.by_size.ceiling_tokens_per_s)


def _wait(row: Row) -> str:
    total = None if row.wait is None else row.wait.total_seconds
    return UNKNOWN if total is None else duration(total)


def _resident(row: Row) -> str:
    return UNKNOWN if row.fits is None else binary_size(row.fits.resident_bytes)


def _verdict(row: Row, language: str) -> str:
    return UNKNOWN if row.fits is None else words.text(VERDICTS[row.fits.verdict], language)


def _phase(row: Row, language: str) -> str:
    return UNKNOWN if row.measured is None else words.text(PHASES[row.measured.phase], language)


def _peak(row: Row) -> str:
    value = _peak_of_phase(row)
    if value is None:
        return UNKNOWN
    is_decode = row.measured is None or row.measured.phase == "decode"
    return bandwidth(value) if is_decode else operations(value)


def _peak_of_phase(row: Row) -> float | None:
    is_prefill = row.measured is not None and row.measured.phase == "prefill"
    return row.flop_per_s if is_prefill else row.bandwidth_bytes_per_s


def _peak_times(row: Row, first: dict[str, Row]) -> str:
    if row.measured is None:
        return UNKNOWN
    own, other = _peak_of_phase(row), _peak_of_phase(first[row.measured.phase])
    return _ratio(own, other)


def _measured(row: Row) -> str:
    return UNKNOWN if row.measured is None else _figure(row.measured.tokens_per_s)


def _times(row: Row, first: dict[str, Row]) -> str:
    if row.measured is None:
        return UNKNOWN
    other = first[row.measured.phase].measured
    return _ratio(row.measured.tokens_per_s, other.tokens_per_s if other is not None else None)


def _ratio(own: float | None, other: float | None) -> str:
    return UNKNOWN if own is None or not other else f"{own / other:.2f}"


def _ceiling_of_phase(row: Row) -> float | None:
    if row.measured is None or row.measured.phase == "decode":
        return row.ceiling_tokens_per_s
    return row.prefill_ceiling_tokens_per_s


def _ceiling_and_share(row: Row) -> str:
    share = None if row.measured is None else row.measured.share
    return _with_share(_ceiling_of_phase(row), share)


def _by_size_and_share(row: Row) -> str:
    share = None if row.by_size is None else row.by_size.share
    return _with_share(None if row.by_size is None else row.by_size.ceiling_tokens_per_s, share)


def _with_share(ceiling: float | None, share: float | None) -> str:
    if ceiling is None or share is None:
        return UNKNOWN
    return f"{significant(ceiling)} ({percent(share)})"


def _reads(row: Row) -> str:
    return _seconds(None if row.measured is None else row.measured.reads_seconds)


def _estimated(row: Row) -> str:
    return _seconds(None if row.measured is None else row.measured.estimated_seconds)


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{significant(value, 2)} s"


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else significant(value)
