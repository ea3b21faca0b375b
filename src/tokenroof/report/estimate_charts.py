"""Both charts of an estimate in one picture or page, by the ending of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tokenroof.errors import UsageError
from tokenroof.report.charts.estimate_depths import Curve, depths_figure
from tokenroof.report.charts.estimate_map import map_figure
from tokenroof.report.charts.estimate_plane import Crossing
from tokenroof.report.charts.figure import Figure
from tokenroof.report.charts.style import config, dressed
from tokenroof.safetext import printable
from tokenroof.store.files import write_whole_file

ENDINGS = (".png", ".svg", ".html")

_GAP = 40


def check_ending(path: Path) -> str:
    """The ending of a picture's name.

    Raises:
        UsageError: it is none that can be drawn.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        name = printable(path.name)
        raise UsageError("lists.chart_ending", name=name, known=", ".join(ENDINGS))
    return ending


def write_charts(
    path: Path, curves: Sequence[Curve], crossings: Sequence[Crossing], depth: int, language: str
) -> None:
    """Draw what there is: the ceilings over the depth, and the map.

    Raises:
        UsageError: the file's ending is none that can be drawn, or no ceiling is known.
        OutputError: it cannot be written.
    """
    check_ending(path)
    made = [depths_figure(curves, language), map_figure(crossings, depth, language)]
    figures = [each for each in made if each is not None]
    if not figures:
        raise UsageError("lists.nothing_to_draw")
    write_figures(path, figures, language)


def write_figure(path: Path, made: Figure, language: str) -> None:
    """Write one chart.

    Raises:
        UsageError: the file's ending is none that can be drawn.
        OutputError: it cannot be written.
    """
    ending = check_ending(path)
    write_whole_file(path, _drawn(made.standing_alone(), ending, made.title, language))


def write_figures(path: Path, made: Sequence[Figure], language: str) -> None:
    """Write several charts below one another.

    Raises:
        UsageError: the file's ending is none that can be drawn.
        OutputError: it cannot be written.
    """
    ending = check_ending(path)
    write_whole_file(path, _drawn(whole(made, language), ending, made[0].title, language))


def whole(figures: Sequence[Figure], language: str) -> dict[str, Any]:
    """The definition of one picture, its charts below one another."""
    parts = [
        {key: value for key, value in each.spec.items() if key not in ("$schema", "datasets")}
        for each in figures
    ]
    spec = {
        "$schema": figures[0].spec["$schema"],
        "datasets": {k: rows for each in figures for k, rows in each.spec["datasets"].items()},
        "vconcat": parts,
        "spacing": _GAP,
        "config": config(language, dark=False),
        "resolve": {
            "scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent"),
        },
    }
    made: dict[str, Any] = dressed(spec, dark=False)
    return made


def _drawn(spec: Mapping[str, Any], ending: str, title: str, language: str) -> bytes:
    from tokenroof.report import render

    if ending == ".png":
        return render.png(spec)
    if ending == ".svg":
        return render.svg(spec).encode()
    return _page(spec, title, language).encode()


def _page(spec: Mapping[str, Any], title: str, language: str) -> str:
    """A page that needs nothing else: figures under the pointer, without scripts the picture."""
    from tokenroof.report import render
    from tokenroof.report.embedded import script_json

    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<style>body { margin: 2rem auto; max-width: 60rem; background: #fff; }",
            "svg { max-width: 100%; height: auto; }</style></head><body>",
            f'<div id="chart">{render.svg(spec)}</div>',
            f"<script>{render.scripts()}</script>",
            f'<script>vegaEmbed("#chart", {script_json(dict(spec))}, '
            '{actions: false, renderer: "svg"});</script>',
            "</body></html>",
            "",
        ]
    )
