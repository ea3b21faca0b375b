"""Seconds to read the prompt, against its length."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof import units, words
from tokenroof.analysis import Analysis, PrefillPoint, Series
from tokenroof.report.charts import marks, style
from tokenroof.report.charts.axes import amount_axis, value_axis
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import Figure, Said, figure, joined, legend_label
from tokenroof.report.charts.marks import Row

HEIGHT = 300
STEPS = 60
STRIDE = 4.0
"""How far apart two lengths may lie for what happens between them to be worth telling."""


def reading_figure(analysis: Analysis, language: str) -> Figure | None:
    """Reading times; None where no prefill counts."""
    import altair as alt

    shown = [series for series in analysis.series if _whole_prompts(series)]
    if not shown:
        return None
    labels = [legend_label(series, language) for series in shown]
    lines = [_points(series, label) for series, label in zip(shown, labels, strict=True)]
    rows = [row for line in lines for row in line]
    drawn = [row for s, label in zip(shown, labels, strict=True) for row in _drawn(s, label)]
    right = max(row["tokens"] for row in rows) * 1.14
    # The curve as well: one that misses its points may lie above them all.
    top = max(row["seconds"] for row in (*rows, *drawn)) * 1.12
    x = amount_axis("tokens:Q", right, words.text("report.axis_input", language), short=True)
    time = words.text("report.axis_reading_time", language)
    y = value_axis("seconds:Q", top, time)
    places = style.apart([line[-1]["seconds"] for line in lines], top, HEIGHT)
    ends = [{**line[-1], "at": at} for line, at in zip(lines, places, strict=True)]
    chart = alt.layer(
        marks.line(drawn, x, y, labels),
        marks.points(rows, x, y, labels, marks.told(language, seconds="s")),
        marks.texts(ends, x, value_axis("at:Q", top, time), labels, align="left", dx=9),
    ).properties(width=style.WIDE_WIDTH, height=HEIGHT)
    said = Said(
        language,
        _title(shown, language),
        subtitle(analysis, shown, language),
        _caption(shown, language),
    )
    return figure("reading", said, chart)


def _whole_prompts(series: Series) -> list[PrefillPoint]:
    return [p for p in series.prefill if p.depth == 0 and p.seconds is not None and p.prompt_tokens]


def _points(series: Series, label: str) -> list[Row]:
    return [
        {
            "series": label,
            "tokens": point.prompt_tokens,
            "seconds": point.seconds,
            "label": units.duration(point.seconds or 0.0),
        }
        for point in _whole_prompts(series)
    ]


def _drawn(series: Series, label: str) -> list[Row]:
    """The fitted curve where there are lengths enough for one, else the points joined."""
    curve = series.curve
    if curve is None or curve.square_seconds is None:
        return _points(series, label)
    span = curve.longest_tokens - curve.shortest_tokens
    lengths = [curve.shortest_tokens + span * step / STEPS for step in range(STEPS + 1)]
    return [{"series": label, "tokens": n, "seconds": curve.seconds(n)} for n in lengths]


def _title(shown: Sequence[Series], language: str) -> str:
    slowest, label = max(
        ((p, legend_label(series, language)) for series in shown for p in _whole_prompts(series)),
        key=lambda pair: pair[0].seconds or 0.0,
    )
    return words.text(
        "report.title_reading",
        language,
        model=label,
        tokens=units.count(round(slowest.prompt_tokens or 0)),
        time=units.duration(slowest.seconds or 0.0),
    )


def _caption(shown: Sequence[Series], language: str) -> str:
    parts = [words.text("report.caption_reading", language)]
    fitted = [s for s in shown if s.curve is not None and s.curve.square_seconds is not None]
    joined_up = [s for s in shown if s not in fitted and len(_whole_prompts(s)) > 1]
    if fitted:
        parts.append(words.text("report.caption_curve", language))
    if joined_up:
        parts.append(words.text("report.caption_joined", language))
    parts += [text for series in shown if (text := _growth(series, language))]
    return joined(parts, language)


def _growth(series: Series, language: str) -> str | None:
    """What the last stretch did to the time."""
    points = _whole_prompts(series)
    if len(points) < 2:
        return None
    first, last = points[-2], points[-1]
    before, after = first.prompt_tokens or 0.0, last.prompt_tokens or 0.0
    if not 1 < after / before <= STRIDE or not first.seconds or not last.seconds:
        return None
    return words.text(
        "report.caption_growth",
        language,
        model=legend_label(series, language),
        tokens=units.significant(after / before, 2),
        time=units.significant(last.seconds / first.seconds, 2),
        low=units.count(round(before)),
        high=units.count(round(after)),
    )
