"""Measured decode against the ceiling, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenroof import units, words
from tokenroof.analysis import Analysis, DecodePoint, Series
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import amount_axis, tooltips
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined, legend_label

if TYPE_CHECKING:
    import altair as alt


BESIDE = 190
"""Room for the texts beside the bars, which a narrow page must leave."""

NAME_ABOVE = 24
"""Pixels from the middle of a bar to the middle of its name."""


def ceiling_figure(analysis: Analysis, language: str) -> Figure | None:
    """The shortest input of each series; None where no decode counts."""
    import altair as alt

    chosen = [(series, point) for series in analysis.series if (point := _shortest(series))]
    if not chosen:
        return None
    labels = [legend_label(series, language) for series, _ in chosen]
    rows = [_row(label, point, language) for label, (_, point) in zip(labels, chosen, strict=True)]
    top = max(max(row["rate"], row["ceiling"] or 0) for row in rows)
    title = words.text("report.axis_decode_rate", language)
    y = alt.Y(
        "series:N",
        sort=labels,
        axis=None,
        scale=alt.Scale(paddingOuter=0.05),
    )
    base = alt.Chart(data(rows)).encode(y=y)
    hover = tooltips(
        [
            ("series:N", words.text("report.model", language)),
            ("text:N", words.text("report.measured", language)),
        ]
    )
    bars = base.mark_bar(height=16).encode(
        x=amount_axis("rate:Q", top, title),
        color=_color(analysis, language),
        tooltip=hover,
    )
    texts = base.mark_text(align="left", dx=8, fontSize=12, color=style.INK).encode(
        x=amount_axis("end:Q", top, title), text="text:N"
    )
    names = base.mark_text(
        align="left", baseline="middle", dy=-NAME_ABOVE, fontSize=12, color=style.INK
    ).encode(x=alt.value(0), text="series:N")
    layers = [bars, texts, names]
    if any(row["ceiling"] for row in rows):
        ceiling = base.mark_bar(height=28, color=style.GRID, stroke=style.SOFT, strokeWidth=1)
        layers.insert(0, ceiling.encode(x=amount_axis("ceiling:Q", top, title)))
    chart = alt.layer(*layers, usermeta={"room": BESIDE}).properties(
        width=style.WIDE_WIDTH - 160, height=alt.Step(58)
    )
    said = Said(
        language,
        _title([point for _, point in chosen], language),
        subtitle(analysis, [series for series, _ in chosen], language),
        _caption(chosen, language),
    )
    return figure("ceiling", said, chart)


def _color(analysis: Analysis, language: str) -> alt.Color:
    """The colours of the other charts; the names stand above the bars already."""
    import altair as alt

    labels = [legend_label(series, language) for series in analysis.series]
    return alt.Color("series:N", scale=alt.Scale(domain=labels), legend=None)


def _shortest(series: Series) -> DecodePoint | None:
    return next((point for point in series.decode if point.counted is not None), None)


def _row(label: str, point: DecodePoint, language: str) -> dict[str, Any]:
    assert point.counted is not None
    rate, ceiling = point.counted.tokens_per_second, point.ceiling_tokens_per_second
    if ceiling is None or point.mbu is None:
        text = words.text("report.bar_unknown", language, rate=units.rate(rate))
    else:
        values = {"rate": units.significant(rate), "ceiling": units.rate(ceiling)}
        text = words.text("report.bar", language, share=units.percent(point.mbu), **values)
    return {
        "series": label,
        "rate": rate,
        "ceiling": ceiling,
        "end": max(rate, ceiling or 0.0),
        "text": text,
    }


def _title(points: Sequence[DecodePoint], language: str) -> str:
    shares = [point.mbu for point in points if point.mbu is not None]
    if not shares:
        return words.text("report.title_ceiling_unknown", language)
    low, high = units.percent(min(shares)), units.percent(max(shares))
    if low == high:
        return words.text("report.title_ceiling_one", language, share=low)
    return words.text("report.title_ceiling", language, low=low, high=high)


def _caption(chosen: Sequence[tuple[Series, DecodePoint]], language: str) -> str:
    depths = [point.mean_depth for _, point in chosen if point.mean_depth is not None]
    parts = []
    if depths:
        low, high = units.count(round(min(depths))), units.count(round(max(depths)))
        span = low if low == high else f"{low}–{high}"
        parts.append(words.text("report.caption_ceiling", language, depth=span))
    bandwidths = {
        units.bandwidth(series.peak.bandwidth_bytes_per_second)
        for series, point in chosen
        if point.mbu is not None and series.peak and series.peak.bandwidth_bytes_per_second
    }
    if bandwidths:
        listed = ", ".join(sorted(bandwidths))
        parts.append(words.text("report.caption_ceiling_from", language, bandwidth=listed))
    if any(point.mbu is None for _, point in chosen):
        parts.append(words.text("report.caption_ceiling_unknown", language))
    return joined(parts, language)
