"""The protocol: what a campaign runs, in which order, and what it does when things go wrong."""

from __future__ import annotations

import errno
import itertools
import os
import random
from pathlib import Path
from typing import Any

import pytest

from support.fake_bench import FakeSensor, fake, make_bench, small_plan
from support.fake_engine import Event, FakeEngine, changed, died, refused
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Reply, Request, Step
from tokenroof.errors import (
    EngineDied,
    EngineError,
    EngineRefused,
    GGUFError,
    InputError,
    Interrupted,
    NotFound,
    NotQuiet,
    OutputError,
    RecordError,
    UsageError,
)
from tokenroof.measure.bench import Conditions
from tokenroof.measure.campaign import plan_of, resume_campaign, run_campaign
from tokenroof.measure.observer import Progress, SilentObserver
from tokenroof.measure.plan import Plan, Unit
from tokenroof.measure.schedule import StopReason
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.store.journal import Journal, RunsFile

WARM_UPS = 2
"""An engine without noise is stable after two runs: the second equals the first."""


class Diary(SilentObserver):
    """Writes down what it hears."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.progress: list[Progress] = []
        self.warm_ups: list[tuple[int, Progress]] = []

    def planned(self, campaign: str, plan: Plan, runs_before: int) -> None:
        self.events.append(("planned", runs_before))

    def loading(self, model: str, progress: Progress) -> None:
        self.events.append(("loading", model))

    def warming(self, run: int, at_most: int, progress: Progress) -> None:
        self.events.append(("warming", run))
        self.warm_ups.append((at_most, progress))

    def warming_step(self, run: int, at_most: int, step: Step) -> None:
        self.events.append(("warming step", step.phase))

    def waiting_quiet(
        self, waited_seconds: float, patience_seconds: float, reasons: tuple[Notice, ...]
    ) -> None:
        if waited_seconds == 0:
            self.events.append(("waiting", patience_seconds))

    def run_started(self, unit: Unit, progress: Progress) -> None:
        self.events.append(("started", unit.length, unit.round))
        self.progress.append(progress)

    def step(self, unit: Unit, step: Step) -> None:
        self.events.append(("step", step.phase))

    def run_finished(self, run: Run, progress: Progress) -> None:
        self.events.append(("run", run.workload.prompt_target, run.workload.round, run.excluded))
        self.progress.append(progress)

    def stopped_length(self, length: int, reason: StopReason) -> None:
        self.events.append(("stopped", length, reason))

    def noticed(self, notice: Notice) -> None:
        self.events.append(("notice", notice.id))

    def finished(self, campaign: str) -> None:
        self.events.append(("finished",))

    def of(self, kind: str) -> list[tuple[Any, ...]]:
        return [event for event in self.events if event[0] == kind]


def lengths_and_rounds(runs: tuple[Run, ...] | list[Run]) -> list[tuple[int | None, int | None]]:
    return [(run.workload.prompt_target, run.workload.round) for run in runs]


def test_the_promised_rounds_are_run_length_by_length_round_by_round(tmp_path: Path) -> None:
    plan = small_plan()
    result = run_campaign(plan, make_bench(tmp_path, fake()))
    expected = [(unit.length, unit.round) for unit in plan.units()]
    assert lengths_and_rounds(result.runs) == expected
    assert len(expected) == 6
    assert result.stopped == {400: "rounds", 800: "rounds"}


def test_a_run_holds_what_the_engine_said_and_under_which_conditions(tmp_path: Path) -> None:
    engine = fake()
    run = run_campaign(small_plan(), make_bench(tmp_path, engine)).runs[0]
    # 15 steps at 50 tokens per second; the prompt at 1000 tokens per second.
    assert run.output.steps == 15
    assert run.output.seconds == pytest.approx(15 / 50)
    assert run.prompt.seconds == pytest.approx((run.prompt.tokens or 0) / 1000)
    assert run.prefill_tokens_per_second == pytest.approx(1000)
    assert run.decode_tokens_per_second == pytest.approx(50)
    assert (run.source, run.engine.version, run.engine.backend) == ("fake", "1.0", "none")
    assert run.engine.place == "cpu"
    # 800 + 16 + 16 + 64 = 896, which is 3.5 x 256: padded to 1024.
    assert run.settings.context == 1024
    assert run.model.weight_bytes == 1e9
    assert run.workload.output_target == 16
    assert run.quiet.waited_seconds == pytest.approx(3.0)
    assert run.quiet.busy_during == 0.0
    assert run.excluded is None
    assert run.flags == ()


def test_prompts_hit_their_length_and_no_two_are_alike(tmp_path: Path) -> None:
    engine = fake()
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    for run in result.runs:
        target = run.workload.prompt_target
        assert target is not None
        assert abs((run.prompt.tokens or 0) - target) <= 0.02 * target
    heads = {request.prompt.splitlines()[0] for request in engine.requests}
    assert len(heads) == len(engine.requests) == 6 + WARM_UPS


def test_a_length_that_no_prompt_can_have_is_said_with_what_was_read_instead(
    tmp_path: Path,
) -> None:
    engine = fake()
    fine = engine.tokens_of
    # Prompts of 350 or 420 tokens there are, and nothing between.
    engine.tokens_of = lambda text: fine(text) // 70 * 70  # type: ignore[method-assign]
    result = run_campaign(small_plan(lengths=[400, 840]), make_bench(tmp_path, engine))
    missed = [run for run in result.runs if "length_missed" in run.flags]
    assert {(run.workload.prompt_target, run.prompt.tokens) for run in missed} == {(400, 420)}
    (notice,) = [each for each in result.notices if each.message == "measure.length_missed"]
    assert notice.values == {"length": "400", "read": "420", "runs": "3"}


def test_the_engine_is_loaded_once_and_the_load_is_told_with_the_first_run(tmp_path: Path) -> None:
    engine = fake()
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == 1
    assert [run.load_seconds for run in result.runs] == [2.0] + [None] * 5
    assert not engine.closed


def test_warm_up_goes_on_until_two_runs_agree(tmp_path: Path) -> None:
    costs = iter([3.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.05, 1.0])
    engine = FakeEngine(clock=FakeClock(), noise=lambda: next(costs, 1.0))
    diary = Diary()
    result = run_campaign(small_plan(), make_bench(tmp_path, engine, observer=diary))
    # 3, 2, 1, 1.05: only the last two differ by less than a tenth.
    assert diary.of("warming") == [("warming", n) for n in (1, 2, 3, 4)]
    assert len(result.runs) == 6


def test_a_warm_up_that_never_settles_is_said(tmp_path: Path) -> None:
    costs = itertools.cycle([1.0, 1.0, 2.0, 2.0])
    engine = FakeEngine(clock=FakeClock(), noise=lambda: next(costs))
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert "warm_up_unstable" in [notice.id for notice in result.notices]


@pytest.mark.parametrize(
    ("budget", "counts", "runs"),
    # A run takes 0.4 s and 15 steps at 50 a second, and every other one twice that: 0.7 s, 1.4 s.
    # One more like the last would end at 3.5 s after two or three, at 5.6 s after four.
    [
        (1.0, True, 2),
        (6.9, True, 2),
        (7.1, True, 4),
        (11.1, True, 4),
        (11.3, True, 5),
        (1.0, False, 3),  # the first is of another length, so only the third can be compared
    ],
)
def test_a_warm_up_that_does_not_settle_leaves_half_of_the_budget_to_the_runs(
    tmp_path: Path, budget: float, counts: bool, runs: int
) -> None:
    noise = itertools.cycle([1.0, 1.0, 2.0, 2.0])
    engine = FakeEngine(clock=FakeClock(), noise=lambda: next(noise), counts=counts)
    diary = Diary()
    plan = small_plan(budget_seconds=budget)
    run_campaign(plan, make_bench(tmp_path, engine, observer=diary))
    assert len(diary.warm_ups) == runs


def test_an_engine_that_cannot_count_first_still_gets_its_lengths(tmp_path: Path) -> None:
    engine = FakeEngine(clock=FakeClock(), counts=False, template_tokens=25)
    plan = small_plan(lengths=[512, 2048])
    result = run_campaign(plan, make_bench(tmp_path, engine))
    for run in result.runs:
        target = run.workload.prompt_target or 0
        assert abs((run.prompt.tokens or 0) - target) <= 0.02 * target
    assert all(run.excluded is None for run in result.runs)


def test_every_run_is_on_the_disk_before_the_next_one_starts(tmp_path: Path) -> None:
    class Checking(SilentObserver):
        stored: list[int] = []

        def run_started(self, unit: Unit, progress: Progress) -> None:
            self.stored.append(len(Journal(tmp_path).runs()))

    observer = Checking()
    run_campaign(small_plan(), make_bench(tmp_path, fake(), observer=observer))
    assert observer.stored == [0, 1, 2, 3, 4, 5]


def test_every_run_goes_to_every_sink(tmp_path: Path) -> None:
    copy = RunsFile(tmp_path / "copy.jsonl")
    result = run_campaign(small_plan(), make_bench(tmp_path / "data", fake(), sinks=[copy]))
    assert copy.runs() == list(result.runs) == Journal(tmp_path / "data").runs()


def test_ids_sort_by_time(tmp_path: Path) -> None:
    result = run_campaign(small_plan(), make_bench(tmp_path, fake()))
    ids = [run.id for run in result.runs]
    assert ids == sorted(ids)
    assert len(set(ids)) == 6
    assert all(id_[14] == "7" and len(id_) == 36 for id_ in ids)


def test_the_conditions_are_stored_beside_and_hold_the_plan(tmp_path: Path) -> None:
    plan = small_plan()
    result = run_campaign(plan, make_bench(tmp_path, fake()))
    record = Journal(tmp_path).campaign(result.campaign)
    assert record.state == "finished"
    assert record.finished is not None
    assert plan_of(record) == plan
    assert record.engine["identity"]["place"] == "cpu"
    assert record.stopped == {"400": "rounds", "800": "rounds"}


# Failures.


def test_a_failed_run_is_a_row_and_the_campaign_goes_on(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 2: died()}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    failed = [run for run in result.runs if run.excluded == "failed"]
    assert len(failed) == 1
    assert failed[0].prompt.seconds is None
    assert failed[0].raw["error"]["text"] == "the fake engine died"
    # The one that failed is made up for: each length has its three runs that count.
    for length in (400, 800):
        good = [r for r in result.runs if r.workload.prompt_target == length and not r.excluded]
        assert len(good) == 3
    assert engine.loads == 2
    assert [run.load_seconds for run in result.runs].count(2.0) == 2


def test_an_engine_that_only_said_no_is_not_loaded_again(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: refused()}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == 1
    assert [run.excluded for run in result.runs].count("failed") == 1


def test_a_length_that_always_fails_is_given_up_and_the_others_are_measured(
    tmp_path: Path,
) -> None:
    engine = fake()
    engine.always = lambda _request, tokens: refused() if tokens > 600 else None
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert result.stopped == {400: "rounds", 800: "failed"}
    assert sum(run.excluded == "failed" for run in result.runs) == 3
    assert "length_failed" in [notice.id for notice in result.notices]


def test_after_three_failures_in_a_row_the_campaign_ends_with_what_it_has(tmp_path: Path) -> None:
    engine = fake()

    def dead_after_two_runs(_request: Request, _tokens: int) -> Event | None:
        return died() if len(engine.requests) > WARM_UPS + 2 else None

    engine.always = dead_after_two_runs
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert [run.excluded for run in result.runs] == [None, None, "failed", "failed", "failed"]
    assert "gave_up" in [notice.id for notice in result.notices]
    assert set(result.stopped.values()) == {"failed"}


@pytest.mark.parametrize("request_number", [1, 2])
def test_an_engine_that_dies_while_it_warms_up_is_started_again(
    tmp_path: Path, request_number: int
) -> None:
    engine = fake()
    engine.script = {request_number: died()}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == 2
    assert [run.excluded for run in result.runs] == [None] * 6


def test_one_that_dies_in_every_warm_up_or_does_not_even_load_ends_the_campaign(
    tmp_path: Path,
) -> None:
    engine = fake()
    engine.always = lambda _request, _tokens: died()
    with pytest.raises(EngineDied):
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == 3
    engine = fake()
    engine.load_script = {1: died()}
    with pytest.raises(EngineDied):
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert engine.loads == 1


def test_a_load_that_fails_after_a_crash_is_a_row_too(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: died()}
    engine.load_script = {2: died()}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert [run.excluded for run in result.runs][:3] == ["failed", "failed", None]
    assert engine.loads == 3


@pytest.mark.parametrize("gone", [NotFound, GGUFError])
def test_a_model_file_that_vanished_before_it_is_loaded_again_is_a_row(
    tmp_path: Path, gone: type[InputError]
) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: died()}
    engine.load_script = {2: gone("gguf.not_found", path="m.gguf")}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert [run.excluded for run in result.runs][:3] == ["failed", "failed", None]
    assert result.runs[1].raw["error"]["kind"] == gone.__name__
    assert "m.gguf" in result.runs[1].raw["error"]["text"]


def test_a_full_disk_is_no_row_but_the_end(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: OutputError("store.disk_full", path="x", kept="0")}
    with pytest.raises(OutputError):
        run_campaign(small_plan(), make_bench(tmp_path, engine))


def test_where_all_runs_fail_it_is_an_engine_error_and_the_rows_are_kept(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {n: refused() for n in range(WARM_UPS + 1, 20)}
    with pytest.raises(EngineError) as caught:
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert caught.value.exit_code == 4
    assert "the fake engine refused" in str(caught.value)
    assert len(Journal(tmp_path).runs()) == 3
    assert Journal(tmp_path).campaigns()[0].state == "failed"


def test_a_model_that_does_not_load_is_the_engines_own_error(tmp_path: Path) -> None:
    engine = fake()
    engine.load_script = {1: refused()}
    with pytest.raises(EngineRefused):
        run_campaign(small_plan(), make_bench(tmp_path, engine))


def test_an_engine_with_a_smaller_context_than_asked_for_is_refused(tmp_path: Path) -> None:
    engine = FakeEngine(clock=FakeClock(), context=512)
    with pytest.raises(EngineRefused) as caught:
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert "512" in str(caught.value)
    assert "1,024" in str(caught.value)


def test_a_length_shorter_than_tag_and_instruction_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        run_campaign(small_plan(lengths=[20]), make_bench(tmp_path, fake()))
    assert caught.value.message == "measure.length_too_short"


# What a reply says about itself.


@pytest.mark.parametrize(
    ("change", "flag", "excluded"),
    [
        ({"prompt_cached": 300}, None, "cache_hit"),
        ({"prompt_cached": 1}, None, None),
        ({"prompt_tokens": 210}, "truncated", "truncated"),
        ({"output_tokens": 9, "output_steps": 8}, "stopped_early", "stopped_early"),
        ({"output_tokens": 0, "output_steps": 0}, "empty_output", "stopped_early"),
        ({"flags": ("reloaded",)}, "reloaded", "reloaded"),
        ({"flags": ("speculative",)}, "speculative", None),
        ({"prompt_tokens": None}, None, None),
    ],
)
def test_a_run_that_was_not_the_one_asked_for_is_excluded_with_its_reason(
    tmp_path: Path, change: dict[str, Any], flag: str | None, excluded: str | None
) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: changed(**change)}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    run = result.runs[0]
    assert run.excluded == excluded
    if flag is not None:
        assert flag in run.flags
    # An excluded run stays in the record and is made up for.
    assert len(result.runs) == (6 if excluded is None else 7)


def test_a_slow_run_is_never_excluded_for_being_slow(tmp_path: Path) -> None:
    def slow(reply: Reply) -> Reply:
        return changed(output_seconds=99.0, prompt_seconds=99.0)(reply)

    engine = fake()
    engine.script = {WARM_UPS + 1: slow}
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert result.runs[0].excluded is None
    assert len(result.runs) == 6


def test_a_length_whose_runs_are_all_excluded_is_given_up(tmp_path: Path) -> None:
    engine = fake()
    engine.always = lambda _request, tokens: (
        changed(output_tokens=3, output_steps=2) if tokens > 600 else None
    )
    result = run_campaign(small_plan(), make_bench(tmp_path, engine))
    assert result.stopped == {400: "rounds", 800: "excluded"}
    assert sum(run.excluded == "stopped_early" for run in result.runs) == 6


def test_a_short_prompt_is_marked(tmp_path: Path) -> None:
    result = run_campaign(small_plan(lengths=[110]), make_bench(tmp_path, fake()))
    assert all("prefill_too_short" in run.flags for run in result.runs)
    assert all(run.prefill_tokens_per_second is None for run in result.runs)


@pytest.mark.parametrize(
    ("tokens", "short"),
    [(127, False), (126, False), (125, True)],  # 2 % of 128 are 2.56
)
def test_a_prompt_as_close_to_128_tokens_as_it_has_to_be_is_not_a_short_one(
    tmp_path: Path, tokens: int, short: bool
) -> None:
    engine = fake()
    engine.always = lambda _request, _tokens: changed(prompt_tokens=tokens)
    result = run_campaign(small_plan(lengths=[128]), make_bench(tmp_path, engine))
    assert {"prefill_too_short" in run.flags for run in result.runs} == {short}


# The machine around it.


def test_one_busy_look_is_a_blink_and_stands_in_the_record(tmp_path: Path) -> None:
    # The watch looks once as a run begins and once as it ends; these are the third run's.
    looks = iter([0.0] * 4 + [0.6] * 2 + [0.0] * 99)
    sensor = FakeSensor(beside=lambda: next(looks))
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), sensor))
    assert [run.quiet.busy_during for run in result.runs] == [0.0, 0.0, 0.6, 0.0, 0.0, 0.0]
    assert all(run.excluded is None for run in result.runs)


def test_a_run_beside_another_jobs_queue_is_excluded_and_made_up_for(tmp_path: Path) -> None:
    queue = iter([0, 0, 1, 1] + [0] * 99)
    sensor = FakeSensor(queued=lambda: next(queue))
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), sensor))
    assert [run.excluded for run in result.runs] == [None, "queue_busy", *[None] * 5]
    assert result.runs[1].quiet.queue_during == 1


def test_where_it_never_becomes_quiet_every_run_is_flagged_and_the_campaign_goes_on(
    tmp_path: Path,
) -> None:
    sensor = FakeSensor(idle=lambda: 0.5, beside=lambda: 0.5)
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), sensor))
    assert len(result.runs) == 6
    assert all("contended" in run.flags and run.excluded is None for run in result.runs)
    assert [notice.id for notice in result.notices][:2] == ["contended", "busy"]
    assert "6 of 6" in result.notices[0].text()


def test_noise_that_comes_after_three_undisturbed_rounds_excludes(tmp_path: Path) -> None:
    diary = Diary()

    def noisy() -> bool:
        return len(diary.of("run")) >= 6

    sensor = FakeSensor(idle=lambda: 0.5 * noisy(), queued=lambda: int(noisy()))
    bench = make_bench(tmp_path, fake(), sensor, observer=diary)
    result = run_campaign(small_plan(max_rounds=5), bench)
    assert [run.excluded for run in result.runs] == [None] * 6 + ["queue_busy"] * 12
    assert result.stopped == {400: "excluded", 800: "excluded"}


def test_waiting_in_vain_is_halved_each_time_down_to_five_seconds(tmp_path: Path) -> None:
    sensor = FakeSensor(idle=lambda: 0.5)
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), sensor))
    waited = [run.quiet.waited_seconds for run in result.runs]
    # The wait before the warm-up took the whole 60.
    assert waited == pytest.approx([30, 15, 7.5, 5, 5, 5])


def test_strict_stops_where_it_is_not_quiet_and_keeps_what_was_measured(tmp_path: Path) -> None:
    runs_so_far = {"n": 0}
    sensor = FakeSensor(idle=lambda: 0.5 if runs_so_far["n"] >= 2 else 0.0)

    class Counting(SilentObserver):
        def run_finished(self, run: Run, progress: Progress) -> None:
            runs_so_far["n"] += 1

    bench = make_bench(tmp_path, fake(), sensor, observer=Counting())
    with pytest.raises(NotQuiet):
        run_campaign(small_plan(strict=True), bench)
    assert len(Journal(tmp_path).runs()) == 2
    assert Journal(tmp_path).campaigns()[0].state == "failed"


def test_a_slow_probe_flags_the_runs_on_both_sides_of_it(tmp_path: Path) -> None:
    # One probe before the first run, then one after each: the third of seven is slow, three times.
    probes = iter([100.0, 99.0, 40.0, 39.0, 38.0, 98.0, 97.0, 99.0, 100.0])
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), probes=probes))
    flagged = ["contended" in run.flags for run in result.runs]
    assert flagged == [False, True, True, False, False, False]
    assert all(run.excluded is None for run in result.runs)
    (notice,) = [notice for notice in result.notices if notice.id == "probe_slower"]
    # 40 of at best 100: 60 % slower, beside two runs.
    assert notice.values == {"percent": "60 %", "runs": "2"}


def test_a_probe_that_was_slow_from_the_start_is_seen_once_it_becomes_better(
    tmp_path: Path,
) -> None:
    probes = iter([40.0, 40.0, 100.0, 100.0, 100.0, 100.0, 100.0])
    result = run_campaign(small_plan(), make_bench(tmp_path, fake(), probes=probes))
    (notice,) = [notice for notice in result.notices if notice.id == "probe_slower"]
    assert notice.values["runs"] == "2"


def test_drift_over_the_campaign_is_said(tmp_path: Path) -> None:
    engine = fake()
    # Each request is 2 % slower than the one before: over 18 runs the thirds lie 24 % apart.
    engine.noise = lambda: 1.02 ** len(engine.requests)
    result = run_campaign(small_plan(rounds=9, max_rounds=9), make_bench(tmp_path, engine))
    assert [notice.id for notice in result.notices].count("drift_slower") == 2


def test_a_steady_campaign_says_nothing(tmp_path: Path) -> None:
    plan = small_plan(rounds=9, max_rounds=9, output_tokens=32)
    result = run_campaign(plan, make_bench(tmp_path, fake()))
    assert result.notices == ()


def test_an_answer_of_few_tokens_is_said_to_be_short(tmp_path: Path) -> None:
    result = run_campaign(small_plan(output_tokens=31), make_bench(tmp_path, fake()))
    assert [notice.id for notice in result.notices] == ["short_output"]


# Stopping.


def test_without_noise_every_length_is_precise_at_six(tmp_path: Path) -> None:
    result = run_campaign(small_plan(max_rounds=30), make_bench(tmp_path, fake()))
    assert result.stopped == {400: "precision", 800: "precision"}
    assert len(result.runs) == 12


def test_the_budget_ends_what_is_not_precise_and_short_lengths_get_more(tmp_path: Path) -> None:
    draw = random.Random(1)
    engine = FakeEngine(clock=FakeClock(), noise=lambda: draw.uniform(0.7, 1.3))
    engine.prefill_tokens_per_second = 100.0
    plan = small_plan(lengths=[200, 4000], max_rounds=30, budget_seconds=300.0)
    result = run_campaign(plan, make_bench(tmp_path, engine))
    assert result.stopped == {200: "budget", 4000: "budget"}
    n = dict.fromkeys(plan.lengths, 0)
    for run in result.runs:
        n[run.workload.prompt_target or 0] += 1
    # 3 x 43 s for the long one; three more would not fit beside the short ones' rounds.
    assert n[4000] == 3
    assert n[200] > 12
    # The last runs may take a little longer than those before them.
    assert engine.clock.monotonic() <= 305.0


def test_the_promised_rounds_are_run_even_beyond_the_budget_and_that_is_said(
    tmp_path: Path,
) -> None:
    plan = small_plan(max_rounds=30, budget_seconds=5.0)
    result = run_campaign(plan, make_bench(tmp_path, fake()))
    assert len(result.runs) == 6
    assert result.stopped == {400: "budget", 800: "budget"}
    assert "over_budget" in [notice.id for notice in result.notices]


def test_a_run_that_stands_in_for_an_excluded_one_is_no_added_one(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {WARM_UPS + 1: changed(output_tokens=3, output_steps=2)}
    plan = small_plan(max_rounds=30, budget_seconds=5.0)
    result = run_campaign(plan, make_bench(tmp_path, engine))
    assert (len(result.runs), result.runs[0].excluded) == (7, "stopped_early")
    assert "over_budget" in [notice.id for notice in result.notices]


# Progress.


def test_observers_hear_everything_in_its_order(tmp_path: Path) -> None:
    diary = Diary()
    run_campaign(small_plan(), make_bench(tmp_path, fake(), observer=diary))
    kinds = [event[0] for event in diary.events]
    warm_up = ["warming", "warming step", "warming step"]
    assert kinds[:9] == ["planned", "loading", "waiting", *warm_up, *warm_up]
    assert kinds[9:14] == ["waiting", "started", "step", "step", "run"]
    assert kinds[-4:] == ["stopped", "stopped", "notice", "finished"]


def test_the_eta_falls_to_zero_and_is_right_where_nothing_varies(tmp_path: Path) -> None:
    diary = Diary()
    engine = fake()
    run_campaign(small_plan(), make_bench(tmp_path, engine, observer=diary))
    last = diary.progress[-1]
    assert (last.runs_done, last.runs_expected, last.remaining_seconds) == (6, 6, 0.0)
    assert all(progress.runs_expected == 6 for progress in diary.progress)
    end = last.elapsed_seconds
    for progress in diary.progress[4:]:  # both lengths have run once by then
        assert progress.remaining_seconds is not None
        # A run that has started is still to come whole.
        assert progress.elapsed_seconds + progress.remaining_seconds == pytest.approx(end, abs=3.1)


def test_progress_counts_from_the_first_warm_up_run_and_knows_the_time_from_the_second(
    tmp_path: Path,
) -> None:
    diary = Diary()
    run_campaign(small_plan(), make_bench(tmp_path, fake(), observer=diary))
    (most, first), (_, second) = diary.warm_ups
    assert most == 5
    for progress in (first, second):
        assert (progress.runs_done, progress.runs_expected) == (0, 6)
    assert first.remaining_seconds is None
    # A run of 400 tokens: 0.4 s + 15 steps / 50 = 0.7 s after 3 s of quiet; one of 800 by its share
    # of tokens, (800 + 16) / (400 + 16). Three of each, and the warm-up run that begins now.
    short = 0.4 + 15 / 50 + 3.0
    expected = 3 * short + 3 * short * 816 / 416 + short
    assert second.remaining_seconds == pytest.approx(expected, rel=0.02)


def test_until_a_run_is_known_the_time_is_that_of_earlier_campaigns(tmp_path: Path) -> None:
    earlier = run_campaign(small_plan(), make_bench(tmp_path / "a", fake())).runs
    diary = Diary()
    run_campaign(small_plan(), make_bench(tmp_path / "b", fake(), observer=diary, earlier=earlier))
    (_, first), (_, second) = diary.warm_ups
    # 3.7 s a run of 400 tokens and 4.1 s one of 800 (0.8 s to read): three of each, two warm-ups.
    assert first.remaining_seconds == pytest.approx(3 * 3.7 + 3 * 4.1 + 2 * 3.7, rel=0.02)
    # From then on they tell nothing: the one of 800 is again known by its share of tokens alone.
    assert second.remaining_seconds == pytest.approx(3 * 3.7 * (1 + 816 / 416) + 3.7, rel=0.02)


# Interruption and resumption.


def interrupted_after(runs: int) -> FakeEngine:
    engine = fake()
    engine.script = {WARM_UPS + runs + 1: KeyboardInterrupt()}
    return engine


def test_ctrl_c_keeps_every_run_that_ended_and_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(Interrupted) as caught:
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(3)))
    record = Journal(tmp_path).campaigns()[0]
    assert caught.value.exit_code == 130
    assert record.id in str(caught.value)
    assert "3 runs" in str(caught.value)
    assert record.state == "interrupted"
    assert len(Journal(tmp_path).runs()) == 3


@pytest.mark.parametrize("done", [0, 1, 3, 5])
def test_a_resumed_campaign_does_what_is_left_and_nothing_twice(tmp_path: Path, done: int) -> None:
    plan = small_plan()
    with pytest.raises(Interrupted):
        run_campaign(plan, make_bench(tmp_path, interrupted_after(done)))
    id_ = Journal(tmp_path).campaigns()[0].id
    engine = fake()
    result = resume_campaign(id_, make_bench(tmp_path, engine))
    assert result.campaign == id_
    assert lengths_and_rounds(result.runs) == [(unit.length, unit.round) for unit in plan.units()]
    assert len(engine.requests) == 6 - done + WARM_UPS
    assert Journal(tmp_path).runs() == list(result.runs)


def test_a_campaign_that_gave_up_gets_a_new_chance_when_resumed(tmp_path: Path) -> None:
    engine = fake()
    engine.script = {n: refused() for n in range(WARM_UPS + 1, 20)}
    with pytest.raises(EngineError):
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    id_ = Journal(tmp_path).campaigns()[0].id
    result = resume_campaign(id_, make_bench(tmp_path, fake()))
    assert result.stopped == {400: "rounds", 800: "rounds"}
    assert sum(run.excluded is None for run in result.runs) == 6


def test_resuming_fills_up_a_copy_that_misses_a_run(tmp_path: Path) -> None:
    copy = RunsFile(tmp_path / "copy.jsonl")
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(3), sinks=[copy]))
    whole = copy.path.read_bytes().splitlines(keepends=True)
    copy.path.write_bytes(b"".join(whole[:-1]) + whole[-1][:40])
    id_ = Journal(tmp_path).campaigns()[0].id
    result = resume_campaign(id_, make_bench(tmp_path, fake(), sinks=[copy]))
    assert {run.id for run in copy.runs()} == {run.id for run in result.runs}
    # Two whole lines from before, the torn one, the one that it should have been, and three more.
    assert len(copy.path.read_bytes().splitlines()) == 7


def test_a_resumed_campaign_counts_the_time_that_was_spent_before(tmp_path: Path) -> None:
    diary = Diary()
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(3)))
    before = sum(
        (run.wall_seconds or 0) + (run.quiet.waited_seconds or 0)
        for run in Journal(tmp_path).runs()
    )
    id_ = Journal(tmp_path).campaigns()[0].id
    resume_campaign(id_, make_bench(tmp_path, fake(), observer=diary))
    assert before > 9  # three waits of three seconds
    assert diary.progress[0].elapsed_seconds > before


def test_a_resumed_campaign_keeps_what_only_its_first_session_could_find(tmp_path: Path) -> None:
    noise = itertools.cycle([1.0, 1.0, 2.0, 2.0])
    engine = fake()
    engine.noise = lambda: next(noise)
    engine.script = {5 + 2: KeyboardInterrupt()}  # five warm-up runs that never agree, and one run
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    (record,) = Journal(tmp_path).campaigns()
    assert {each.message for each in record.notices} == {"measure.warm_up_unstable"}
    again = resume_campaign(record.id, make_bench(tmp_path, fake()))
    assert "measure.warm_up_unstable" in {each.message for each in again.notices}
    kept = Journal(tmp_path).campaign(record.id)
    assert "measure.warm_up_unstable" in {each.message for each in kept.notices}


def test_a_resumed_campaign_still_tells_of_slow_probes_before_it_stopped(tmp_path: Path) -> None:
    # The first probe is the best. The one after the first run, thrice, is half of it.
    probes = itertools.chain([100.0, 50.0, 50.0, 50.0], itertools.repeat(100.0))
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(2), probes=probes))
    id_ = Journal(tmp_path).campaigns()[0].id
    quiet = itertools.repeat(100.0)
    result = resume_campaign(id_, make_bench(tmp_path, fake(), probes=quiet))
    (slow,) = [each for each in result.notices if each.message == "measure.probe_slower"]
    assert slow.values == {"percent": "50 %", "runs": "2"}  # it stands between the two


def test_a_resumed_campaign_notes_the_versions_and_the_bandwidth_of_both_sessions(
    tmp_path: Path,
) -> None:
    begun = Conditions(versions={"tokenroof": "1", "python": "3.11"}, bandwidth={"first": 1})
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(1), conditions=begun))
    id_ = Journal(tmp_path).campaigns()[0].id
    engine = interrupted_after(1)
    now = Conditions(versions={"tokenroof": "2", "python": "3.11"}, bandwidth={"both": 2})
    with pytest.raises(Interrupted):  # even if it is stopped once more
        resume_campaign(id_, make_bench(tmp_path, engine, conditions=now))
    record = Journal(tmp_path).campaign(id_)
    assert record.versions == {"tokenroof": "1, then 2", "python": "3.11"}
    assert record.bandwidth == {"both": 2}


def test_another_processor_cannot_resume(tmp_path: Path) -> None:
    begun = Conditions(machine={"cpu_name": "A"})
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(1), conditions=begun))
    id_ = Journal(tmp_path).campaigns()[0].id
    other = make_bench(tmp_path, fake(), conditions=Conditions(machine={"cpu_name": "B"}))
    with pytest.raises(UsageError, match="processor"):
        resume_campaign(id_, other)


def test_another_engine_version_cannot_resume(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run_campaign(small_plan(), make_bench(tmp_path, interrupted_after(1)))
    id_ = Journal(tmp_path).campaigns()[0].id
    with pytest.raises(UsageError) as caught:
        resume_campaign(id_, make_bench(tmp_path, FakeEngine(version="2.0")))
    assert "engine version" in str(caught.value)
    assert "1.0" in str(caught.value)
    assert "2.0" in str(caught.value)


def test_what_was_never_begun_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        resume_campaign("0192", make_bench(tmp_path, fake()))


def test_a_plan_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    result = run_campaign(small_plan(), make_bench(tmp_path, fake()))
    path = tmp_path / "campaigns" / f"{result.campaign}.json"
    path.write_text(path.read_text().replace('"rounds": 3', '"rounds": "three"'))
    with pytest.raises(RecordError) as caught:
        resume_campaign(result.campaign, make_bench(tmp_path, fake()))
    assert caught.value.message == "measure.bad_plan"


def test_a_full_disk_ends_the_campaign_plainly_and_keeps_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = fake()
    real = os.fsync

    def full(handle: int) -> None:
        if len(engine.requests) > WARM_UPS + 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError) as caught:
        run_campaign(small_plan(), make_bench(tmp_path, engine))
    monkeypatch.undo()
    assert caught.value.message == "store.disk_full"
    assert len(Journal(tmp_path).runs()) == 2
    id_ = Journal(tmp_path).campaigns()[0].id
    assert len(resume_campaign(id_, make_bench(tmp_path, fake())).runs) == 6
