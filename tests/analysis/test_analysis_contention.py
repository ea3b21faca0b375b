"""Other work beside the runs is said once, before everything else, with what it took."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from support.measured_runs import timed
from tokenroof.analysis import Conditions, analyse
from tokenroof.notices import Notice
from tokenroof.records import Quiet, Run

BUSY = {"message": "quiet.busy", "values": {"source": "CPU", "share": "99 %"}}
QUEUE = {"message": "quiet.queue", "values": {"source": "http://host:1", "jobs": "2"}}


def contended(count: int, beside: dict[str, Any], busy: float | None = None) -> list[Run]:
    return [
        structs.replace(
            each, flags=("contended",), raw={"beside": beside}, quiet=Quiet(busy_before=busy)
        )
        for each in timed([0.01] * count)
    ]


@pytest.mark.parametrize(
    ("beside", "busy", "said"),
    [
        ({"not_quiet": [BUSY]}, 0.87, "which used up to 87 % of the CPU"),
        ({"not_quiet": [QUEUE]}, None, "with jobs in the queue at http://host:1"),
        ({"probe_ratio": 0.26}, None, "slowed a short test loop down by up to 74 %"),
        ({}, None, "(contended), so the figures may be too low"),
        ({"not_quiet": "?"}, 0.5, "(contended), so the figures may be too low"),
    ],
)
def test_the_first_sentence_says_what_the_other_work_took(
    beside: dict[str, Any], busy: float | None, said: str
) -> None:
    (first,) = analyse(contended(3, beside, busy)).lead
    assert "3 of 3 runs were made beside other work" in first.text()
    assert said in first.text()


def test_one_run_is_said_in_the_singular() -> None:
    runs = [*contended(1, {}), *timed([0.01, 0.01], first=5)]
    (first,) = analyse(runs).lead
    assert "1 of 3 runs was made beside other work" in first.text()


def test_runs_that_count_and_runs_that_do_not_are_counted_apart() -> None:
    out = timed([0.05], first=7, excluded="contended")
    counts, excluded = analyse([*contended(2, {}), *out]).lead
    assert counts.values["count"] == 2
    assert "1 of 3 runs was made beside other work (contended) and is left out" in excluded.text()


def test_what_the_campaign_noted_of_it_is_not_said_again() -> None:
    noted = (
        Notice("measure.contended", {"runs": "3", "total": "3"}),
        Notice("quiet.busy", {"source": "CPU", "share": "99 %"}),
        Notice("measure.probe_slower", {"percent": "74 %", "runs": "2"}),
        Notice("measure.drift_slower", {"phase": "decode", "percent": "9 %"}),
        Notice("measure.short_output", {"tokens": "8"}),
    )
    found = analyse(contended(3, {}), conditions=Conditions(notices=noted))
    assert [each.id for each in found.conditions.notices] == ["short_output"]
    assert "flag_contended" not in {each.id for each in found.series[0].notices}


def test_where_no_run_is_marked_what_the_campaign_noted_stays() -> None:
    noted = (Notice("measure.probe_slower", {"percent": "74 %", "runs": "2"}),)
    found = analyse(timed([0.01] * 3), conditions=Conditions(notices=noted))
    assert [each.id for each in found.conditions.notices] == ["probe_slower"]


def test_of_several_series_each_says_whether_it_is_meant() -> None:
    other = [
        structs.replace(run, device="other", id=f"other-{run.id}") for run in timed([0.01] * 3)
    ]
    marked, quiet = analyse([*contended(3, {}), *other]).series
    assert "flag_contended" in {each.id for each in marked.notices}
    assert "flag_contended" not in {each.id for each in quiet.notices}
