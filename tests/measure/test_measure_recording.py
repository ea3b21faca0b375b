"""From what came of a unit to the run: what is excluded, what is only flagged."""

from __future__ import annotations

from typing import Any

import pytest

from support.fake_bench import MODEL, small_plan
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Identity, Loaded, Reply
from tokenroof.measure.contention import Probed
from tokenroof.measure.prompts import Prompt
from tokenroof.measure.quiet import QuietResult
from tokenroof.measure.recording import Attempt
from tokenroof.measure.watching import Watched
from tokenroof.notices import Notice
from tokenroof.records import Run

QUIET = QuietResult(waited_seconds=3.0, quiet=True, busy_before=0.02)
LOUD = QuietResult(
    waited_seconds=60.0,
    quiet=False,
    busy_before=0.8,
    reasons=(Notice("quiet.busy", {"source": "CPU", "share": "80 %"}),),
)


def finished(
    before: QuietResult,
    watched: Watched,
    *probes: Probed,
    undisturbed: bool = False,
    **reply: Any,
) -> Run:
    plan = small_plan()
    unit = plan.unit(400, 1)
    attempt = Attempt(
        campaign="c1",
        unit=unit,
        model=MODEL,
        identity=Identity(name="fake"),
        loaded=Loaded(seconds=1.0, settings=plan.settings),
        load_seconds=None,
        started=FakeClock().now(),
        before=before,
        undisturbed=undisturbed,
    )
    figures: dict[str, Any] = {
        "prompt_tokens": 400,
        "prompt_cached": None,
        "prompt_seconds": 0.4,
        "output_tokens": 16,
        "output_steps": 15,
        "output_seconds": 0.3,
        "wall_seconds": 0.7,
    }
    return attempt.finished(Prompt("...", 400), Reply(**(figures | reply)), watched, list(probes))


@pytest.mark.parametrize(
    ("watched", "excluded"),
    [
        (Watched(samples=4, busy_samples=2, busy_during=0.3), "contended"),
        (Watched(samples=4, queue_during=1), "queue_busy"),
        (Watched(samples=4, throttle_reasons=("hw_thermal",)), "throttled"),
        (Watched(samples=4, clock_step=True), "clock_step"),
        (Watched(samples=4), None),
    ],
)
def test_what_was_seen_beside_a_quiet_start_excludes(
    watched: Watched, excluded: str | None
) -> None:
    assert finished(QUIET, watched).excluded == excluded


@pytest.mark.parametrize(
    ("watched", "excluded"),
    [
        (Watched(samples=4, busy_samples=4, busy_during=0.8), None),
        (Watched(samples=4, queue_during=1), None),
        (Watched(samples=4, busy_samples=4, clock_step=True), "clock_step"),
        (Watched(samples=4, throttle_reasons=("hw_thermal",)), "throttled"),
    ],
)
def test_after_waiting_in_vain_other_work_is_a_condition_and_flagged(
    watched: Watched, excluded: str | None
) -> None:
    run = finished(LOUD, watched)
    assert run.excluded == excluded
    assert "contended" in run.flags


def test_beside_enough_undisturbed_runs_a_disturbed_one_is_excluded() -> None:
    watched = Watched(samples=4, busy_samples=4, busy_during=0.8)
    assert finished(LOUD, watched, undisturbed=True).excluded == "contended"
    assert finished(LOUD, Watched(samples=4), undisturbed=True).excluded is None


def test_what_the_reply_says_of_the_run_comes_before_what_was_beside_it() -> None:
    run = finished(QUIET, Watched(samples=4, busy_samples=2), prompt_cached=400)
    assert run.excluded == "cache_hit"


def test_a_throttled_run_is_flagged_and_the_reason_is_kept() -> None:
    run = finished(QUIET, Watched(samples=4, throttle_reasons=("sw_power_cap",)))
    assert run.flags == ("throttled",)
    assert run.excluded is None
    assert run.raw["beside"]["throttle_reasons"] == ["sw_power_cap"]


@pytest.mark.parametrize(
    ("tokens", "missed"),
    [(400, False), (408, False), (392, False), (409, True), (391, True)],  # 2 % of 400 are 8
)
def test_a_prompt_that_misses_its_length_is_flagged_and_counts(tokens: int, missed: bool) -> None:
    run = finished(QUIET, Watched(), prompt_tokens=tokens)
    assert ("length_missed" in run.flags) is missed
    assert (run.excluded, run.prompt.tokens) == (None, tokens)


def test_the_evidence_is_kept_beside_the_engines_own_figures() -> None:
    slow = Probed(passes_per_second=5e3, ratio=0.5, contended=True)
    fine = Probed(passes_per_second=1e4, ratio=1.0, contended=False)
    run = finished(LOUD, Watched(samples=4, busy_samples=1), slow, fine, raw={"timings": {"n": 1}})
    assert run.raw["timings"] == {"n": 1}
    assert run.raw["beside"] == {
        "samples": 4,
        "busy_samples": 1,
        "not_quiet": [{"message": "quiet.busy", "values": {"source": "CPU", "share": "80 %"}}],
        "probe_ratio": 0.5,
    }


def test_a_source_that_cannot_tell_leaves_the_figure_open() -> None:
    run = finished(QUIET, Watched(samples=4, busy_during=None, queue_during=None))
    assert run.quiet.busy_during is None
    assert run.quiet.queue_during is None
    assert run.quiet.waited_seconds == 3.0
    assert run.quiet.busy_before == 0.02
