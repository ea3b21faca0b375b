"""Time per token against bytes per token, with the fitted line and the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tokenroof import units, words
from tokenroof.analysis import Analysis, DecodePoint, Series
from tokenroof.analysis.line import NO_LINE
from tokenroof.report.charts import marks, style
from tokenroof.report.charts.axes import amount_axis, value_axis
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined, legend_label
from tokenroof.report.charts.marks import Row

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 300
LABEL_ROOM = 26
"""Pixels that a label under the floor needs."""

NARROW = 1.5
"""Bytes that differ by less than this would stand on one spot of an axis from zero."""

SHORTENED = 1000


def reads_figure(analysis: Analysis, language: str) -> Figure | None:
    """Milliseconds against gigabytes; None where what a token reads is not known."""
    import altair as alt

    shown = [series for series in analysis.series if _known(series)]
    if not shown:
        return None
    labels = [legend_label(series, language) for series in shown]
    rows = [
        {
            "series": label,
            "tokens": point.context_tokens,
            "label": _short(point.context_tokens),
            **_place(point),
        }
        for series, label in zip(shown, labels, strict=True)
        for point in _known(series)
    ]
    frame = _frame(rows)
    x = amount_axis("gb:Q", frame.right, words.text("report.axis_bytes", language), left=frame.left)
    y = value_axis("ms:Q", frame.top, words.text("report.axis_token_time", language))
    layers = [
        *_floors(shown, x, y, frame, language),
        *[marks.line(each, x, y, labels) for each in _lines(shown, labels)],
        marks.points(rows, x, y, labels, marks.told(language, gb="GB", ms="ms")),
        marks.texts(rows, x, y, labels, align="right", dx=-7, dy=-9),
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


def _short(tokens: float | None) -> str:
    """A length beside its point: ``515``, ``8.2k``."""
    if tokens is None:
        return ""
    return f"{tokens / 1e3:.3g}k" if tokens >= SHORTENED else units.count(round(tokens))


class Frame(NamedTuple):
    """The part of the plane that is drawn, in GB and ms."""

    left: float
    right: float
    top: float


def _frame(rows: Sequence[Row]) -> Frame:
    """From zero on; but points that would stand on one spot there get the whole width."""
    least, most = min(row["gb"] for row in rows), max(row["gb"] for row in rows)
    top = max(row["ms"] for row in rows) * 1.16
    if most < least * NARROW and most > least:
        margin = (most - least) * 0.12
        return Frame(least - margin, most + margin, top)
    return Frame(0.0, most * 1.08, top)


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
    shown: Sequence[Series], x: alt.X, y: alt.Y, frame: Frame, language: str
) -> list[alt.Chart]:
    """The time that reading alone would take, as a dashed line that comes from the origin."""
    import altair as alt

    layers = []
    for bandwidth in _bandwidths(shown):
        slope = units.GB / bandwidth * 1e3
        end = min(frame.right, frame.top / slope)
        line = [{"gb": at, "ms": at * slope} for at in (frame.left, end)]
        at = frame.left + (end - frame.left) * 0.55
        name = words.text("report.floor", language, bandwidth=units.bandwidth(bandwidth))
        label = [{"gb": at, "ms": at * slope, "text": name}]
        dashed = alt.Chart(data(line)).mark_line(
            color=style.SOFT, strokeDash=[5, 4], strokeWidth=1.5
        )
        # Under the line, where there is room between it and the axis.
        under = at * slope / frame.top * HEIGHT > LABEL_ROOM
        text = alt.Chart(data(label)).mark_text(
            align="left",
            baseline="top" if under else "bottom",
            dx=8 if under else 0,
            dy=6 if under else -5,
            color=style.SOFT,
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
    if _frame([_place(point) for series in shown for point in _known(series)]).left:
        parts.append(words.text("report.caption_not_from_zero", language))
    for series in shown:
        if series.line is not None and series.line.added_bytes_per_second is not None:
            per_gb = units.milliseconds(series.line.seconds_per_byte * units.GB)
            rate = units.bandwidth(series.line.added_bytes_per_second)
            label = legend_label(series, language)
            parts.append(
                words.text("report.caption_line", language, model=label, per_gb=per_gb, rate=rate)
            )
    parts += _without_line(shown, language)
    if _bandwidths(shown):
        parts.append(words.text(_floor_message(shown), language))
    return joined(parts, language)


def _without_line(shown: Sequence[Series], language: str) -> list[str]:
    """Why a series has no line; of those with the same reason, all in one sentence."""
    reasons: dict[str, list[str]] = {}
    for series in shown:
        for notice in series.notices:
            if notice.message in NO_LINE:
                reason = notice.text(language)
                reasons.setdefault(reason, []).append(legend_label(series, language))
    if len(shown) == 1:
        return list(reasons)
    return [f"{', '.join(models)}: {reason}" for reason, models in reasons.items()]


def _floor_message(shown: Sequence[Series]) -> str:
    """Whether every point lies above the floor is for the data to say."""
    shares = [point.mbu for series in shown for point in _known(series) if point.mbu is not None]
    if not shares:
        return "report.caption_floor"
    return "report.caption_floor_above" if max(shares) <= 1 else "report.caption_floor_crossed"
