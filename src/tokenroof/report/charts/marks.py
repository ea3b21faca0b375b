"""What the charts of several series share: points, lines, texts, and what a pointer shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenroof import words
from tokenroof.report.charts.axes import tooltips
from tokenroof.report.charts.figure import color, data, shape

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]


def points(
    rows: Sequence[Row], x: alt.X, y: alt.Y, labels: Sequence[str], told: Mapping[str, str]
) -> alt.Chart:
    """The figures themselves, by colour and shape, with what a pointer shows of them.

    Args:
        rows: with `series`, `tokens` and the fields of the axes.
        x: the axis to the right.
        y: the axis upwards.
        labels: all series of the chart.
        told: field to title, beside the series and its input tokens.
    """
    import altair as alt

    drawn: alt.Chart = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=75, opacity=1)
        .encode(
            x=x, y=y, color=color(labels), shape=shape(labels), tooltip=tooltips([*told.items()])
        )
    )
    return drawn


def told(language: str, **further: str) -> dict[str, str]:
    """What a pointer shows of every point: series, input tokens, and further fields."""
    return {
        "series:N": words.text("report.model", language),
        "tokens:Q": words.text("report.input", language),
        **{f"{field}:Q": title for field, title in further.items()},
    }


def line(rows: Sequence[Row], x: alt.X, y: alt.Y, labels: Sequence[str]) -> alt.Chart:
    """A line through the rows of each series."""
    import altair as alt

    drawn: alt.Chart = alt.Chart(data(rows)).mark_line(strokeWidth=2)
    return drawn.encode(x=x, y=y, color=color(labels))


def texts(rows: Sequence[Row], x: alt.X, y: alt.Y, labels: Sequence[str], **how: Any) -> alt.Chart:
    """The field `label` of each row, in the colour of its series."""
    import altair as alt

    placed: alt.Chart = alt.Chart(data(rows)).mark_text(**{"baseline": "middle", **how})
    return placed.encode(x=x, y=y, text="label:N", color=color(labels, legend=False))
