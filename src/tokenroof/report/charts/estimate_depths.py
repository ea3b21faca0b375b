"""The ceiling of decoding against the depth: one line for each model on each device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenroof import units, words
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import PLAIN, SHORT_COUNT, tooltips, value_axis
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 330
LABEL_ROOM = 0.28
"""What part of the axis is left free, on the right, for the names of the lines."""
MOST_NAMED = 20
"""More lines than that have no room for their names beside them."""

WIDE_RANGE = 8.0
"""From so many times the least speed on a linear axis has no room for the slow ones."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One model on one device.

    Attributes:
        label: what it is called.
        model, device: what its colour and its dashes stand for.
        depths: tokens in the context.
        ceilings: tokens per second at each.
        asked: the depths that were asked about.
        measured: (depth, tokens per second) that somebody measured.
    """

    label: str
    model: str
    device: str
    depths: Sequence[int]
    ceilings: Sequence[float]
    asked: Sequence[int] = ()
    measured: Sequence[tuple[int, float]] = ()


def depths_figure(curves: Sequence[Curve], language: str) -> Figure | None:
    """All lines; None where no ceiling is known, or at one depth only."""
    import altair as alt

    shown = [curve for curve in curves if len(curve.depths) > 1 and min(curve.ceilings) > 0]
    if not shown:
        return None
    deepest = max(curve.depths[-1] for curve in shown)
    rows = [_row(curve, n) for curve in shown for n in range(len(curve.depths))]
    measured = [
        {**_named(curve), "tokens": depth, "rate": rate}
        for curve in shown
        for depth, rate in curve.measured
    ]
    rates = [row["rate"] for row in (*rows, *measured)]
    axes = _Axes(deepest, rates, language)
    color, dash = _told_apart(shown)
    hover = tooltips(
        [
            ("model:N", words.text("report.model", language)),
            ("device:N", words.text("cli.column_device", language)),
            ("tokens:Q", words.text("lists.axis_depth", language)),
            ("rate:Q", words.text("report.axis_decode_rate", language)),
        ]
    )
    x, y = axes.x, axes.y("rate:Q")
    layers = [
        alt.Chart(data(rows))
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=color, strokeDash=dash, detail="series:N", tooltip=hover),
        alt.Chart(data([row for row in rows if row["asked"]]))
        .mark_point(filled=True, size=45, opacity=1)
        .encode(x=x, y=y, color=color, tooltip=hover),
    ]
    if measured:
        layers.append(
            alt.Chart(data(measured))
            .mark_point(shape="diamond", size=80, strokeWidth=1.8, filled=False)
            .encode(x=x, y=y, color=color, tooltip=hover)
        )
    if len(shown) <= MOST_NAMED:
        layers.append(
            alt.Chart(data(_ends(shown, axes)))
            .mark_text(align="left", dx=7, fontSize=11)
            .encode(x=x, y=axes.y("at:Q"), text="label:N", color=color)
        )
    chart = alt.layer(*layers).properties(width=style.WIDE_WIDTH, height=HEIGHT)
    notes = [words.text("lists.caption_depths", language)]
    if measured:
        notes.append(words.text("lists.caption_measured", language))
    said = Said(language, _title(shown, language), joined(notes, language), "")
    return figure("estimate-depths", said, chart)


def _named(curve: Curve) -> dict[str, Any]:
    return {"series": curve.label, "model": curve.model, "device": curve.device}


def _row(curve: Curve, n: int) -> dict[str, Any]:
    depth = curve.depths[n]
    return {
        **_named(curve),
        "tokens": depth,
        "rate": curve.ceilings[n],
        "asked": depth in curve.asked,
    }


class _Axes:
    """The depth to the right and the speed upwards, which is logarithmic over a wide range."""

    def __init__(self, deepest: int, rates: Sequence[float], language: str) -> None:
        import altair as alt

        self.x = alt.X(
            "tokens:Q",
            scale=alt.Scale(domain=[0, deepest * (1 + LABEL_ROOM)], nice=False),
            axis=alt.Axis(
                title=words.text("lists.axis_depth", language),
                values=_ticks(deepest),
                labelExpr=SHORT_COUNT,
                grid=False,
            ),
        )
        self.is_log = max(rates) / min(rates) > WIDE_RANGE
        self._title = words.text(
            "lists.axis_rate_log" if self.is_log else "report.axis_decode_rate", language
        )
        self.low = min(rates) / 1.35 if self.is_log else 0.0
        self.high = max(rates) * (1.15 if self.is_log else 1.08)

    def y(self, field: str) -> alt.Y:
        """The speed."""
        import altair as alt

        if not self.is_log:
            return value_axis(field, self.high, self._title)
        domain = (self.low, self.high)
        return alt.Y(
            field,
            scale=alt.Scale(type="log", domain=list(domain), nice=False),
            axis=alt.Axis(title=self._title, values=style.log_ticks(*domain), format=PLAIN),
        )

    def apart(self, values: Sequence[float]) -> list[float]:
        """Where names of lines that end there stand: none over another or below the axis."""
        if self.is_log:
            places = style.above(
                [math.log(value) for value in values],
                math.log(self.low),
                math.log(self.high / self.low),
                HEIGHT,
            )
            return [math.exp(place) for place in places]
        return style.above(values, 0.0, self.high, HEIGHT)


def _told_apart(shown: Sequence[Curve]) -> tuple[alt.Color, alt.StrokeDash]:
    """Models by colour and devices by dashes; what is one alone leaves its means to the other.

    Lines without names beside them have their legends below.
    """
    import altair as alt

    legend = None
    if len(shown) > MOST_NAMED:
        legend = alt.Legend(title=None, orient="bottom", columns=3)

    models = list(dict.fromkeys(curve.model for curve in shown))
    devices = list(dict.fromkeys(curve.device for curve in shown))
    field, names = ("model", models) if len(models) > 1 else ("device", devices)
    color = alt.Color(f"{field}:N", scale=alt.Scale(domain=names), legend=legend)
    many = devices if len(models) > 1 and len(devices) > 1 else devices[:1]
    dashes = [DASHES[n % len(DASHES)] for n in range(len(many))]
    kind = "device:N" if len(many) > 1 else "none:N"
    domain = many if len(many) > 1 else [""]
    of_dashes = legend if len(many) > 1 else None
    scale = alt.Scale(domain=domain, range=dashes)
    return color, alt.StrokeDash(kind, scale=scale, legend=of_dashes)


DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2])


def _ends(shown: Sequence[Curve], axes: _Axes) -> list[dict[str, Any]]:
    """Each line's name at its end, with its ceiling there."""
    places = axes.apart([curve.ceilings[-1] for curve in shown])
    return [
        {
            **_named(curve),
            "tokens": curve.depths[-1],
            "at": at,
            "label": f"{curve.label}: {units.significant(curve.ceilings[-1])}",
        }
        for curve, at in zip(shown, places, strict=True)
    ]


def _ticks(deepest: int) -> list[int]:
    """At most five round depths behind the first."""
    step = next(
        size * 10**power
        for power in range(10)
        for size in (1, 2, 5)
        if deepest / (size * 10**power) <= 5
    )
    return list(range(0, deepest + 1, step))


def _title(shown: Sequence[Curve], language: str) -> str:
    shares = [curve.ceilings[-1] / curve.ceilings[0] for curve in shown]
    low, high = units.percent(min(shares)), units.percent(max(shares))
    depth = units.count(shown[0].depths[-1])
    if low == high:
        return words.text("lists.title_depths_one", language, share=low, depth=depth)
    return words.text("lists.title_depths", language, low=low, high=high, depth=depth)
