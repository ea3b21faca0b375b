"""An engine that measures conditions goes through the same protocol: order, gate, watch, disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_bench import FakeSensor, make_bench, small_plan
from support.fake_engine import FakeSampler, died, refused
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Condition
from tokenroof.measure.campaign import run_campaign


def sampler(**others: object) -> FakeSampler:
    return FakeSampler(clock=FakeClock(), **others)  # type: ignore[arg-type]


def test_it_is_asked_for_conditions_in_the_order_of_the_plan_and_never_for_text(
    tmp_path: Path,
) -> None:
    engine = sampler()
    plan = small_plan()
    result = run_campaign(plan, make_bench(tmp_path, engine))
    assert engine.requests == []  # not even to warm up: it does that by itself
    assert engine.counted == 0
    assert engine.conditions == [
        Condition(prompt_tokens=unit.length, output_tokens=unit.output_tokens)
        for unit in plan.units()
    ]
    for run in result.runs:
        assert run.prompt.tokens == run.workload.prompt_target
        assert (run.output.tokens, run.output.steps) == (16, 16)
        assert run.excluded is None


def test_each_sample_is_a_run_and_the_unit_was_waited_for_once(tmp_path: Path) -> None:
    result = run_campaign(small_plan(), make_bench(tmp_path, sampler(samples=3)))
    # Three promised runs a length, which the first process of each has made.
    assert [run.workload.prompt_target for run in result.runs].count(400) == 3
    assert len(result.runs) == 6
    assert len({run.id for run in result.runs}) == 6
    first, second, third = result.runs[:3]
    assert {run.workload.round for run in result.runs[:3]} == {1}
    # The gate held for three seconds, once; the load belongs to the first.
    assert (first.quiet.waited_seconds, second.quiet.waited_seconds) == (3.0, 0.0)
    assert (first.load_seconds, second.load_seconds, third.load_seconds) == (2.0, None, None)
    # 400 or 800 tokens at 1000 tokens/s, the n-th sample n times as slow: no averages.
    length = first.workload.prompt_target or 0
    assert [run.prompt.seconds for run in result.runs[:3]] == pytest.approx(
        [length / 1000, 2 * length / 1000, 3 * length / 1000]
    )


def test_a_part_that_fails_is_a_row_beside_what_was_measured(tmp_path: Path) -> None:
    engine = sampler(problem=refused())
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    kinds = [run.excluded for run in result.runs]
    assert kinds[:2] == [None, "failed"]
    assert kinds.count(None) == 6
    failed = result.runs[1]
    assert failed.raw["error"]["text"] == "the fake engine refused"
    assert failed.wall_seconds == pytest.approx(5.0)
    assert engine.loads == 1


def test_an_engine_that_died_in_a_part_is_loaded_again(tmp_path: Path) -> None:
    engine = sampler(problem=died())
    run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == len(engine.conditions)


def test_other_work_beside_a_process_flags_all_its_samples(tmp_path: Path) -> None:
    sensor = FakeSensor(idle=lambda: 0.5, beside=lambda: 0.5)
    plan = small_plan(wait_quiet_seconds=0)
    result = run_campaign(plan, make_bench(tmp_path, sampler(samples=2), sensor))
    assert all("contended" in run.flags for run in result.runs)
    assert all(run.quiet.busy_during == 0.5 for run in result.runs)
