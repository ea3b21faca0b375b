"""The pictures of a report. Each is one Vega-Lite definition, made by altair."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.analysis import Analysis
from tokenroof.records import Run
from tokenroof.report.charts.ceiling import ceiling_figure
from tokenroof.report.charts.every_run import every_run_figure
from tokenroof.report.charts.figure import Figure
from tokenroof.report.charts.reading import reading_figure
from tokenroof.report.charts.reads import reads_figure
from tokenroof.report.charts.speed import speed_figure

__all__ = ["Figure", "charts"]


def charts(analysis: Analysis, runs: Sequence[Run], language: str = "en") -> tuple[Figure, ...]:
    """All pictures that these runs have data for; where there are none, there is no picture."""
    made = (
        speed_figure(analysis, language),
        ceiling_figure(analysis, language),
        reads_figure(analysis, language),
        reading_figure(analysis, language),
        every_run_figure(analysis, runs, language),
    )
    return tuple(each for each in made if each is not None)
