"""Every run as a dot, the excluded ones marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from tokenroof import units, words
from tokenroof.analysis import Analysis, DecodePoint, PrefillPoint, Series
from tokenroof.analysis.reasons import EXCLUSION_MESSAGES
from tokenroof.records import Run
from tokenroof.report.charts import style
from tokenroof.report.charts.axes import length_axis, tooltips, value_axis
from tokenroof.report.charts.context import subtitle
from tokenroof.report.charts.figure import Figure, Said, data, figure, joined, legend_label

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]
Phase = Literal["prefill", "decode"]

HEIGHT = 170
NUDGE = 1.08
AXES: Mapping[Phase, str] = {
    "prefill": "report.axis_prefill_rate",
    "decode": "report.axis_decode_rate",
}
CROSS = "M-1,-1L1,1M1,-1L-1,1"


def every_run_figure(analysis: Analysis, runs: Sequence[Run], language: str) -> Figure | None:
    """A row of two panels for each series of single runs; None where no run has a rate."""
    import altair as alt

    by_id = {run.id: run for run in runs}
    shown: list[tuple[Series, dict[Phase, list[Row]]]] = []
    for series in analysis.series:
        dots = {phase: _dots(series, phase, by_id, language) for phase in AXES}
        if not series.aggregate and any(dots.values()):
            shown.append((series, dots))
    if not shown:
        return None
    statuses = _statuses([row for _, dots in shown for rows in dots.values() for row in rows])
    charts = []
    for series, dots in shown:
        panels = [
            _panel(series, phase, rows, statuses, language) for phase, rows in dots.items() if rows
        ]
        title = legend_label(series, language) if len(shown) > 1 else ""
        charts.append(alt.hconcat(*panels, spacing=28, title=title))
    series_shown = [series for series, _ in shown]
    counted = sum(series.runs_total - series.runs_excluded for series in series_shown)
    excluded = sum(series.runs_excluded for series in series_shown)
    said = Said(
        language,
        words.text(
            "report.title_runs" if excluded else "report.title_runs_all",
            language,
            counted=counted,
            excluded=excluded,
        ),
        subtitle(analysis, series_shown, language),
        _caption(analysis, excluded, language),
    )
    return figure("runs", said, charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=18))


def _dots(series: Series, phase: Phase, runs: Mapping[str, Run], language: str) -> list[Row]:
    points: Sequence[PrefillPoint | DecodePoint]
    points = series.prefill if phase == "prefill" else series.decode
    rows = []
    for point in points:
        known = [runs[each] for each in point.run_ids if each in runs]
        for place, run in enumerate(known):
            row = _dot(run, phase, language)
            if row is not None:
                # Sideways by a few pixels, or runs of one length would hide one another.
                aside = NUDGE ** (2 * (place + 0.5) / len(known) - 1)
                rows.append({**row, "at": row["tokens"] * aside})
    return rows


def _dot(run: Run, phase: Phase, language: str) -> Row | None:
    rate, tokens = run.prefill_tokens_per_second, (run.prompt.tokens or 0) + run.workload.depth
    if phase == "decode":
        rate, tokens = run.decode_tokens_per_second, tokens or round(run.mean_decode_depth or 0)
    if rate is None or tokens <= 0:
        return None
    status, rank = _status(run, language)
    started = run.started or ""
    return {"tokens": tokens, "rate": rate, "status": status, "rank": rank, "started": started}


def _status(run: Run, language: str) -> tuple[str, int]:
    if run.excluded is not None:
        reason = words.text(EXCLUSION_MESSAGES[run.excluded], language)
        return words.text("report.status_excluded", language, reason=reason), 2
    if "contended" in run.flags:
        return words.text("report.status_contended", language), 1
    return words.text("report.status_counted", language), 0


def _statuses(rows: Sequence[Row]) -> list[tuple[str, int]]:
    return sorted({(row["status"], row["rank"]) for row in rows}, key=lambda pair: pair[::-1])


def _panel(
    series: Series,
    phase: Phase,
    rows: list[Row],
    statuses: Sequence[tuple[str, int]],
    language: str,
) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    domain = style.log_domain([row["tokens"] for row in rows])
    top = max(row["rate"] for row in rows) * 1.1
    x = length_axis("tokens:Q", domain, language)
    aside = length_axis("at:Q", domain, language)
    y = value_axis("rate:Q", top, words.text(AXES[phase], language))
    legend = alt.Legend(title=None, orient="bottom", columns=1)
    names = [name for name, _ in statuses]
    shapes = alt.Scale(domain=names, range=_shapes(statuses))
    hover = tooltips(
        [
            ("tokens:Q", words.text("report.input", language)),
            ("rate:Q", words.text("report.rate", language)),
            ("status:N", words.text("report.status", language)),
            ("started:N", words.text("report.started", language)),
        ]
    )
    dots = (
        alt.Chart(data(rows))
        .mark_point(size=55, strokeWidth=1.8, filled=False, opacity=0.9)
        .encode(
            x=aside,
            y=y,
            color=alt.Color("status:N", scale=alt.Scale(domain=names), legend=legend),
            shape=alt.Shape("status:N", scale=shapes, legend=legend),
            tooltip=hover,
        )
    )
    points: Sequence[PrefillPoint | DecodePoint]
    points = series.prefill if phase == "prefill" else series.decode
    medians = [
        {"tokens": point.context_tokens, "rate": point.counted.tokens_per_second}
        for point in points
        if point.counted is not None and point.context_tokens
    ]
    ticks = alt.Chart(data(medians)).mark_tick(
        orient="horizontal", width=26, thickness=1.5, color=style.SOFT
    )
    layers = [ticks.encode(x=x, y=y), dots] if medians else [dots]
    return alt.layer(*layers).properties(width=style.PLOT_WIDTH, height=HEIGHT)


def _shapes(statuses: Sequence[tuple[str, int]]) -> list[str]:
    """Circles count; crosses and what follows them are excluded, one shape for each reason."""
    excluded = iter([CROSS, "triangle-down", "diamond", "square", "arrow", "wedge"] * 2)
    return [("circle", "triangle-up")[rank] if rank < 2 else next(excluded) for _, rank in statuses]


def _caption(analysis: Analysis, excluded: int, language: str) -> str:
    parts = [words.text("report.caption_runs", language)]
    if excluded:
        parts.append(words.text("report.caption_excluded", language, count=units.count(excluded)))
    else:
        parts.append(words.text("report.caption_none_excluded", language))
    if any(series.aggregate for series in analysis.series):
        parts.append(words.text("report.caption_runs_stated", language))
    return joined(parts, language)
