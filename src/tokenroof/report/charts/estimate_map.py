"""The map of devices and models: bandwidth against bytes, on which every speed is a diagonal.

Both axes are logarithmic, so bandwidth / bytes = speed is a straight line with a slope of one.
A device is a line across, a model a line upwards, and where they cross stands the ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenroof import units, words
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import PLAIN, tooltips
from tokenroof.report.charts.estimate_plane import HEIGHT, WIDTH, Crossing, Plane, diagonals
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined

if TYPE_CHECKING:
    import altair as alt

MOST_LABELLED = 40
"""Of more crossings the figures are left out: they would cover one another."""


def map_figure(crossings: Sequence[Crossing], depth: int, language: str) -> Figure | None:
    """The map; None where nothing crosses."""
    import altair as alt

    if not crossings:
        return None
    across = _domain([each.read_bytes / units.GB for each in crossings], 2.0)
    upwards = _domain([each.bandwidth / units.GB for each in crossings], 2.0)
    x = _axis("read:Q", across, words.text("lists.axis_read", language), alt.X)
    y = _axis("bandwidth:Q", upwards, words.text("lists.axis_bandwidth", language), alt.Y)
    layers = [
        *diagonals(Plane(across, upwards), crossings, x, y),
        *_devices(crossings, across, upwards, x, y),
        *_models(crossings, across, upwards, x, y),
        *_points(crossings, upwards, x, y, language),
    ]
    chart = alt.layer(*layers, usermeta={"room": _ROOM}).properties(width=WIDTH, height=HEIGHT)
    notes = [words.text("lists.caption_map", language, depth=units.count(depth))]
    if any(each.fits is False for each in crossings):
        notes.append(words.text("lists.caption_hollow", language))
    said = Said(language, _title(crossings, language), joined(notes, language), "")
    return figure("estimate-map", said, chart)


_ROOM = 170


def _domain(values: Sequence[float], least: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.16, least)
    return low / margin, high * margin


def _axis(field: str, domain: tuple[float, float], title: str, channel: Any) -> Any:
    import altair as alt

    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(
        title=title, values=_ticks(*domain), format=PLAIN, grid=False, labelOverlap="greedy"
    )
    return channel(field, scale=scale, axis=axis)


def _ticks(low: float, high: float) -> list[float]:
    """Round figures; of a short range every first digit."""
    ticks = style.log_ticks(low, high)
    if len(ticks) > 3:
        return ticks
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [round(step * 10.0**power, 6) for power in powers for step in range(1, 10)]
    return [tick for tick in every if low <= tick <= high]


def _devices(
    crossings: Sequence[Crossing],
    across: tuple[float, float],
    upwards: tuple[float, float],
    x: alt.X,
    y: alt.Y,
) -> list[alt.Chart]:
    """A line across for each device, its name on the right.

    A model that lies in several memories stands below the line: its token takes longer.
    """
    import altair as alt

    found: dict[str, float] = {}
    for each in crossings:
        found[each.device] = max(found.get(each.device, 0.0), each.bandwidth / units.GB)
    places = style.apart(
        [math.log(value) for value in found.values()],
        math.log(upwards[1] / upwards[0]),
        HEIGHT,
    )
    rows = [
        {"device": name, "read": edge, "bandwidth": value}
        for name, value in found.items()
        for edge in across
    ]
    names = [
        {"read": across[1], "bandwidth": math.exp(at), "label": name}
        for name, at in zip(found, places, strict=True)
    ]
    return [
        alt.Chart(data(rows))
        .mark_line(color=style.SOFT, strokeWidth=1, strokeDash=[2, 3])
        .encode(x=x, y=y, detail="device:N"),
        alt.Chart(data(names))
        .mark_text(align="left", baseline="middle", dx=8, fontSize=11, color=style.INK)
        .encode(x=x, y=y, text="label:N"),
    ]


_SLANT = 35
"""Degrees by which the names of several models rise, so that more of them fit."""


def _models(
    crossings: Sequence[Crossing],
    across: tuple[float, float],
    upwards: tuple[float, float],
    x: alt.X,
    y: alt.Y,
) -> list[alt.Chart]:
    """A line upwards for each model, its name above."""
    import altair as alt

    found = {each.model: each.read_bytes / units.GB for each in crossings}
    labels = list(found)
    places = style.apart(
        [math.log(value) for value in found.values()],
        math.log(across[1] / across[0]),
        WIDTH * math.sin(math.radians(_SLANT)),
    )
    rows = [
        {"model": name, "read": value, "bandwidth": edge}
        for name, value in found.items()
        for edge in upwards
    ]
    names = [
        {"model": name, "read": math.exp(at), "bandwidth": upwards[1], "label": name}
        for name, at in zip(found, places, strict=True)
    ]
    color = alt.Color("model:N", scale=alt.Scale(domain=labels), legend=None)
    slanted: dict[str, Any] = (
        {"angle": 325, "align": "left", "dx": 4} if len(found) > 1 else {"align": "center"}
    )
    return [
        alt.Chart(data(rows)).mark_line(strokeWidth=1.2).encode(x=x, y=y, color=color),
        alt.Chart(data(names))
        .mark_text(baseline="bottom", dy=-5, fontSize=11, **slanted)
        .encode(x=x, y=y, text="label:N", color=color),
    ]


def _points(
    crossings: Sequence[Crossing], upwards: tuple[float, float], x: alt.X, y: alt.Y, language: str
) -> list[alt.Chart]:
    """The ceilings; hollow where the model does not fit."""
    import altair as alt

    at = _axis("at:Q", upwards, words.text("lists.axis_bandwidth", language), alt.Y)

    labels = list(dict.fromkeys(each.model for each in crossings))
    color = alt.Color("model:N", scale=alt.Scale(domain=labels), legend=None)
    rows = [
        {
            "model": each.model,
            "device": each.device,
            "read": each.read_bytes / units.GB,
            "bandwidth": each.bandwidth / units.GB,
            "rate": each.rate,
            "label": units.significant(each.rate),
            "fits": each.fits is not False,
        }
        for each in crossings
    ]
    hover = tooltips(
        [
            ("model:N", words.text("report.model", language)),
            ("device:N", words.text("cli.column_device", language)),
            ("rate:Q", words.text("report.axis_decode_rate", language)),
            ("read:Q", words.text("lists.axis_read", language)),
            ("bandwidth:Q", words.text("lists.axis_bandwidth", language)),
        ]
    )
    drawn = []
    for fits in (True, False):
        some = [row for row in rows if row["fits"] is fits]
        if some:
            hollow: dict[str, Any] = {} if fits else {"fill": "white", "strokeWidth": 1.8}
            marks = alt.Chart(data(some)).mark_point(size=75, opacity=1, filled=fits, **hollow)
            drawn.append(marks.encode(x=x, y=y, color=color, tooltip=hover))
    if len(rows) <= MOST_LABELLED:
        drawn.append(
            alt.Chart(data(_figures(rows, upwards)))
            .mark_text(align="left", baseline="middle", dx=8, fontSize=11, fontWeight="bold")
            .encode(x=x, y=at, text="label:N", color=color)
        )
    return drawn


def _figures(rows: Sequence[dict[str, Any]], upwards: tuple[float, float]) -> list[dict[str, Any]]:
    """The rows with the places of their figures: of one model none over another."""
    placed = []
    pixel = math.log(upwards[1] / upwards[0]) / HEIGHT
    for model in dict.fromkeys(row["model"] for row in rows):
        some = [row for row in rows if row["model"] == model]
        points = [math.log(row["bandwidth"]) for row in some]
        beside = [
            point + pixel * (_ASIDE if _has_below(point, points, pixel) else -_ASIDE)
            for point in points
        ]
        heights = style.apart(beside, pixel * HEIGHT, HEIGHT)
        placed += [{**row, "at": math.exp(h)} for row, h in zip(some, heights, strict=True)]
    return placed


_ASIDE = 9.0
"""Pixels from a point to the middle of its figure: below it, or above where that is taken."""


def _has_below(point: float, points: Sequence[float], pixel: float) -> bool:
    return any(0 < point - other < pixel * _ASIDE * 2.5 for other in points)


def _title(crossings: Sequence[Crossing], language: str) -> str:
    slowest = min(crossings, key=lambda each: each.rate)
    fastest = max(crossings, key=lambda each: each.rate)
    if len(crossings) == 1:
        values = {"model": fastest.model, "device": fastest.device}
        return words.text("lists.title_map_one", language, rate=units.rate(fastest.rate), **values)
    return words.text(
        "lists.title_map",
        language,
        low=units.significant(slowest.rate),
        high=units.rate(fastest.rate),
    )
