"""One condition over versions and dates."""

from __future__ import annotations

import pytest
from msgspec import structs

from support.compared_runs import runs
from tokenroof.comparing import history_of
from tokenroof.errors import NotFound
from tokenroof.records import Aggregate, Run, RunEngine, RunModel


def session(seed: int, date: str, version: str, factor: float = 1.0, count: int = 9) -> list[Run]:
    engine = RunEngine(name="llama-server", version=version)
    found = runs(seed, count=count, factor=factor, lengths=(512,), engine=engine)
    return [structs.replace(run, started=f"{date}T10:00:00.000Z") for run in found]


def test_sessions_are_in_the_order_of_time_and_a_step_is_marked() -> None:
    history = history_of(
        [
            *session(3, "2026-10-02", "b5200", factor=1.08),
            *session(1, "2026-09-01", "b5100"),
            *session(2, "2026-09-20", "b5163"),
        ]
    )
    assert [each.version for each in history.sessions] == ["b5100", "b5163", "b5200"]
    steps = [each.step for each in history.sessions]
    assert steps[:2] == [None, None]
    assert steps[2] == pytest.approx(1.08, abs=0.01)
    last = history.sessions[2]
    assert last.step_low is not None
    assert last.step_high is not None
    assert 1 < last.step_low <= 1.08 <= last.step_high


def test_the_same_version_on_two_days_is_two_sessions() -> None:
    history = history_of([*session(1, "2026-09-01", "b1"), *session(2, "2026-09-02", "b1")])
    assert [each.date for each in history.sessions] == ["2026-09-01", "2026-09-02"]


def test_the_condition_that_was_measured_most_often_is_shown_and_others_are_counted() -> None:
    other = [
        structs.replace(run, id=f"o{run.id}", model=RunModel(name="other"))
        for run in session(9, "2026-09-01", "b1")
    ]
    often = [*session(1, "2026-09-01", "b1"), *session(2, "2026-09-02", "b2")]
    history = history_of([*other, *often])
    assert (history.label, history.others) == ("qwen3-8b · Q4_K_M · llama-server", 1)
    assert history_of([*other, *often], model="OTHER").label == "other · llama-server"


def test_stated_means_and_excluded_runs_make_no_history() -> None:
    mean = structs.replace(runs(5, count=1, lengths=(512,))[0], id="m", aggregate=Aggregate(of=5))
    gone = [structs.replace(run, excluded="contended") for run in session(2, "2026-09-02", "b2")]
    history = history_of([*session(1, "2026-09-01", "b1"), mean, *gone])
    assert len(history.sessions) == 1
    assert "1 stated" in history.notices[0].text()


@pytest.mark.parametrize("wanted", [{"model": "none such"}, {"tokens": 7}])
def test_a_condition_that_was_never_measured_is_not_found(wanted: dict[str, object]) -> None:
    with pytest.raises(NotFound):
        history_of(session(1, "2026-09-01", "b1"), **wanted)  # type: ignore[arg-type]
