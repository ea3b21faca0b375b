"""The tables of a report, as text in cells. The page and the summary show the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenroof import units, words
from tokenroof.analysis import (
    Analysis,
    DecodePoint,
    PrefillPoint,
    Series,
    Timing,
)
from tokenroof.safetext import printable

Text = Callable[..., str]
"""A sentence of the catalogue in the language of the report."""

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows of plain text. `numbers` says that all but the first column are figures.
    `note` is said under it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: bool = True
    note: str = ""


def text_in(language: str) -> Text:
    """The catalogue, in one language."""

    def said(message: str, **values: object) -> str:
        return words.text(message, language, **values)

    return said


def series_tables(series: Series, language: str) -> list[Table]:
    """Prefill, decode and waits of one series."""
    text = text_in(language)
    tables = [_prefill(series, text), _decode(series, text), _waits(series, text)]
    return [table for table in tables if table.rows]


def _prefill(series: Series, text: Text) -> Table:
    columns = (
        *map(text, ("report.input", "report.col_prefill", "report.col_reading", "report.col_flop")),
        *_shared_columns(series.prefill, text),
    )
    rows = tuple(
        (
            _tokens(point),
            _rate(point.counted, text),
            NOTHING if point.seconds is None else units.duration(point.seconds),
            _flop(point),
            *_shared_cells(point, series.prefill, text),
        )
        for point in series.prefill
    )
    return Table(text("report.table_prefill"), *filled(columns, rows))


def _decode(series: Series, text: Text) -> Table:
    columns = (
        text("report.col_context"),
        text("report.col_decode"),
        text("report.col_token_time"),
        text("report.col_bytes"),
        text("report.col_achieved"),
        text("report.col_share"),
        text("report.col_flop"),
        *_shared_columns(series.decode, text),
    )
    rows = tuple(
        (
            _tokens(point),
            _rate(point.counted, text),
            units.milliseconds(point.counted.seconds_per_token) if point.counted else NOTHING,
            or_nothing(units.size, point.read_bytes),
            or_nothing(units.bandwidth, point.achieved_bytes_per_second),
            _ceiling(point, text),
            _flop(point),
            *_shared_cells(point, series.decode, text),
        )
        for point in series.decode
    )
    return Table(text("report.table_decode"), *filled(columns, rows))


def _shared_columns(points: Sequence[PrefillPoint | DecodePoint], text: Text) -> list[str]:
    columns = [text("report.col_runs")]
    if any(point.aggregate is None for point in points):
        columns.append(text("report.col_range"))
    if any(point.excluded for point in points):
        columns.append(text("report.col_with_excluded"))
    return columns


def _shared_cells(
    point: PrefillPoint | DecodePoint, points: Sequence[PrefillPoint | DecodePoint], text: Text
) -> list[str]:
    cells = [_runs(point, text)]
    if any(each.aggregate is None for each in points):
        cells.append(_range(point.counted))
    if any(each.excluded for each in points):
        cells.append(_rate(point.with_excluded, text))
    return cells


def _runs(point: PrefillPoint | DecodePoint, text: Text) -> str:
    if point.aggregate is not None:
        statistic, of = printable(point.aggregate.statistic), point.aggregate.of
        if of is None:
            return text("report.cell_stated", statistic=statistic)
        return text("report.cell_stated_of", statistic=statistic, of=of)
    counted = (point.counted.runs or 0) if point.counted else 0
    if point.excluded:
        return text("report.cell_excluded", counted=counted, excluded=point.excluded)
    return str(counted)


def _rate(timing: Timing | None, text: Text) -> str:
    if timing is None:
        return NOTHING
    rate = units.significant(timing.tokens_per_second)
    if timing.low_tokens_per_second is not None and timing.high_tokens_per_second is not None:
        low, high = timing.low_tokens_per_second, timing.high_tokens_per_second
        ends = f"{units.significant(low)}–{units.significant(high)}"
        return text("report.cell_interval", rate=rate, ends=ends)
    return rate


def _range(timing: Timing | None) -> str:
    if timing is None or timing.most_seconds_per_token is None:
        return NOTHING
    slowest = 1 / timing.most_seconds_per_token
    fastest = 1 / (timing.least_seconds_per_token or timing.most_seconds_per_token)
    return f"{units.significant(slowest)}–{units.significant(fastest)}"


def _ceiling(point: DecodePoint, text: Text) -> str:
    if point.mbu is None or point.ceiling_tokens_per_second is None:
        return NOTHING
    ceiling = units.significant(point.ceiling_tokens_per_second)
    return text("report.cell_share", share=units.percent(point.mbu), ceiling=ceiling)


def _flop(point: PrefillPoint | DecodePoint) -> str:
    if point.flop_per_second is None:
        return NOTHING
    shown = units.operations(point.flop_per_second)
    return shown if point.mfu is None else f"{shown} (MFU {units.percent(point.mfu)})"


def filled(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns in which any row says something; the first one always."""
    kept = [
        place
        for place in range(len(columns))
        if place == 0 or any(row[place] != NOTHING for row in rows)
    ]
    return (
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in rows),
    )


def _tokens(point: PrefillPoint | DecodePoint) -> str:
    if point.context_tokens is None:
        return NOTHING
    total = units.count(round(point.context_tokens))
    if isinstance(point, PrefillPoint) and point.depth:
        return f"{units.count(round(point.prompt_tokens or 0))} @ {units.count(point.depth)}"
    return total


def or_nothing(write: Callable[[float], str], value: float | None) -> str:
    """The figure as `write` writes it, or the mark for none."""
    return NOTHING if value is None else write(value)


def _waits(series: Series, text: Text) -> Table:
    spreads = {
        "interval": "report.spread_interval",
        "range": "report.spread_range",
        "reports": "report.spread_reports",
    }
    phases = {"prefill": text("report.phase_prefill"), "decode": text("report.phase_decode")}
    rows = tuple(
        (
            text(
                "report.cell_ask",
                prompt=units.count(wait.prompt_tokens),
                output=units.count(wait.output_tokens),
            ),
            units.duration(wait.ttft_seconds),
            units.duration(wait.total_seconds),
            _span(wait.low_seconds, wait.high_seconds),
            ", ".join(phases[phase] for phase in wait.outside) or NOTHING,
        )
        for wait in series.waits
    )
    columns = (
        text("report.col_ask"),
        text("report.col_ttft"),
        text("report.col_total"),
        text("report.col_from_to"),
        text("report.col_outside"),
    )
    meanings = dict.fromkeys(text(spreads[wait.spread]) for wait in series.waits)
    note = text("report.note_spread", meaning="; ".join(meanings))
    return Table(text("report.table_waits"), *filled(columns, rows), note=note)


def _span(low: float, high: float) -> str:
    return f"{units.significant(low)}–{units.significant(high)} s"


def fits_table(analysis: Analysis, language: str) -> Table | None:
    """The line and the curve of each series that has one, and the ratio of operations."""
    text = text_in(language)
    rows = tuple(
        (printable(series.label), *_line_cells(series), _curve_cell(series), _ratio(series))
        for series in analysis.series
        if series.line or series.curve or series.compute_ratio
    )
    columns = (
        text("report.model"),
        text("report.col_added"),
        text("report.col_per_gb"),
        text("report.col_zero_bytes"),
        text("report.col_curve"),
        text("report.col_ratio"),
    )
    return Table(text("report.table_fits"), *filled(columns, rows)) if rows else None


def _line_cells(series: Series) -> tuple[str, str, str]:
    line = series.line
    if line is None:
        return NOTHING, NOTHING, NOTHING
    return (
        or_nothing(units.bandwidth, line.added_bytes_per_second),
        units.milliseconds(line.seconds_per_byte * units.GB),
        units.milliseconds(line.zero_bytes_seconds),
    )


def _curve_cell(series: Series) -> str:
    curve = series.curve
    if curve is None:
        return NOTHING
    parts = [
        units.significant(curve.fixed_seconds) if curve.fixed_seconds else "",
        f"{units.significant(curve.linear_seconds * 1e3)}e-3 n" if curve.linear_seconds else "",
        f"{units.significant(curve.square_seconds * 1e9)}e-9 n²" if curve.square_seconds else "",
    ]
    return " + ".join(filter(None, parts)) + f" (±{curve.worst_misfit * 100:.1f} %)"


def _ratio(series: Series) -> str:
    return or_nothing(lambda value: f"{units.significant(value, 2)}x", series.compute_ratio)
