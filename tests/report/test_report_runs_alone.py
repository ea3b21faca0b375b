"""A file of runs is all that a report needs: no journal beside it, no model's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from support.measured_runs import COST, timed
from tokenroof import api
from tokenroof.analysis import Analysis, Conditions, analyse
from tokenroof.api.conditions import Completer
from tokenroof.notices import Notice
from tokenroof.records import (
    BandwidthMeasured,
    MemoryBandwidth,
    Run,
    RunConditions,
    RunEngine,
)
from tokenroof.report import report_html, summary_markdown
from tokenroof.report.remarks import remarks
from tokenroof.store.journal import RunsFile

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "runs.jsonl"


@pytest.fixture(autouse=True)
def _no_journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "nobody's"))


def read_at(best: float) -> BandwidthMeasured:
    return BandwidthMeasured(
        best_bytes_per_second=best,
        median_bytes_per_second=best * 0.9,
        lowest_bytes_per_second=best * 0.5,
        repeats=40,
        threads=2,
    )


def conditions(best: float = 200e9) -> RunConditions:
    return RunConditions(
        command=("tokenroof", "lab", "model.gguf", "--lengths", "500,2k"),
        machine={"os": "Debian 12", "memory_total_bytes": 8 * 2**30},
        versions={"tokenroof": "0.1.0"},
        bandwidth=MemoryBandwidth(
            bytes_per_second=best,
            basis="measured",
            name="CPU X",
            place="cpu",
            measured=(read_at(best),),
        ),
        notices=(Notice("measure.short_output", {"tokens": "10"}),),
    )


def measured(
    campaign: str = "a", place: str = "cpu", device: str = "CPU X", best: float = 200e9
) -> list[Run]:
    """A campaign of four lengths, as it is kept: decode at 100 GB/s for every byte."""
    completed = Completer(COST, conditions(best))
    runs: list[Run] = []
    for tokens in (500, 2000, 8000, 16000):
        step = (1e9 + 1e5 * (tokens + 4.5)) / 100e9
        engine = RunEngine(name="engine", version="1", place=place)  # type: ignore[arg-type]
        runs += timed([step] * 3, tokens, first=len(runs), engine=engine, device=device)
    return [
        completed(structs.replace(run, campaign=campaign, id=f"{campaign}-{run.id}"))
        for run in runs
    ]


def kept(runs: list[Run], folder: Path) -> Path:
    path = folder / "runs.jsonl"
    RunsFile(path).replace(runs)
    return path


def test_the_file_alone_gives_bytes_ceiling_line_and_the_command(tmp_path: Path) -> None:
    found = api.report(kept(measured(), tmp_path)).analysis
    (series,) = found.series
    # 1 GB + 0.1 MB x 504.5 tokens; every byte at 100 of 200 GB/s.
    assert series.decode[0].read_bytes == 1e9 + 1e5 * 504.5
    assert series.decode[0].mbu == pytest.approx(0.5)
    assert series.line is not None
    assert series.line.added_bytes_per_second == pytest.approx(100e9)
    assert series.is_moe is False
    assert found.conditions.command == conditions().command
    assert found.conditions.machine == conditions().machine
    assert [each.id for each in found.conditions.notices] == ["short_output"]


def test_every_run_says_what_it_cost_and_the_first_what_surrounds_all() -> None:
    runs = measured()
    assert all(run.cost is not None and run.cost.read_bytes for run in runs)
    assert [run.conditions is not None for run in runs] == [True] + [False] * (len(runs) - 1)


def test_whole_bytes_are_written_as_whole_numbers() -> None:
    read = [run.cost.read_bytes for run in measured() if run.cost is not None]
    assert all(isinstance(each, int) for each in read)


def test_runs_say_of_their_cost_what_the_model_would(tmp_path: Path) -> None:
    runs = measured()
    bare = [structs.replace(run, cost=None) for run in runs]
    with_model = analyse(bare, {"model": COST}).series[0]
    alone = analyse(runs).series[0]
    assert [p.read_bytes for p in alone.decode] == [p.read_bytes for p in with_model.decode]
    assert [p.flop for p in alone.prefill] == [p.flop for p in with_model.prefill]


def test_a_page_is_read_as_the_runs_that_it_holds(tmp_path: Path) -> None:
    first = api.report(kept(measured(), tmp_path))
    page = tmp_path / "report.html"
    page.write_text(report_html(first.analysis, first.runs, figures=()), encoding="utf-8")
    again = api.report(page)
    assert again.analysis == first.analysis
    assert again.runs == first.runs


def test_of_a_resumed_campaign_the_better_bandwidth_counts_and_both_are_shown(
    tmp_path: Path,
) -> None:
    before, after = measured(best=200e9), measured(best=160e9)
    runs = [*before[:6], *after[6:]]
    second = structs.replace(runs[6], conditions=conditions(160e9))
    found = api.report(kept([*runs[:6], second, *runs[7:]], tmp_path)).analysis
    peak = found.series[0].peak
    assert peak is not None
    assert peak.bandwidth_bytes_per_second == 200e9
    assert [each.best_bytes_per_second for each in peak.bandwidth_measured] == [200e9, 160e9]
    said = summary_markdown(found)
    assert "2 measurements, of which the best counts" in said
    assert "200 GB/s: the fastest of 40 repeats with 2 threads (median 180 GB/s" in said


def test_the_spread_of_a_measured_bandwidth_is_on_the_page_and_in_the_summary(
    tmp_path: Path,
) -> None:
    found = api.report(kept(measured(), tmp_path)).analysis
    for said in (summary_markdown(found), report_html(found, (), figures=())):
        assert "median 180 GB/s, slowest 100 GB/s" in said


def test_what_one_machines_cpu_reads_bounds_no_run_of_another_campaign(tmp_path: Path) -> None:
    # Two campaigns in one file; the second one's engine ran on a GPU, of which nobody knows.
    on_gpu = measured("b", place="gpu", device="GPU Y")
    on_gpu = [structs.replace(run, conditions=None) for run in on_gpu]
    found = api.report(kept([*measured("a"), *on_gpu], tmp_path)).analysis
    ceilings = {s.device: s.decode[0].ceiling_tokens_per_second for s in found.series}
    assert ceilings["CPU X"] == pytest.approx(200e9 / (1e9 + 1e5 * 504.5))
    assert ceilings["GPU Y"] is None


def test_a_bandwidth_of_the_cpu_bounds_no_run_that_was_made_elsewhere(tmp_path: Path) -> None:
    found = api.report(kept(measured(place="gpu"), tmp_path)).analysis
    assert found.series[0].decode[0].ceiling_tokens_per_second is None


def test_of_two_campaigns_only_what_they_share_is_said_of_both(tmp_path: Path) -> None:
    one, two = measured("a"), measured("b")
    other = structs.replace(conditions(), command=("x",), machine={"os": "Debian 13"})
    two[0] = structs.replace(two[0], conditions=other)
    found = api.report(kept([*one, *two], tmp_path)).analysis.conditions
    assert found.command == ()
    assert found.machine == {}
    assert found.versions == {"tokenroof": "0.1.0"}


def example() -> Analysis:
    return api.report(EXAMPLE).analysis


def test_the_worked_example_needs_its_file_and_nothing_else() -> None:
    said = summary_markdown(example())
    for figure in ("187 GB/s", "235 GB/s", "73 % of", "47 % of", "69 % of", "22,600 + 500 tokens"):
        assert figure in said
    assert "256 GB/s, data sheet: 256 bit x 8000 MT/s / 8" in said


def test_missed_lengths_are_said_once_and_length_by_length_where_that_is_known() -> None:
    runs = timed([0.01] * 3, flags=("length_missed",))
    values = {"length": "1,024", "read": "1,000", "runs": "3"}
    noted = Conditions(notices=(Notice("measure.length_missed", values),))
    (with_note,) = remarks(analyse(runs, conditions=noted), (), "en")
    assert len([each for each in with_note.sentences if "1,0" in each or "asked" in each]) == 1
    (alone,) = remarks(analyse(runs), (), "en")
    assert any("3 of 3 runs" in each for each in alone.sentences)
