"""A wait as bars: its parts one after the other, and the span that the whole may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenroof import units, words
from tokenroof.predict.records import Row, Turn, Wait
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import amount_axis, tooltips
from tokenroof.report.charts.figure import Figure, Said, data, figure
from tokenroof.safetext import printable

BAR_HEIGHT = 26
MOST_TURNS = 40

_PARTS = {
    "load": "waiting.part_load",
    "prefill": "waiting.part_prefill",
    "thinking": "waiting.part_thinking",
    "answer": "waiting.part_answer",
}
"""In the order of time, which is that of the colours."""


def wait_figure(rows: Sequence[Row], language: str) -> Figure | None:
    """One bar for each device, or for each turn of a conversation; None where no wait is known."""
    import altair as alt

    known = [(row, row.wait) for row in rows if row.wait is not None]
    if not known:
        return None
    bars = _bars(known, language)
    labels = [label for label, _ in bars]
    parts = [row for label, each in bars for row in _part_rows(label, each, language)]
    spans = [
        {
            "bar": label,
            "low": each.low,
            "high": each.high,
            "total": each.total_seconds,
            "text": units.duration(each.total_seconds or 0.0),
        }
        for label, each in bars
    ]
    right = max(each.high or 0.0 for _, each in bars) * 1.16
    seconds = words.text("waiting.axis_seconds", language)
    x = amount_axis("begin:Q", right, seconds)
    y = alt.Y(
        "bar:N",
        sort=labels,
        axis=alt.Axis(title=None, labelLimit=220, ticks=False, domain=False),
    )
    names = [words.text(each, language) for each in _PARTS.values()]
    paint = alt.Color(
        "part:N",
        sort=names,
        scale=alt.Scale(domain=[name for name in names if any(r["part"] == name for r in parts)]),
        legend=alt.Legend(title=None, orient="bottom"),
    )
    hover = tooltips(
        [
            ("part:N", words.text("waiting.column_part", language)),
            ("seconds:Q", seconds),
            ("tokens:Q", words.text("waiting.column_tokens", language)),
        ]
    )
    line = alt.Chart(data(spans)).encode(y=y)
    chart = alt.layer(
        alt.Chart(data(parts))
        .mark_bar(height=BAR_HEIGHT * 0.55)
        .encode(x=x, x2="end:Q", y=y, color=paint, tooltip=hover),
        line.mark_rule(strokeWidth=1.6, color=style.INK).encode(x=alt.X("low:Q"), x2="high:Q"),
        line.mark_tick(thickness=1.6, size=9, color=style.INK).encode(x=alt.X("low:Q")),
        line.mark_tick(thickness=1.6, size=9, color=style.INK).encode(x=alt.X("high:Q")),
        line.mark_text(align="left", dx=6, color=style.INK).encode(
            x=alt.X("high:Q"), text="text:N"
        ),
    ).properties(width=style.WIDE_WIDTH, height=max(BAR_HEIGHT * len(bars), 40))
    wait = known[0][1]
    subtitle = words.text(
        "waiting.chart_subtitle",
        language,
        prompt=units.count(wait.prompt_tokens or 0),
        output=units.count(wait.output_tokens or 0),
    )
    return figure("wait", Said(language, _title(known, language), subtitle, ""), chart)


def _bars(known: Sequence[tuple[Row, Wait]], language: str) -> list[tuple[str, Wait | Turn]]:
    wait = known[0][1]
    if len(known) == 1 and wait.turns:
        shown = wait.turns[:MOST_TURNS]
        return [
            (words.text("waiting.axis_turn", language, number=turn.number), turn) for turn in shown
        ]
    return [(printable(row.device or "", 40), wait) for row, wait in known]


def _part_rows(label: str, wait: Wait | Turn, language: str) -> list[dict[str, Any]]:
    rows, begin = [], 0.0
    for part in wait.parts:
        rows.append(
            {
                "bar": label,
                "part": words.text(_PARTS[part.name], language),
                "begin": begin,
                "end": begin + part.seconds,
                "seconds": part.seconds,
                "tokens": part.tokens,
            }
        )
        begin += part.seconds
    return rows


def _title(known: Sequence[tuple[Row, Wait]], language: str) -> str:
    row, wait = known[0]
    values = {"model": printable(row.model or "", 40), "device": printable(row.device or "", 40)}
    totals = [each.total_seconds or 0.0 for _, each in known]
    if len(known) > 1:
        return words.text(
            "waiting.chart_title_devices",
            language,
            model=values["model"],
            least=units.duration(min(totals)),
            most=units.duration(max(totals)),
        )
    total = units.duration(totals[0])
    if wait.turns:
        turns = units.count(len(wait.turns))
        return words.text("waiting.chart_title_turns", language, **values, turns=turns, total=total)
    return words.text("waiting.chart_title", language, **values, total=total)
