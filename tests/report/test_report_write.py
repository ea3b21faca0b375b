"""Files are whole or not there, and the summary holds what is needed to measure again."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from support.measured_runs import COST, run, timed
from tokenroof.analysis import Analysis, Conditions, Peak, analyse
from tokenroof.errors import OutputError
from tokenroof.records import Run, RunModel
from tokenroof.report import charts, render, summary_markdown, write_report
from tokenroof.report.markdown import escaped


def campaign() -> list[Run]:
    runs: list[Run] = []
    for tokens in (500, 2000, 8000):
        runs += timed(
            [0.01 + tokens * 1e-6] * 3, tokens, first=len(runs), prefill_seconds=tokens / 1e3
        )
    return runs


def analysed(runs: list[Run], command: tuple[str, ...] = ("tokenroof", "lab", "m")) -> Analysis:
    return analyse(
        runs,
        {"model": COST},
        peaks=[Peak(bandwidth_bytes_per_second=200e9)],
        conditions=Conditions(command=command, versions={"tokenroof": "0.1.0", "python": "3.11.2"}),
    )


def test_a_report_is_a_page_a_summary_and_each_picture_twice(tmp_path: Path) -> None:
    runs = campaign()
    paths = write_report(tmp_path / "lab" / "m", analysed(runs), runs)
    names = [path.relative_to(tmp_path / "lab" / "m").as_posix() for path in paths]
    assert names[:2] == ["report.html", "summary.md"]
    kinds = ("speed", "ceiling", "reads", "reading", "runs")
    assert sorted(names[2:]) == sorted(f"charts/{k}.{e}" for k in kinds for e in ("svg", "png"))
    assert all(path.stat().st_size > 500 for path in paths)
    left = {path for path in (tmp_path / "lab" / "m").rglob("*") if path.is_file()}
    assert left == set(paths)


def test_pictures_are_pictures(tmp_path: Path) -> None:
    runs = campaign()
    paths = write_report(tmp_path, analysed(runs), runs)
    for path in paths:
        head = path.read_bytes()[:8]
        if path.suffix == ".png":
            assert head == b"\x89PNG\r\n\x1a\n"
        if path.suffix == ".svg":
            assert head.startswith(b"<svg")


def test_the_same_runs_give_the_same_files(tmp_path: Path) -> None:
    runs = campaign()
    once = write_report(tmp_path / "a", analysed(runs), runs)
    twice = write_report(tmp_path / "b", analysed(runs), runs)
    assert [path.read_bytes() for path in once] == [path.read_bytes() for path in twice]


def test_a_full_disk_is_one_plain_sentence_and_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = campaign()
    before = write_report(tmp_path, analysed(runs), runs)[0].read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError) as caught:
        write_report(tmp_path, analysed(runs[:3]), runs[:3])
    assert caught.value.exit_code == 3
    assert (tmp_path / "report.html").read_bytes() == before
    assert not [path for path in tmp_path.rglob(".*") if path.is_file()]


def test_a_file_in_the_way_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lab").write_text("")
    with pytest.raises(OutputError):
        write_report(tmp_path / "lab", analysed(campaign()), campaign())


def test_the_summary_holds_the_command_the_versions_and_the_sentences() -> None:
    runs = campaign()
    found = analysed(runs, ("tokenroof", "lab", "a model.gguf", "--lengths", "500,2k"))
    text = summary_markdown(found, figures=charts(found, runs))
    assert "```sh\ntokenroof lab 'a model.gguf' --lengths 500,2k\n```" in text
    assert "| python | 3.11.2 |" in text
    for notice in found.sentences:
        assert escaped(notice.text()) in text
    assert "![" in text
    assert "](charts/speed.png)" in text


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    hostile = [
        run(n, model=RunModel(name="a|b\n| c `d` <b>"), excluded="throttled" if n == 2 else None)
        for n in range(3)
    ]
    widths: list[int] = []
    for line in summary_markdown(analyse(hostile)).splitlines():
        if line.startswith("|"):
            widths.append(line.replace("\\|", "").count("|"))
        elif widths:
            assert len(set(widths)) == 1
            widths = []


def test_hostile_text_cannot_leave_its_place_in_the_summary() -> None:
    name = "# x\n\n<script>alert(1)</script> [a](http://b) `c` *d*"
    text = summary_markdown(analyse([run(model=RunModel(name=name))]))
    assert "<script>" not in text.replace("\\<", "")
    assert "\n# x" not in text
    assert "](http" not in text.replace("\\](", "")


def test_an_entity_in_a_name_is_shown_as_it_is_written() -> None:
    text = summary_markdown(analyse([run(model=RunModel(name="a&lt;b"))]))
    assert "a&amp;lt;b" in text
    assert "a&lt;b" not in text


def test_a_command_with_backticks_stays_in_its_fence() -> None:
    text = summary_markdown(analysed(campaign(), ("tokenroof", "```\nrm -rf")))
    fence = next(line for line in text.splitlines() if line.endswith("sh") and "`" in line)
    assert fence == "````sh"


@pytest.mark.parametrize(("has_font", "language"), [(True, "ja"), (False, "en")])
def test_without_japanese_letters_png_pictures_are_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_font: bool, language: str
) -> None:
    drawn: list[str] = []

    def png(spec: dict[str, Any]) -> bytes:
        drawn.append(str(spec["title"]))
        return b"png"

    monkeypatch.setattr(render, "png", png)
    monkeypatch.setattr(render, "draws_japanese", lambda: has_font)
    runs = campaign()
    write_report(tmp_path, analysed(runs), runs, "ja")
    assert any("生成" in title for title in drawn) == (language == "ja")
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert ("PNG" in summary) == (not has_font)
    assert "生成" in (tmp_path / "charts" / "speed.svg").read_text(encoding="utf-8")
