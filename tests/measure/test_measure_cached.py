"""The pair on request: the same prompt read, and then found in the engine's cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.fake_bench import make_bench, small_plan
from support.fake_engine import FakeEngine, FakeSampler, changed, refused
from tokenroof.analysis.grouping import series_of
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Promises, Reply, Request, Step
from tokenroof.errors import EngineRefused
from tokenroof.measure.campaign import run_campaign
from tokenroof.measure.plan import Plan
from tokenroof.store.journal import Journal


class Caching(FakeEngine):
    """Finds all but four tokens of a prompt that it may reuse, and reads those."""

    @property
    def promises(self) -> Promises:
        return Promises(**super().promises.to_dict() | {"can_reuse": True})

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        reply = super().run(request, watch)
        if not request.reuse:
            return reply
        tokens = reply.prompt_tokens or 0
        again = {"prompt_cached": tokens - 4, "prompt_seconds": 0.004, "ttft_seconds": 0.005}
        return changed(**again)(reply)


def plan(**others: object) -> Plan:
    return small_plan(cached=True, **others)


def engine() -> Caching:
    return Caching(clock=FakeClock())


def test_every_prompt_is_sent_twice_and_the_second_time_it_may_be_cached(tmp_path: Path) -> None:
    made = engine()
    result = run_campaign(plan(), make_bench(tmp_path, made))
    assert len(result.runs) == 12
    asked = made.requests[-12:]
    for cold, cached, first, second in zip(
        result.runs[::2], result.runs[1::2], asked[::2], asked[1::2], strict=True
    ):
        assert (cold.workload.cached, cached.workload.cached) == (False, True)
        assert (first.reuse, second.reuse) == (False, True)
        assert first.prompt == second.prompt
        assert cold.workload.round == cached.workload.round
        # It was to be found in the cache, and is not left out for that.
        assert cached.excluded is None
        # Four tokens are too few for a rate; the wait is what counts.
        assert cached.prefill_tokens_per_second is None
        assert cold.prefill_tokens_per_second == pytest.approx(1000.0)
        assert cached.quiet.waited_seconds == 0.0


def test_what_both_waits_are_is_said_for_each_length(tmp_path: Path) -> None:
    result = run_campaign(plan(), make_bench(tmp_path, engine()))
    said = {
        notice.values["length"]: notice.values
        for notice in result.notices
        if notice.message == "measure.cached_pair"
    }
    assert set(said) == {"400", "800"}
    # 800 tokens at 1,000 tokens/s; 796 of them from the cache.
    assert (said["800"]["cold"], said["800"]["cached"]) == ("0.80 s", "0.0050 s")
    assert said["800"]["pairs"] == "3"
    assert said["400"]["share"] == "99 %"  # 396 of 400


def test_cached_runs_are_no_repeats_for_the_stopping_rule_or_the_analysis(tmp_path: Path) -> None:
    result = run_campaign(plan(max_rounds=9), make_bench(tmp_path, engine()))
    cold = [run for run in result.runs if not run.workload.cached]
    # Without noise the first look is precise: six runs of each length, not three and three.
    assert len(cold) == 12
    assert result.stopped == {400: "precision", 800: "precision"}
    (series,) = series_of(result.runs)
    assert list(series) == cold


def test_a_pair_whose_first_half_failed_has_no_second(tmp_path: Path) -> None:
    made = engine()
    made.script = {3: refused()}  # after two warm-ups
    result = run_campaign(plan(), make_bench(tmp_path, made))
    assert result.runs[0].excluded == "failed"
    assert not result.runs[1].workload.cached


def test_an_engine_that_cannot_reuse_is_refused_before_anything_is_measured(
    tmp_path: Path,
) -> None:
    for made in (FakeEngine(clock=FakeClock()), FakeSampler(clock=FakeClock())):
        with pytest.raises(EngineRefused) as caught:
            run_campaign(plan(), make_bench(tmp_path, made))
        assert caught.value.message == "measure.cannot_reuse"
    assert Journal(tmp_path).runs() == []


def test_a_prompt_that_is_cached_unasked_is_still_left_out(tmp_path: Path) -> None:
    made = engine()
    made.script = {3: changed(prompt_cached=300)}
    result = run_campaign(small_plan(), make_bench(tmp_path, made))
    assert result.runs[0].excluded == "cache_hit"
