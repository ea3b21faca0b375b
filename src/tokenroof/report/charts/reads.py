"""Time per token against bytes per token, with the fitted line and the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenroof import units, words
from tokenroof.analysis import Analysis, DecodePoint, Series
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import amount_axis, tooltips, value_axis
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import (
    Figure,
    Said,
    color,
    data,
    figure,
    joined,
    legend_label,
    shape,
)

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]
HEIGHT = 300


def reads_figure(analysis: Analysis, language: str) -> Figure | None:
    """Milliseconds against gigabytes; None where what a token reads is not known."""
    import altair as alt

    shown = [series for series in analysis.series if _known(series)]
    if not shown:
        return None
    labels = [legend_label(series, language) for series in shown]
    rows = [
        {"series": label, "tokens": point.context_tokens, **_place(point)}
        for series, label in zip(shown, labels, strict=True)
        for point in _known(series)
    ]
    right, top = max(row["gb"] for row in rows) * 1.08, max(row["ms"] for row in rows) * 1.1
    x = amount_axis("gb:Q", right, words.text("report.axis_bytes", language))
    y = value_axis("ms:Q", top, words.text("report.axis_token_time", language))
    hover = tooltips(
        [
            ("series:N", words.text("report.model", language)),
            ("tokens:Q", words.text("report.input", language)),
            ("gb:Q", "GB"),
            ("ms:Q", "ms"),
        ]
    )
    layers = [
        *_floors(shown, x, y, (right, top), language),
        *[
            alt.Chart(data(line)).mark_line(strokeWidth=2).encode(x=x, y=y, color=color(labels))
            for line in _lines(shown, labels)
        ],
        alt.Chart(data(rows))
        .mark_point(filled=True, size=75, opacity=1)
        .encode(x=x, y=y, color=color(labels), shape=shape(labels), tooltip=hover),
    ]
    said = Said(
        language,
        _title(shown, language),
        subtitle(analysis, shown, language),
        _caption(shown, language),
    )
    return figure(
        "reads", said, alt.layer(*layers).properties(width=style.WIDE_WIDTH, height=HEIGHT)
    )


def _known(series: Series) -> list[DecodePoint]:
    return [
        point
        for point in series.decode
        if point.counted is not None and point.read_bytes is not None
    ]


def _place(point: DecodePoint) -> Row:
    assert point.counted is not None
    assert point.read_bytes is not None
    return {"gb": point.read_bytes / units.GB, "ms": point.counted.seconds_per_token * 1e3}


def _lines(shown: Sequence[Series], labels: Sequence[str]) -> list[list[Row]]:
    """The fitted lines, over the bytes that were measured and no further."""
    lines = []
    for series, label in zip(shown, labels, strict=True):
        if series.line is not None:
            measured = [point.read_bytes or 0.0 for point in _known(series)]
            zero, slope = series.line.zero_bytes_seconds, series.line.seconds_per_byte
            ends = [
                {"series": label, "gb": end / units.GB, "ms": (zero + slope * end) * 1e3}
                for end in (min(measured), max(measured))
            ]
            lines.append(ends)
    return lines


def _bandwidths(shown: Sequence[Series]) -> list[float]:
    known = {
        series.peak.bandwidth_bytes_per_second
        for series in shown
        if series.peak is not None and series.peak.bandwidth_bytes_per_second
    }
    return sorted(known)


def _floors(
    shown: Sequence[Series], x: alt.X, y: alt.Y, corner: tuple[float, float], language: str
) -> list[alt.Chart]:
    """The time that reading alone would take, as a dashed line from the origin."""
    import altair as alt

    layers = []
    for bandwidth in _bandwidths(shown):
        slope = units.GB / bandwidth * 1e3
        end = min(corner[0], corner[1] / slope)
        line = [{"gb": at, "ms": at * slope} for at in (0.0, end)]
        name = words.text("report.floor", language, bandwidth=units.bandwidth(bandwidth))
        label = [{"gb": end * 0.55, "ms": end * 0.55 * slope, "text": name}]
        dashed = alt.Chart(data(line)).mark_line(
            color=style.SOFT, strokeDash=[5, 4], strokeWidth=1.5
        )
        text = alt.Chart(data(label)).mark_text(
            align="left", baseline="top", dx=8, dy=6, color=style.SOFT
        )
        layers += [dashed.encode(x=x, y=y), text.encode(x=x, y=y, text="text:N")]
    return layers


def _title(shown: Sequence[Series], language: str) -> str:
    rates = [
        (series.line.added_bytes_per_second, legend_label(series, language))
        for series in shown
        if series.line is not None and series.line.added_bytes_per_second is not None
    ]
    if not rates:
        return words.text("report.title_reads", language)
    low, high = units.bandwidth(min(rates)[0]), units.bandwidth(max(rates)[0])
    if len(rates) == 1:
        return words.text("report.title_reads_one", language, model=rates[0][1], rate=low)
    return words.text("report.title_reads_range", language, low=low, high=high)


def _caption(shown: Sequence[Series], language: str) -> str:
    parts = [words.text("report.caption_reads", language)]
    without = []
    for series in shown:
        label = legend_label(series, language)
        if series.line is None:
            without.append(label)
        elif series.line.added_bytes_per_second is not None:
            per_gb = units.milliseconds(series.line.seconds_per_byte * units.GB)
            rate = units.bandwidth(series.line.added_bytes_per_second)
            parts.append(
                words.text("report.caption_line", language, model=label, per_gb=per_gb, rate=rate)
            )
    if without:
        parts.append(words.text("report.caption_no_line", language, models=", ".join(without)))
    if _bandwidths(shown):
        parts.append(words.text(_floor_message(shown), language))
    return joined(parts, language)


def _floor_message(shown: Sequence[Series]) -> str:
    """Whether every point lies above the floor is for the data to say."""
    shares = [point.mbu for series in shown for point in _known(series) if point.mbu is not None]
    if not shares:
        return "report.caption_floor"
    return "report.caption_floor_above" if max(shares) <= 1 else "report.caption_floor_crossed"
