"""Prefill and decode against the length of the input, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenroof import units, words
from tokenroof.analysis import Analysis, DecodePoint, PrefillPoint, Series
from tokenroof.report.charts import marks, style
from tokenroof.report.charts.axes import length_axis, value_axis
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import Figure, Said, color, data, figure, joined, legend_label
from tokenroof.report.charts.marks import Row

if TYPE_CHECKING:
    import altair as alt

ALIKE = 1.5
"""Scales that differ by less than this are nearly alike."""


def speed_figure(analysis: Analysis, language: str) -> Figure | None:
    """Both phases over the input; None where nothing counts."""
    import altair as alt

    labels = [legend_label(series, language) for series in analysis.series]
    prefill = _rows([series.prefill for series in analysis.series], labels)
    decode = _rows([series.decode for series in analysis.series], labels)
    if not prefill and not decode:
        return None
    shown = [
        series
        for series, label in zip(analysis.series, labels, strict=True)
        if _of(label, prefill) or _of(label, decode)
    ]
    used = [legend_label(series, language) for series in shown]
    panels = [
        _panel(rows, used, words.text(title, language), language)
        for rows, title in (
            (prefill, "report.axis_prefill_rate"),
            (decode, "report.axis_decode_rate"),
        )
        if rows
    ]
    said = Said(
        language,
        _title(prefill, decode, language),
        subtitle(analysis, shown, language),
        _caption(prefill, decode, shown, language),
    )
    return figure("speed", said, alt.hconcat(*panels, spacing=28))


def _rows(
    points: Sequence[Sequence[PrefillPoint | DecodePoint]], labels: Sequence[str]
) -> list[Row]:
    return [
        {
            "series": label,
            "tokens": _length(point),
            "rate": point.counted.tokens_per_second,
            "low": point.counted.low_tokens_per_second,
            "high": point.counted.high_tokens_per_second,
            "label": units.significant(point.counted.tokens_per_second),
        }
        for label, line in zip(labels, points, strict=True)
        for point in line
        if point.counted is not None and _length(point) > 0
    ]


def _of(label: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["series"] == label]


def _length(point: PrefillPoint | DecodePoint) -> float:
    """Input tokens. An answer to nothing stands at the mean depth of its own tokens."""
    if point.context_tokens:
        return point.context_tokens
    return (point.mean_depth or 0.0) if isinstance(point, DecodePoint) else 0.0


def _panel(
    rows: list[Row], labels: Sequence[str], title: str, language: str
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    domain = style.log_domain([row["tokens"] for row in rows])
    top = max(row["high"] or row["rate"] for row in rows) * 1.1
    x = length_axis("tokens:Q", domain, language)
    y = value_axis("rate:Q", top, title)
    told = marks.told(language, rate=words.text("report.rate", language))
    layers: list[alt.Chart] = [
        marks.line(rows, x, y, labels),
        marks.points(rows, x, y, labels, told),
    ]
    if any(row["low"] is not None for row in rows):
        rule = alt.Chart(data(rows)).mark_rule(strokeWidth=1.5)
        ends = {"y": value_axis("low:Q", top, title), "y2": "high:Q"}
        layers.insert(0, rule.encode(x=x, color=color(labels), **ends))
    for right, outer in ((False, _ends(rows, labels, 0)), (True, _ends(rows, labels, -1))):
        placed = _placed(outer, domain, top)
        layers.append(
            marks.texts(
                placed,
                length_axis("beside:Q", domain, language),
                value_axis("at:Q", top, title),
                labels,
                align="left" if right else "right",
                dx=8 if right else -8,
            )
        )
    return alt.layer(*layers).properties(width=style.PLOT_WIDTH, height=style.PLOT_HEIGHT)


def _ends(rows: Sequence[Row], labels: Sequence[str], side: int) -> list[Row]:
    """The first or the last row of each series; a single one is labelled on its right only."""
    lines = [line for label in labels if (line := _of(label, rows))]
    return [line[side] for line in lines if side == -1 or len(line) > 1]


def _placed(ends: list[Row], domain: tuple[float, float], top: float) -> list[Row]:
    if not ends:
        return []
    beside = style.together([row["tokens"] for row in ends], domain)
    at = style.apart([row["rate"] for row in ends], top, style.PLOT_HEIGHT)
    return [{**row, "beside": x, "at": y} for row, x, y in zip(ends, beside, at, strict=True)]


def _title(prefill: list[Row], decode: list[Row], language: str) -> str:
    if not decode:
        return words.text("report.title_speed_prefill", language, prefill=_range(prefill))
    if not prefill:
        return words.text("report.title_speed_decode", language, decode=_range(decode))
    return words.text(
        "report.title_speed", language, prefill=_range(prefill), decode=_range(decode)
    )


def _range(rows: list[Row]) -> str:
    least, most = min(row["rate"] for row in rows), max(row["rate"] for row in rows)
    low, high = units.significant(least), units.significant(most)
    return f"{low} tok/s" if low == high else f"{low}–{high} tok/s"


def _caption(prefill: list[Row], decode: list[Row], shown: Sequence[Series], language: str) -> str:
    parts = [words.text("report.caption_speed", language)]
    if prefill and decode:
        scales = [max(row["rate"] for row in rows) for rows in (prefill, decode)]
        factor = units.significant(max(scales) / min(scales), 2)
        alike = max(scales) / min(scales) < ALIKE
        message = "report.caption_scales_alike" if alike else "report.caption_scales_differ"
        parts.append(words.text(message, language, factor=factor))
    if any(row["low"] is not None for row in (*prefill, *decode)):
        parts.append(words.text("report.caption_intervals", language))
    if {series.is_moe for series in shown} & {True, False}:
        parts.append(words.text("report.caption_kinds", language))
    return joined(parts, language)
