"""The charts of an estimate: what stands where, and that nothing stands over another."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tokenroof.errors import UsageError
from tokenroof.report.charts import style
from tokenroof.report.charts.estimate_depths import Curve, depths_figure
from tokenroof.report.charts.estimate_map import map_figure
from tokenroof.report.charts.estimate_plane import HEIGHT, Crossing
from tokenroof.report.estimate_charts import whole, write_charts

GB = 1e9


def curve(model: str, device: str, *ceilings: float, **more: Any) -> Curve:
    depths = [n * 8192 for n in range(len(ceilings))]
    return Curve(f"{model}, {device}", model, device, depths, ceilings, **more)


def crossing(model: str, device: str, read: float, bandwidth: float, **more: Any) -> Crossing:
    return Crossing(model, device, read * GB, bandwidth * GB, more.get("fits"))


def rows_of(figure: Any, *fields: str) -> list[dict[str, Any]]:
    """All rows of a figure that have the fields."""
    tables = [*figure.spec.get("datasets", {}).values()]
    tables += [
        layer["data"]["values"] for layer in figure.spec["layer"] if "values" in layer["data"]
    ]
    return [row for rows in tables for row in rows if set(fields) <= row.keys()]


CROSSINGS = [
    crossing("eight", "fast", 4.671768832, 936.0, fits=True),
    crossing("eight", "near", 4.671768832, 1008.0, fits=True),
    crossing("seventy", "fast", 42.0, 936.0, fits=False),
    crossing("seventy", "near", 42.0, 1008.0, fits=False),
]


def test_a_crossing_bears_bandwidth_over_bytes() -> None:
    figure = map_figure(CROSSINGS, 0, "en")
    points = rows_of(figure, "fits", "rate")
    # 936 / 4.671768832 = 200.353; 1008 / 42 = 24
    assert {row["label"] for row in points} >= {"200", "216", "22.3", "24.0"}
    assert max(row["rate"] for row in points) == pytest.approx(1008 / 4.671768832)


def test_what_does_not_fit_is_hollow_and_said() -> None:
    figure = map_figure(CROSSINGS, 0, "en")
    assert figure is not None
    hollow = [
        layer
        for layer in figure.spec["layer"]
        if layer["mark"]["type"] == "point" and layer["mark"].get("fill") == "white"
    ]
    assert len(hollow) == 1
    assert "Hollow" in " ".join(figure.spec["title"]["subtitle"])
    all_fit = map_figure(CROSSINGS[:2], 0, "en")
    assert all_fit is not None
    assert "Hollow" not in " ".join(all_fit.spec["title"]["subtitle"])


def test_every_diagonal_is_one_speed() -> None:
    figure = map_figure(CROSSINGS, 0, "en")
    by_speed: dict[str, set[float]] = {}
    for row in rows_of(figure, "speed"):
        by_speed.setdefault(row["speed"], set()).add(round(row["bandwidth"] / row["read"], 6))
    assert len(by_speed) >= 4
    for speed, rates in by_speed.items():
        assert rates == {float(speed.removesuffix(" tok/s"))}


def test_figures_of_devices_that_are_nearly_as_fast_do_not_cover_one_another() -> None:
    import math

    figure = map_figure(CROSSINGS, 0, "en")
    assert figure is not None
    (axis,) = {
        tuple(layer["encoding"]["y"]["scale"]["domain"])
        for layer in figure.spec["layer"]
        if layer["encoding"].get("y", {}).get("field") == "at"
    }
    span = math.log(axis[1] / axis[0])
    for model in ("eight", "seventy"):
        places = sorted(
            math.log(row["at"]) for row in rows_of(figure, "at") if row["model"] == model
        )
        gaps = [(b - a) / span * HEIGHT for a, b in pairwise(places)]
        assert min(gaps) >= style.LABEL_HEIGHT - 1e-6


def test_a_line_is_a_model_on_a_device_with_its_name_at_the_end() -> None:
    figure = depths_figure(
        [curve("a", "x", 100, 80, 50), curve("b", "x", 40, 39, 38, measured=[(0, 25.0)])], "en"
    )
    assert figure is not None
    assert {row["label"] for row in rows_of(figure, "at")} == {"a, x: 50.0", "b, x: 38.0"}
    assert [row["rate"] for row in rows_of(figure, "tokens", "rate") if "asked" not in row] == [
        25.0
    ]
    assert (
        figure.title
        == "At depth 16,384 the ceilings are 50 % to 95 % of what they are at the start"
    )


def test_slow_lines_beside_fast_ones_stand_on_a_logarithmic_axis() -> None:
    wide = depths_figure([curve("a", "x", 500, 400), curve("b", "x", 5, 4)], "en")
    narrow = depths_figure([curve("a", "x", 50, 40), curve("b", "x", 30, 24)], "en")
    assert wide is not None
    assert narrow is not None
    scales = [each.spec["layer"][0]["encoding"]["y"]["scale"] for each in (wide, narrow)]
    assert scales[0]["type"] == "log"
    assert scales[1]["domain"][0] == 0


def test_names_of_lines_stay_above_the_axis_and_apart() -> None:
    placed = style.above([1.0, 1.0, 1.5, 90.0], 0.0, 100.0, 325)
    room = 100.0 / 325 * style.LABEL_HEIGHT
    assert min(placed) >= room / 2
    assert min(b - a for a, b in pairwise(sorted(placed))) >= room - 1e-9


def test_both_charts_keep_their_data_in_one_picture() -> None:
    figures = [depths_figure([curve("a", "x", 100, 80)], "en"), map_figure(CROSSINGS, 0, "en")]
    spec = whole([each for each in figures if each is not None], "en")
    named = set(re.findall(r"'name': '(data-[0-9a-f]+)'", str(spec["vconcat"])))
    assert named
    assert named <= spec["datasets"].keys()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_page_needs_nothing_else_and_shows_the_picture_without_scripts(
    tmp_path: Path, language: str
) -> None:
    path = tmp_path / "charts.html"
    name = "</script><b>bold"
    write_charts(path, [curve(name, "x", 100, 80)], [crossing(name, "x", 5, 900)], 0, language)
    page = path.read_text(encoding="utf-8")
    assert "<svg" in page
    assert "<b>bold" not in page
    assert not re.search(r"(src|href)=[\"']?https?:", page)


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_picture_is_what_its_name_says(tmp_path: Path, ending: str, begins: bytes) -> None:
    path = tmp_path / f"charts.{ending}"
    write_charts(path, [curve("a", "x", 100, 80)], CROSSINGS, 0, "en")
    assert path.read_bytes().startswith(begins)


def test_other_endings_and_nothing_to_draw_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        write_charts(tmp_path / "charts.pdf", [], CROSSINGS, 0, "en")
    assert refused.value.message == "lists.chart_ending"
    with pytest.raises(UsageError) as refused:
        write_charts(tmp_path / "charts.svg", [], [], 0, "en")
    assert refused.value.message == "lists.nothing_to_draw"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("lines", "has_legend"), [(4, False), (12, True)])
def test_lines_without_names_beside_them_have_legends(lines: int, has_legend: bool) -> None:
    figure = depths_figure(
        [curve(f"m{n}", device, 100 + n, 90) for n in range(lines) for device in "xy"], "en"
    )
    assert figure is not None
    encoding = figure.spec["layer"][0]["encoding"]
    assert bool(encoding["color"]["legend"]) is has_legend
    assert bool(encoding["strokeDash"]["legend"]) is has_legend
    named = any(layer["mark"]["type"] == "text" for layer in figure.spec["layer"])
    assert named is not has_legend
