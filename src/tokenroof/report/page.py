"""The report as one HTML file that opens anywhere, without a network.

Everything is inside: styles, scripts, pictures, data. A content security policy forbids the page
to load anything, and lets only those two scripts run whose checksums it names; so even a text
that slipped through escaping could do nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenroof.analysis import Analysis
from tokenroof.records import Run
from tokenroof.report import render
from tokenroof.report.charts import Figure, charts
from tokenroof.report.charts.style import config, dressed, inks
from tokenroof.report.conditions import command_line, conditions_table, sources_table
from tokenroof.report.embedded import (
    ANALYSIS_ID,
    FIGURES_ID,
    RUNS_ID,
    runs_json,
    script_json,
)
from tokenroof.report.excluded import excluded_table
from tokenroof.report.remarks import remarks
from tokenroof.report.tables import fits_table, series_tables, text_in
from tokenroof.report.usage import usage_tables
from tokenroof.safetext import printable

if TYPE_CHECKING:
    import jinja2


def report_html(
    analysis: Analysis,
    runs: Sequence[Run],
    language: str = "en",
    figures: Sequence[Figure] | None = None,
) -> str:
    """The whole page. The same runs give the same page, to the letter.

    Args:
        analysis: what the runs show.
        runs: the runs themselves, embedded for re-import and drawn one by one.
        language: of the page.
        figures: the charts, where they were made already.
    """
    from tokenroof import __version__

    shown = charts(analysis, runs, language) if figures is None else figures
    text = text_in(language)
    scripts = (render.scripts(), _asset("report.js"))
    return _template().render(
        language=language,
        title=page_title(analysis, language),
        policy=_policy(scripts),
        style=_asset("report.css"),
        scripts=scripts,
        lead=[notice.text(language) for notice in analysis.lead],
        series=[
            {
                "label": printable(series.label),
                "sentences": [notice.text(language) for notice in series.sentences],
                "tables": [*series_tables(series, language), *usage_tables(series, language)],
            }
            for series in analysis.series
        ],
        notices=remarks(analysis, shown, language),
        remarks=[printable(remark) for remark in analysis.conditions.remarks],
        figures=[_still(figure) for figure in shown],
        fits=fits_table(analysis, language),
        excluded=excluded_table(analysis, language),
        conditions=conditions_table(analysis, language),
        sources=sources_table(analysis, language),
        command=command_line(analysis),
        said={
            "figures": text("report.figures"),
            "results": text("report.results"),
            "notices": text("report.notices"),
            "remarks": text("report.remarks"),
            "all_counted": text("report.all_counted"),
            "excluded": text("report.table_excluded"),
            "rerun": text("report.rerun"),
            "data": text("report.data"),
            "data_said": text("report.data_said", count=len(runs), element=RUNS_ID),
            "made_by": text("report.made_by", version=__version__),
        },
        ids={"runs": RUNS_ID, "analysis": ANALYSIS_ID, "figures": FIGURES_ID},
        runs_json=runs_json(runs),
        analysis_json=script_json(analysis.to_dict(language)),
        figures_json=script_json(_live(shown, language)),
    )


def page_title(analysis: Analysis, language: str) -> str:
    """What the page is about: the models."""
    text = text_in(language)
    names = (series.model.name or series.label for series in analysis.series)
    models = dict.fromkeys(printable(name, 60) for name in names)
    return (
        text("report.page_title", models=", ".join(models)) if models else text("report.page_empty")
    )


def _still(figure: Figure) -> Mapping[str, str]:
    """The picture that is there without scripts and on paper."""
    drawn = render.svg(_untitled(figure.standing_alone())).encode()
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "source": "data:image/svg+xml;base64," + base64.b64encode(drawn).decode(),
    }


def _live(figures: Sequence[Figure], language: str) -> Mapping[str, Any]:
    """What the script draws: definitions, and both colour schemes."""
    return {
        "figures": {figure.name: _untitled(figure.spec) for figure in figures},
        "schemes": {
            name: {
                "inks": inks(dark=dark),
                "config": dressed(config(language, dark=dark), dark=dark),
            }
            for name, dark in (("light", False), ("dark", True))
        },
    }


def _untitled(spec: Mapping[str, Any]) -> dict[str, Any]:
    """On the page the title is a heading."""
    return {key: value for key, value in spec.items() if key != "title"}


def _policy(scripts: Sequence[str]) -> str:
    sums = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in sums)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def _template() -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tokenroof.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")


@cache
def _asset(name: str) -> str:
    from importlib.resources import files

    return files("tokenroof.report").joinpath("templates", name).read_text(encoding="utf-8")
