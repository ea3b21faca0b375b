"""What a calibration learnt, in three charts: the rate of each stored type against the measured
bandwidth, how far the fit is from every measurement, and what takes a token's time."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from tokenroof import units, words
from tokenroof.predict.learnt.profile import Measured, Profile
from tokenroof.predict.learnt.profile_types import told_types
from tokenroof.predict.learnt.work import BYTES_OF, by_part
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import tooltips
from tokenroof.report.charts.figure import Figure, Said, data, figure
from tokenroof.safetext import printable

ROW_HEIGHT = 18
POINTS_ROW_HEIGHT = 13
HEADROOM = 1.22
"""Of an axis, for the figures that stand at the ends of its bars."""


_PHASES = {"decode": "calibrate.phase_decode", "prefill": "calibrate.phase_prefill"}
_PARTS = {
    "weights": "calibrate.part_weights",
    "cache": "calibrate.part_cache",
    "overhead": "calibrate.part_overhead",
}


def profile_figures(profile: Profile, language: str) -> list[Figure]:
    """Those charts of a profile that it has figures for."""
    makers = (_rates, _residuals, _parts)
    return [made for made in (make(profile, language) for make in makers) if made is not None]


def _rates(profile: Profile, language: str) -> Figure | None:
    import altair as alt

    learnt = {} if profile.decode is None else profile.decode.seconds
    read = profile.bandwidth_bytes_per_second
    rows: list[dict[str, Any]] = []
    for name in told_types(profile):
        seconds = learnt[BYTES_OF + name]
        text = units.bandwidth(1 / seconds)
        if read is not None:
            text += f" · {units.percent(1 / seconds / read)}"
        rows.append(
            {
                "type": name,
                "rate": 1 / seconds / units.GB,
                "text": text,
                "of": "",
            }
        )
    if not rows:
        return None
    rows.sort(key=lambda row: row["rate"], reverse=True)
    top = max(row["rate"] for row in rows)
    right = max(top * HEADROOM, 0.0 if read is None else read / units.GB * 1.04)
    y = alt.Y("type:N", sort=[row["type"] for row in rows], axis=_names_axis())
    x = alt.X(
        "rate:Q",
        scale=alt.Scale(domain=[0, right], nice=False),
        axis=alt.Axis(title=words.text("calibrate.axis_rate", language), tickCount=6),
    )
    layers: list[alt.Chart] = [
        alt.Chart(data(rows))
        .mark_bar(height=ROW_HEIGHT * 0.6)
        .encode(x=x, y=y, color=alt.Color("of:N", legend=None)),
        alt.Chart(data(rows))
        .mark_text(align="left", dx=6, color=style.INK)
        .encode(x=x, y=y, text="text:N"),
    ]
    if read is not None:
        limit = [{"rate": read / units.GB}]
        rule = alt.Chart(data(limit)).mark_rule(strokeWidth=1.6, color=style.MARKED)
        layers.append(rule.encode(x=x))
    best = rows[0]
    message = "calibrate.chart_rates" if read is not None else "calibrate.chart_rates_alone"
    title = words.text(message, language, type=best["type"], rate=best["text"])
    limit_text = "-" if read is None else units.bandwidth(read)
    message = "calibrate.chart_rates_about" if read is not None else "calibrate.chart_about"
    about = words.text(message, language, of=_of(profile), bandwidth=limit_text)
    chart = alt.layer(*layers).properties(width=style.WIDE_WIDTH, height=ROW_HEIGHT * len(rows))
    return figure("profile_rates", Said(language, title, about, ""), chart)


def _residuals(profile: Profile, language: str) -> Figure | None:
    import altair as alt

    rows: list[dict[str, Any]] = []
    for each in profile.measured:
        for phase, fitted, seconds in (
            ("decode", each.decode_fitted, each.decode_seconds),
            ("prefill", each.prefill_fitted, each.prefill_seconds),
        ):
            if fitted:
                rows.append(
                    {
                        "model": _label(each, language),
                        "phase": words.text(_PHASES[phase], language),
                        "ratio": fitted / seconds,
                        "seconds": seconds,
                    }
                )
    if not rows:
        return None
    labels = list(dict.fromkeys(row["model"] for row in rows))
    far = max(max(row["ratio"], 1 / row["ratio"]) for row in rows)
    far = max(far * 1.03, 1.2)
    ticks = [each for each in (0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 5, 10) if
             1 / far <= each <= far]  # fmt: skip
    x = alt.X(
        "ratio:Q",
        scale=alt.Scale(type="log", domain=[1 / far, far], nice=False),
        axis=alt.Axis(title=words.text("calibrate.axis_ratio", language), values=ticks),
    )
    y = alt.Y("model:N", sort=labels, axis=_names_axis(grid=True))
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    scale = alt.Scale(domain=phases)
    legend = alt.Legend(title=None, orient="bottom")
    one = alt.Chart(data([{"ratio": 1.0}])).mark_rule(strokeWidth=1.4, color=style.SOFT)
    points = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=46, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=alt.Color("phase:N", scale=scale, legend=legend),
            shape=alt.Shape(
                "phase:N",
                scale=alt.Scale(domain=phases, range=list(style.SHAPES[: len(phases)])),
                legend=legend,
            ),
            tooltip=tooltips(
                [
                    ("model:N", words.text("calibrate.heading_model", language)),
                    ("phase:N", ""),
                    ("ratio:Q", words.text("calibrate.axis_ratio", language)),
                    ("seconds:Q", words.text("waiting.axis_seconds", language)),
                ]
            ),
        )
    )
    errors = [abs(row["ratio"] - 1) for row in rows]
    title = words.text(
        "calibrate.chart_residuals",
        language,
        median=units.percent(statistics.median(errors)),
        worst=units.percent(max(errors)),
    )
    chart = alt.layer(one.encode(x=x), points)
    sized = chart.properties(width=style.WIDE_WIDTH, height=POINTS_ROW_HEIGHT * len(labels))
    about = words.text("calibrate.chart_rows_about", language, of=_of(profile))
    return figure("profile_residuals", Said(language, title, about, ""), sized)


def _parts(profile: Profile, language: str) -> Figure | None:
    import altair as alt

    longest = {each.shape: each for each in profile.measured if each.decode_parts}
    rows: list[dict[str, Any]] = []
    shares: list[float] = []
    for each in longest.values():
        parts = by_part(each.decode_parts)
        whole = sum(parts.values())
        shares.append(parts["weights"] / whole)
        begin = 0.0
        for part, message in _PARTS.items():
            share = parts[part] / whole
            name = words.text(message, language)
            span = {"begin": 100 * begin, "end": 100 * (begin + share), "share": 100 * share}
            rows.append({"model": _label(each, language), "part": name, **span})
            begin += share
    if not rows:
        return None
    names = [words.text(_PARTS[part], language) for part in _PARTS]
    labels = list(dict.fromkeys(row["model"] for row in rows))
    chart = (
        alt.Chart(data(rows))
        .mark_bar(height=POINTS_ROW_HEIGHT * 0.7)
        .encode(
            x=alt.X(
                "begin:Q",
                scale=alt.Scale(domain=[0, 100], nice=False),
                axis=alt.Axis(title=words.text("calibrate.axis_parts", language), tickCount=6),
            ),
            x2="end:Q",
            y=alt.Y("model:N", sort=labels, axis=_names_axis()),
            color=alt.Color(
                "part:N",
                sort=names,
                scale=alt.Scale(domain=names),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            tooltip=tooltips(
                [
                    ("model:N", words.text("calibrate.heading_model", language)),
                    ("part:N", ""),
                    ("share:Q", words.text("calibrate.axis_parts", language)),
                ]
            ),
        )
    )
    title = words.text(
        "calibrate.chart_parts",
        language,
        least=units.percent(min(shares)),
        most=units.percent(max(shares)),
    )
    about = words.text("calibrate.chart_rows_about", language, of=_of(profile))
    sized = alt.layer(chart).properties(
        width=style.WIDE_WIDTH, height=POINTS_ROW_HEIGHT * len(labels)
    )
    return figure("profile_parts", Said(language, title, about, ""), sized)


def _names_axis(*, grid: bool = False) -> Any:
    import altair as alt

    return alt.Axis(title=None, labelLimit=260, ticks=False, domain=False, grid=grid)


def _label(measured: Measured, language: str) -> str:
    return words.text(
        "calibrate.chart_model",
        language,
        model=printable(measured.shape, 40),
        depth=units.count(round(measured.depth)),
    )


def _of(profile: Profile) -> str:
    names: Sequence[object] = (
        profile.machine.get("cpu_name") or "CPU",
        profile.engine.get("name") or "",
        profile.engine.get("version") or "",
        profile.created[:10],
    )
    return " · ".join(printable(str(each), 60) for each in names if each)
