"""One condition over versions and dates, with the steps marked."""

from __future__ import annotations

from typing import Any

from tokenroof import words
from tokenroof.comparing import History, Session
from tokenroof.comparing.answers import signed
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import PLAIN, tooltips
from tokenroof.report.charts.figure import Figure, Said, data, figure
from tokenroof.safetext import printable

_VERSION = 24


def history_figure(history: History, title: str, language: str) -> Figure | None:
    """Median speed of each session with its interval; None for a single session."""
    import altair as alt

    if len(history.sessions) < 2:
        return None
    rows = [_row(number, each, language) for number, each in enumerate(history.sessions)]
    labels = [row["label"] for row in rows]
    axis_title = words.text("comparing.axis_rate", language, phase=history.phase)
    ends = [
        end for row in rows for end in (row["rate"], row["low"], row["high"]) if end is not None
    ]
    margin = max(0.15 * (max(ends) - min(ends)), 0.05 * max(ends))
    scale = alt.Scale(domain=[max(min(ends) - margin, 0.0), max(ends) + margin], nice=False)
    axis = alt.Axis(title=axis_title, tickCount=6, format=PLAIN)
    x = alt.X(
        "label:N",
        sort=labels,
        axis=alt.Axis(title=None, labelAngle=-35, labelLimit=200, ticks=False),
    )
    y = alt.Y("rate:Q", scale=scale, axis=axis)
    base = alt.Chart(data(rows)).encode(x=x)
    hover = tooltips(
        [("label:N", words.text("comparing.column_version", language)), ("rate:Q", axis_title)]
    )
    paint = alt.Color("series:N", legend=None)
    line = base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y=y, color=paint)
    dots = base.mark_point(size=80, filled=True, opacity=1).encode(y=y, color=paint, tooltip=hover)
    layers = [line, dots]
    known = [row for row in rows if row["low"] is not None]
    if known:
        spans = alt.Chart(data(known)).mark_rule(strokeWidth=2.5)
        low = alt.Y("low:Q", scale=scale, axis=axis)
        layers.insert(1, spans.encode(x=x, y=low, y2="high:Q", color=paint))
    steps = [row for row in rows if row["step"]]
    if steps:
        marked = alt.Chart(data(steps)).encode(x=x)
        layers.insert(0, marked.mark_rule(color=style.MARKED, strokeDash=[4, 3], strokeWidth=1.5))
        layers.append(
            marked.mark_text(color=style.MARKED, fontSize=11.5, dy=-8, fontWeight="bold").encode(
                y=alt.value(0), text="step:N"
            )
        )
    width = max(style.WIDE_WIDTH, 44 * len(rows))
    chart = alt.layer(*layers).properties(width=width, height=style.PLOT_HEIGHT)
    said = Said(
        language,
        title,
        words.text("comparing.history_subtitle", language, steps=len(steps)),
        words.text("comparing.note_step", language),
    )
    return figure("history", said, chart)


def _row(number: int, session: Session, language: str) -> dict[str, Any]:
    version = printable(session.version or "", _VERSION)
    parts = [part for part in (session.date, version) if part]
    step = ""
    if session.step is not None:
        step = words.text("comparing.step_label", language, change=signed(session.step - 1))
    low, high = session.low_seconds_per_token, session.high_seconds_per_token
    return {
        "label": " ".join(parts) or str(number + 1),
        "rate": session.tokens_per_second,
        "low": None if high is None else 1 / high,
        "high": None if low is None else 1 / low,
        "step": step.replace("-", "−"),
        "series": "",
    }
