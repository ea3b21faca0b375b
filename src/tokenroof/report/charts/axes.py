"""The axes that charts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenroof import words
from tokenroof.report.charts.style import log_ticks

if TYPE_CHECKING:
    import altair as alt

SHORT_COUNT = (
    "datum.value >= 1000 ? format(datum.value / 1000, '~g') + 'k' : format(datum.value, '~g')"
)

PLAIN = ",.6~r"
"""Figures as they are, without exponents."""


def length_axis(field: str, domain: tuple[float, float], language: str) -> alt.X:
    """Input tokens on a log scale."""
    import altair as alt

    return alt.X(
        field,
        scale=alt.Scale(type="log", domain=list(domain), nice=False),
        axis=alt.Axis(
            title=words.text("report.axis_input_log", language),
            values=log_ticks(*domain),
            labelExpr=SHORT_COUNT,
            labelOverlap="greedy",
            grid=False,
        ),
    )


def value_axis(field: str, top: float, title: str) -> alt.Y:
    """A figure from zero up to `top`."""
    import altair as alt

    return alt.Y(
        field,
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(title=title, tickCount=6, format=PLAIN),
    )


def amount_axis(
    field: str, right: float, title: str, *, left: float = 0.0, short: bool = False
) -> alt.X:
    """An amount from zero, or from `left`, up to `right`."""
    import altair as alt

    axis = alt.Axis(title=title, tickCount=8, format=PLAIN, grid=False)
    if short:
        axis = alt.Axis(title=title, tickCount=8, labelExpr=SHORT_COUNT, grid=False)
    return alt.X(field, scale=alt.Scale(domain=[left, right], nice=False), axis=axis)


def tooltips(fields: Sequence[tuple[str, str]]) -> list[alt.Tooltip]:
    """What a pointer shows: (field, title), figures in four digits."""
    import altair as alt

    return [
        alt.Tooltip(field, title=title, format=",.4~r")
        if field.endswith(":Q")
        else alt.Tooltip(field, title=title)
        for field, title in fields
    ]
