"""Two sets of runs, length by length: both speeds on the left, the change of time on the right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenroof import units, words
from tokenroof.comparing import Cell, Comparison
from tokenroof.comparing.answers import change, interval
from tokenroof.comparing.records import Verdict
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import PLAIN, tooltips
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined
from tokenroof.safetext import printable

if TYPE_CHECKING:
    import altair as alt

_ROW = 30
_LEFT, _RIGHT = 300, 300
_LABEL = 34
_MOST_ROWS = 60
_A, _B = "A", "B"
_TAILS = 3.0
_COUNTED: dict[Verdict, str] = {
    "slower": "comparing.counted_slower",
    "faster": "comparing.counted_faster",
    "no_difference": "comparing.counted_no_difference",
    "cannot_tell": "comparing.counted_cannot_tell",
}
_SIGNED = "datum.value == 0 ? '0' : format(datum.value, '+,.6~r')"


def comparison_figure(comparison: Comparison, language: str) -> Figure | None:
    """A dumbbell for each length and phase; None where nothing was compared."""
    import altair as alt

    if not comparison.cells:
        return None
    names = {
        _A: f"A: {printable(comparison.a.name, _LABEL)}",
        _B: f"B: {printable(comparison.b.name, _LABEL)}",
    }
    phases = [
        (phase, [cell for cell in comparison.cells if cell.phase == phase][:_MOST_ROWS])
        for phase in ("prefill", "decode")
    ]
    reach = _reach(comparison)
    rows = [
        alt.hconcat(
            _speeds(cells, names, language, phase),
            _changes(cells, reach, comparison.threshold, language),
            spacing=58,
            bounds="flush",
        )
        for phase, cells in phases
        if cells
    ]
    chart = alt.vconcat(*rows, spacing=24).resolve_scale(color="shared", shape="shared")
    said = Said(
        language,
        _title(comparison, language),
        words.text("comparing.picture_subtitle", language),
        joined([each.text(language) for each in comparison.headline], language),
    )
    return figure("comparison", said, chart)


def _title(comparison: Comparison, language: str) -> str:
    """How many lengths of each verdict."""
    found = Counter(cell.verdict for cell in comparison.cells)
    total = len(comparison.cells)
    parts = [
        words.text(message, language, count=found[verdict], total=total)
        for verdict, message in _COUNTED.items()
        if found[verdict]
    ]
    return words.text("comparing.picture_title", language, found=", ".join(parts))


def _speeds(
    cells: Sequence[Cell], names: dict[str, str], language: str, phase: str
) -> alt.LayerChart | alt.FacetChart:
    """Both sides' speeds, on one line a length."""
    import altair as alt

    labels = [_label(cell) for cell in cells]
    points = [
        {"length": label, "side": names[side], "rate": figure.tokens_per_second}
        for label, cell in zip(labels, cells, strict=True)
        for side, figure in ((_A, cell.a), (_B, cell.b))
    ]
    bars = [
        {"length": label, "a": cell.a.tokens_per_second, "b": cell.b.tokens_per_second}
        for label, cell in zip(labels, cells, strict=True)
    ]
    rates = [each.tokens_per_second for cell in cells for each in (cell.a, cell.b)]
    low, top = min(rates), max(rates)
    margin = 0.08 * (top - low) or 0.1 * top
    scale = alt.Scale(domain=[max(low - margin, 0), top + margin], nice=False)
    title = words.text("comparing.axis_rate", language, phase=phase)
    axis = alt.Axis(title=title, tickCount=6, format=PLAIN, grid=True)
    y = alt.Y("length:N", sort=labels, axis=_rows_axis(language))
    sides = list(names.values())
    color = alt.Color(
        "side:N",
        scale=alt.Scale(domain=sides),
        legend=alt.Legend(title=None, orient="bottom", columns=2),
    )
    shape = alt.Shape("side:N", scale=alt.Scale(domain=sides, range=["circle", "diamond"]))
    line = alt.Chart(data(bars)).mark_rule(color=style.SOFT, strokeWidth=2)
    line = line.encode(x=alt.X("a:Q", scale=scale, axis=axis), x2="b:Q", y=y)
    hover = tooltips(
        [("side:N", words.text("comparing.column_series", language)), ("rate:Q", title)]
    )
    dots = alt.Chart(data(points)).mark_point(size=90, filled=True, opacity=0.85)
    dots = dots.encode(
        x=alt.X("rate:Q", scale=scale, axis=axis), y=y, color=color, shape=shape, tooltip=hover
    )
    return alt.layer(line, dots).properties(width=_LEFT, height=alt.Step(_ROW))


def _changes(
    cells: Sequence[Cell], reach: float, threshold: float, language: str
) -> alt.LayerChart | alt.FacetChart:
    """The change of time with its interval, no change in the middle."""
    import altair as alt

    labels = [_label(cell) for cell in cells]
    rows = [_change_row(label, cell) for label, cell in zip(labels, cells, strict=True)]
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    title = words.text("comparing.axis_change", language)
    axis = alt.Axis(title=title, tickCount=7, labelExpr=_SIGNED, grid=True)
    y = alt.Y("length:N", sort=labels, axis=None)
    x = alt.X("change:Q", scale=scale, axis=axis)
    band = alt.Chart(data([{"low": -threshold * 100, "high": threshold * 100}]))
    band = band.mark_rect(color=style.GRID, opacity=0.5).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    none = alt.Chart(data([{"zero": 0}])).mark_rule(color=style.SOFT, strokeDash=[4, 3])
    none = none.encode(x=alt.X("zero:Q", scale=scale, axis=axis))
    known = [row for row in rows if row["low"] is not None]
    base = alt.Chart(data(rows))
    color = alt.Color("color:N", scale=None)
    spans = alt.Chart(data(known or rows)).mark_rule(strokeWidth=2.5, clip=True)
    spans = spans.encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", y=y, color=color)
    hover = tooltips([("text:N", title)])
    dots = base.mark_point(size=70, shape="diamond", filled=True, opacity=1, clip=True)
    dots = dots.encode(x=x, y=y, tooltip=hover, color=color)
    texts = base.mark_text(align="left", fontSize=11)
    texts = texts.encode(x=alt.value(_RIGHT + 10), y=y, text="text:N", color=color)
    return alt.layer(band, none, spans, dots, texts).properties(width=_RIGHT, height=alt.Step(_ROW))


def _change_row(label: str, cell: Cell) -> dict[str, Any]:
    low, high = cell.time_ratio_low, cell.time_ratio_high
    ends = interval(cell)
    text = change(cell) if ends is None else f"{change(cell)} {ends}"
    return {
        "length": label,
        "change": (cell.time_ratio - 1) * 100,
        "low": None if low is None else (low - 1) * 100,
        "high": None if high is None else (high - 1) * 100,
        "text": text.replace("-", "−"),
        "color": style.MARKED if cell.verdict in {"slower", "faster"} else style.INK,
    }


def _reach(comparison: Comparison) -> float:
    """Half of the axis of changes, in percent: all changes, and intervals but for their tails."""
    ends = [
        abs(end - 1)
        for cell in comparison.cells
        for end in (cell.time_ratio_low, cell.time_ratio_high)
        if end is not None
    ]
    changes = max(abs(cell.time_ratio - 1) for cell in comparison.cells)
    seen = min(max(ends, default=0.0), max(2 * changes, _TAILS * comparison.threshold))
    return max(changes, seen, comparison.threshold) * 115


def _label(cell: Cell) -> str:
    tokens = "?" if cell.prompt_tokens is None else units.count(cell.prompt_tokens)
    depth = f" @ {units.count(cell.depth)}" if cell.depth else ""
    series = f"{printable(cell.series, _LABEL)}: " if cell.series else ""
    return f"{series}{tokens}{depth}"


def _rows_axis(language: str) -> alt.Axis:
    import altair as alt

    title = words.text("comparing.axis_tokens", language)
    return alt.Axis(title=title, ticks=False, domain=False, labelLimit=260, minExtent=70)
