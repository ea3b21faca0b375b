"""How many threads are enough: found before the measurement, kept through it, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest

from support.fake_bench import make_bench, small_plan
from support.fake_engine import FakeEngine, died
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Reply, Request, Step, Threaded
from tokenroof.errors import EngineRefused, Interrupted
from tokenroof.hardware.machine import Machine
from tokenroof.measure import loading
from tokenroof.measure.campaign import resume_campaign, run_campaign
from tokenroof.measure.knee import knee, thread_counts
from tokenroof.records import Settings

SIXTEEN = Machine(physical_cores=8, logical_cores=16, usable_cores=16)

# Memory is used up by four threads; arithmetic goes on to the eight cores, and second threads of
# a core are in the way.
DECODE = {1: 20.0, 2: 39.0, 4: 49.0, 8: 50.0, 16: 40.0}
PREFILL = {1: 100.0, 2: 200.0, 4: 400.0, 8: 790.0, 16: 600.0}


TRIALS = 2 * len(DECODE)


class Threads(FakeEngine):
    """An engine whose speed depends on its threads."""

    threads: tuple[int, int] = (0, 0)
    disturbed: int = TRIALS

    def set_threads(self, decode: int, prefill: int) -> Settings:
        self.threads = (decode, prefill)
        self.decode_tokens_per_second = DECODE[decode]
        self.prefill_tokens_per_second = PREFILL[prefill]
        batch = None if prefill == decode else prefill
        return Settings(context=4096, threads=decode, threads_batch=batch)

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        reply = super().run(request, watch)
        if len(self.requests) > self.disturbed or len(self.requests) % 2:
            return reply
        # Of each pair of trials the second is disturbed.
        seconds = reply.output_seconds or 0.0
        return msgspec.structs.replace(reply, output_seconds=seconds * 3)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "this_machine", lambda: SIXTEEN)


@pytest.mark.parametrize(
    ("machine", "counts"),
    [
        (SIXTEEN, (1, 2, 4, 8, 16)),
        (Machine(physical_cores=6, logical_cores=12, usable_cores=12), (1, 2, 4, 6, 8, 12)),
        (Machine(physical_cores=64, usable_cores=3), (1, 2, 3)),  # a container's share
        (Machine(), (1,)),
    ],
)
def test_what_is_tried_are_doublings_and_all_cores(
    machine: Machine, counts: tuple[int, ...]
) -> None:
    assert thread_counts(machine) == counts


@pytest.mark.parametrize(
    ("seconds", "enough"),
    [
        ({1: 1.0, 2: 0.5, 4: 0.26, 8: 0.255, 16: 0.4}, 4),  # 2 % from the best
        ({1: 1.0, 2: 0.5, 4: 0.26, 8: 0.25}, 8),  # 4 %
        ({1: 1.0}, 1),
        ({2: 1.0, 1: 1.0}, 1),
        ({}, 16),
    ],
)
def test_the_fewest_threads_within_three_percent_of_the_best_are_enough(
    seconds: Mapping[int, float], enough: int
) -> None:
    assert knee(seconds, 16) == enough


def test_decode_and_prefill_get_their_own_and_the_runs_say_so(
    tmp_path: Path, machine: None
) -> None:
    engine = Threads(clock=FakeClock())
    assert isinstance(engine, Threaded)
    result = run_campaign(small_plan(threads_auto=True), make_bench(tmp_path, engine))
    # 49 of 50 tokens/s is within 3 %; 400 of 790 is not.
    assert engine.threads == (4, 8)
    assert {(run.settings.threads, run.settings.threads_batch) for run in result.runs} == {(4, 8)}
    (said,) = [each for each in result.notices if each.message == "measure.threads_chosen"]
    assert said.values == {"decode": 4, "prefill": 8, "most": 16}


def test_an_engine_that_died_goes_on_with_the_threads_that_were_found(
    tmp_path: Path, machine: None
) -> None:
    engine = Threads(clock=FakeClock())
    engine.script = {TRIALS + 2 + 1: died()}  # the first run after trials and warm-up
    run_campaign(small_plan(threads_auto=True), make_bench(tmp_path, engine))
    assert engine.loads == 2
    # Trials and warm-up, a run that died, another warm-up, and six runs.
    assert len(engine.requests) == TRIALS + 2 + 1 + 2 + 6
    assert engine.threads == (4, 8)


def test_a_resumed_campaign_goes_on_with_the_threads_of_its_runs(
    tmp_path: Path, machine: None
) -> None:
    engine = Threads(clock=FakeClock())
    engine.script = {TRIALS + 2 + 3: KeyboardInterrupt()}
    bench = make_bench(tmp_path, engine)
    with pytest.raises(Interrupted):
        run_campaign(small_plan(threads_auto=True), bench)
    again = Threads(clock=FakeClock())
    again.disturbed = 0
    (record,) = bench.journal.campaigns()
    result = resume_campaign(record.id, make_bench(tmp_path, again))
    assert again.threads == (4, 8)
    assert len(again.requests) == 2 + 4
    assert {(run.settings.threads, run.settings.threads_batch) for run in result.runs} == {(4, 8)}


def test_an_engine_whose_threads_are_fixed_is_refused(tmp_path: Path) -> None:
    engine = FakeEngine(clock=FakeClock())
    with pytest.raises(EngineRefused) as caught:
        run_campaign(small_plan(threads_auto=True), make_bench(tmp_path, engine))
    assert caught.value.message == "measure.no_threads"


@pytest.mark.usefixtures("machine")
def test_the_trials_fit_into_the_context_of_a_campaign_of_short_prompts(tmp_path: Path) -> None:
    engine = Threads()
    plan = small_plan(lengths=(120, 150), threads_auto=True)
    run_campaign(plan, make_bench(tmp_path, engine))
    # The longest prompt, to 2 %: what the context was made for.
    sizes = [engine.count_tokens(each.prompt) or 0 for each in engine.requests[:TRIALS]]
    assert max(sizes) <= 153
