"""A comparison and a history as pictures and as Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from support.compared_runs import runs
from tokenroof.comparing import Comparison, compare_runs, history_of
from tokenroof.records import RunEngine, RunModel
from tokenroof.report import render
from tokenroof.report.charts.comparison import comparison_figure
from tokenroof.report.charts.history import history_figure
from tokenroof.report.comparison import (
    cells_table,
    comparison_markdown,
    history_markdown,
    write_comparison,
)

HOSTILE = "</script>\x1b[31m|`*<b>\u202eevil"


def compared(factor: float = 1.1, **changes: Any) -> Comparison:
    return compare_runs(runs(1), runs(2, factor=factor, **changes), allow=True)


def rows(figure: Any) -> list[dict[str, Any]]:
    return [row for table in figure.spec["datasets"].values() for row in table]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_picture_shows_both_speeds_and_the_change_of_every_cell(language: str) -> None:
    found = compared()
    figure = comparison_figure(found, language)
    assert figure is not None
    speeds = {row["rate"] for row in rows(figure) if "rate" in row}
    assert speeds == {side.tokens_per_second for cell in found.cells for side in (cell.a, cell.b)}
    changes = [row["change"] for row in rows(figure) if "change" in row]
    expected = [(cell.time_ratio - 1) * 100 for cell in found.cells]
    assert sorted({round(each, 6) for each in changes}) == sorted(round(e, 6) for e in expected)
    assert "<svg" in render.svg(figure.standing_alone())


def test_the_title_counts_the_verdicts() -> None:
    figure = comparison_figure(compared(), "en")
    assert figure is not None
    assert figure.title == "B against A: slower at 8 of 8"
    alike = comparison_figure(compared(factor=1.0), "en")
    assert alike is not None
    assert alike.title == "B against A: no difference found at 8 of 8"


def test_where_nothing_is_compared_there_is_no_picture() -> None:
    refused = compare_runs(runs(1), runs(2, model=RunModel(name="another")))
    assert comparison_figure(refused, "en") is None
    assert comparison_markdown(refused).count("|") == 0


@pytest.mark.parametrize("language", ["en", "ja"])
def test_markdown_has_a_row_for_each_cell_and_the_differences_first(language: str) -> None:
    found = compared(engine=RunEngine(name="llama-server", version="b5200"))
    text = comparison_markdown(found, language)
    assert text.index("b5100 → b5200") < text.index("| ---")
    assert len([line for line in text.splitlines() if line.startswith("| prefill")]) == 4
    assert len([line for line in text.splitlines() if line.startswith("| decode")]) == 4


def test_hostile_names_act_nowhere() -> None:
    model = RunModel(name=HOSTILE)
    found = compare_runs(
        runs(1, model=model), runs(2, model=RunModel(name="b")), names=(HOSTILE, "b"), allow=True
    )
    text = comparison_markdown(found)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    figure = comparison_figure(found, "en")
    assert figure is not None
    assert "\x1b" not in json.dumps(figure.spec, ensure_ascii=False)


def test_a_table_of_several_pairs_names_them() -> None:
    two = [
        *runs(1),
        *[structs.replace(r, id=f"x{r.id}", model=RunModel(name="x")) for r in runs(3)],
    ]
    table = cells_table(compare_runs(two, two), "en")
    assert table.columns[0] == "of"
    assert {row[0] for row in table.rows} == {"qwen3-8b · Q4_K_M", "x"}


def test_files_are_written_whole_and_named(tmp_path: Path) -> None:
    found = compared()
    files = write_comparison(
        tmp_path / "out", "comparison", comparison_markdown(found), comparison_figure(found, "en")
    )
    assert [file.name for file in files] == ["comparison.md", "comparison.svg", "comparison.png"]
    assert files[2].read_bytes().startswith(b"\x89PNG")


def test_a_history_is_drawn_with_its_steps() -> None:
    def session(seed: int, day: int, version: str, factor: float) -> list[Any]:
        engine = RunEngine(name="llama-server", version=version)
        found = runs(seed, count=9, factor=factor, lengths=(512,), engine=engine)
        return [structs.replace(run, started=f"2026-10-0{day}T10:00:00.000Z") for run in found]

    history = history_of([*session(1, 1, "b1", 1.0), *session(2, 2, "b2", 1.2)])
    figure = history_figure(history, "title", "en")
    assert figure is not None
    steps = {row["step"] for row in rows(figure) if "step" in row}
    assert any(step.startswith(("+19", "+20")) for step in steps)
    assert "<svg" in render.svg(figure.standing_alone())
    assert "b2" in history_markdown(history)
    single = structs.replace(history, sessions=history.sessions[:1])
    assert history_figure(single, "title", "en") is None
