"""What the runs took of the machine, and what a cache spared: tables that are there where known."""

from __future__ import annotations

from collections.abc import Callable

from tokenroof import units
from tokenroof.analysis import CachedPoint, Series, UsedPoint
from tokenroof.report.tables import NOTHING, Table, or_nothing, text_in
from tokenroof.safetext import printable

SAID_IN_TABLES = frozenset(
    {"measure.cached_pair", "measure.energy", "measure.memory", "measure.memory_and_vram"}
)
"""What a campaign notes of these at its end, for the screen; here the tables say it."""

_USED: dict[str, tuple[str, Callable[[UsedPoint], float | None], Callable[[float], str]]] = {
    "memory": ("report.col_memory", lambda p: p.memory_peak_bytes, units.binary_size),
    "vram": ("report.col_vram", lambda p: p.vram_peak_bytes, units.binary_size),
    "read": ("report.col_read_joules", lambda p: p.prefill_joules_per_token, units.significant),
    "written": ("report.col_write_joules", lambda p: p.decode_joules_per_token, units.significant),
    "heat": ("report.col_temperature", lambda p: p.temperature_celsius_high, units.significant),
    "clock": ("report.col_clock", lambda p: p.clock_mhz_low, units.significant),
}
"""Columns of what was used: title, figure, and how it is written."""


def usage_tables(series: Series, language: str) -> list[Table]:
    """Pairs of a prompt that is read and one that is cached, and what was used; where known."""
    return [table for table in (_cached(series, language), _used(series, language)) if table.rows]


def _cached(series: Series, language: str) -> Table:
    text = text_in(language)
    columns = (
        "report.input",
        "report.col_first_read",
        "report.col_first_cached",
        "report.col_from_cache",
        "report.col_pairs",
    )
    rows = tuple(
        (
            _tokens(point),
            units.duration(point.read_seconds),
            units.duration(point.cached_seconds),
            or_nothing(units.percent, point.cached_share),
            str(point.pairs),
        )
        for point in series.cached
    )
    return Table(text("report.table_cached"), tuple(map(text, columns)), rows)


def _used(series: Series, language: str) -> Table:
    text = text_in(language)
    shown = [
        column
        for column in _USED.values()
        if any(column[1](point) is not None for point in series.used)
    ]
    rows = tuple(
        (_tokens(point), *(or_nothing(write, figure(point)) for _, figure, write in shown))
        for point in series.used
    )
    columns = (text("report.input"), *(text(title) for title, _, _ in shown))
    sources = dict.fromkeys(name for point in series.used for name in point.energy_sources)
    listed = printable(", ".join(sources))
    note = text("report.note_energy", sources=listed) if sources else ""
    return Table(text("report.table_used"), columns, rows, note=note)


def _tokens(point: CachedPoint | UsedPoint) -> str:
    return NOTHING if point.prompt_tokens is None else units.count(round(point.prompt_tokens))
