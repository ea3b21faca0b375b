"""One chart: its definition, what it is called, and what may be said under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenroof import words
from tokenroof.analysis import Series
from tokenroof.report.charts.style import SHAPES, config, dressed, wrapped
from tokenroof.safetext import printable

if TYPE_CHECKING:
    import altair as alt

LABEL_LIMIT = 60
LEGEND_ROW = 90
TITLE_COLUMNS = 84
SUBTITLE_COLUMNS = 108
TWO_PANELS_COLUMNS = 124


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as a Vega-Lite specification, from which all its formats are made.

    `title` and `caption` are worked out from the data. `spec` bears the title, but stand-ins for
    the colours, so that a page can show it light or dark.
    """

    name: str
    title: str
    caption: str
    spec: Mapping[str, Any]
    language: str

    def standing_alone(self) -> dict[str, Any]:
        """The whole definition of a picture on white."""
        whole: dict[str, Any] = dressed(
            {**self.spec, "config": config(self.language, dark=False)}, dark=False
        )
        return whole


class Said(NamedTuple):
    """What is written on and under a chart."""

    language: str
    title: str
    subtitle: str
    caption: str


def figure(
    name: str,
    said: Said,
    chart: alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart,
) -> Figure:
    """Bind a chart to its words."""
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)
    columns = SUBTITLE_COLUMNS
    if "hconcat" in spec or "vconcat" in spec:
        columns = TWO_PANELS_COLUMNS
    spec["title"] = {
        "text": wrapped(said.title, TITLE_COLUMNS),
        "subtitle": wrapped(said.subtitle, columns),
    }
    return Figure(
        name=name, title=said.title, caption=said.caption, spec=spec, language=said.language
    )


def data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as a chart's own data."""
    import altair

    return altair.InlineData(values=[dict(row) for row in rows])


def legend_label(series: Series, language: str) -> str:
    """A series as charts name it: with what kind of model it is, where that is known."""
    label = printable(series.label, LABEL_LIMIT)
    if series.is_moe is None:
        return label
    kind = "report.kind_moe" if series.is_moe else "report.kind_dense"
    return f"{label} ({words.text(kind, language)})"


def color(labels: Sequence[str], *, legend: bool = True) -> alt.Color:
    """Colour by series, in the order of the analysis.

    Args:
        labels: all series of the chart.
        legend: False for layers that only take part in the colours.
    """
    import altair as alt

    scale = alt.Scale(domain=list(labels))
    if legend:
        return alt.Color("series:N", scale=scale, legend=_legend(labels))
    return alt.Color("series:N", scale=scale)


def shape(labels: Sequence[str]) -> alt.Shape:
    """Shape by series: the same again for whoever cannot tell the colours."""
    import altair as alt

    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(labels))]
    scale = alt.Scale(domain=list(labels), range=shapes)
    return alt.Shape("series:N", scale=scale, legend=_legend(labels))


def _legend(labels: Sequence[str]) -> alt.Legend:
    """Also of a single series, whose kind it tells; long names stand below one another."""
    import altair as alt

    columns = 1 if sum(map(len, labels)) > LEGEND_ROW else 3
    return alt.Legend(title=None, orient="bottom", columns=columns)


def joined(sentences: Sequence[str], language: str) -> str:
    """Sentences as one text; Japanese has no space between them."""
    return ("" if language == "ja" else " ").join(sentences)
