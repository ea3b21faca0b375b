"""Runs that are not measured, until two in a row take the same time.

The first runs pay for what the later ones find ready: pages of the model that were not in memory,
kernels that are compiled when they are first used, clocks that have to rise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tokenroof.clock import Clock
from tokenroof.engines.base import Engine, Reply, Request, Step
from tokenroof.measure.costs import Costs
from tokenroof.measure.plan import Plan
from tokenroof.measure.prompts import PromptMaker
from tokenroof.measure.quiet import HOLD_SECONDS

STABLE_SHARE = 0.1
"""Two runs that differ by less, in both phases, are taken to be warm."""

MAX_RUNS = 5
MIN_RUNS = 2
"""Of one alone nobody can say whether it was warm."""

BUDGET_SHARE = 0.5
"""A machine that others use may never come to rest. The time is then better spent on runs that
are kept."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """How the warm-up went: its runs, and by how much the last two differed (None: one run)."""

    runs: int
    difference: float | None

    @property
    def stable(self) -> bool:
        """Whether it ended because the engine was warm."""
        return self.difference is not None and self.difference < STABLE_SHARE


def warm_up(
    engine: Engine,
    plan: Plan,
    maker: PromptMaker,
    costs: Costs,
    *,
    clock: Clock,
    tell: Callable[[int, int], None],
    watch: Callable[[int, int, Step], None],
) -> WarmUp:
    """Run the shortest length until it is stable, or `MAX_RUNS` times, or for as long as
    `BUDGET_SHARE` of the plan's budget allows once two runs could be compared.

    `tell` is told the number of the run that begins, and how many there are at most; `watch` the
    same, and how far within it the engine is.

    An engine that cannot count tokens first gets a prompt of half that length: two lengths are
    what the prompt maker needs to tell a template's tokens from those of the text.

    Raises:
        EngineError: the engine failed.
        UsageError: the shortest length is shorter than tag and instruction.
    """
    shortest = plan.lengths[0]
    lengths = [shortest] * MAX_RUNS
    if not engine.promises.counts_before_running:
        lengths[0] = max(shortest // 2, 1)
    previous: tuple[int, Reply] | None = None
    difference = None
    begun = clock.monotonic()
    for number, length in enumerate(lengths, start=1):
        tell(number, MAX_RUNS)
        prompt = maker.make(length, f"warm-up:{number}")
        began = clock.monotonic()
        reply = engine.run(
            Request(prompt=prompt.text, output_tokens=plan.output_tokens, seed=plan.seed),
            partial(watch, number, MAX_RUNS),
        )
        # A measured run waits for a quiet machine, which this one did not.
        hold = min(HOLD_SECONDS, plan.wait_quiet_seconds)
        costs.learn(length, clock.monotonic() - began + hold)
        if reply.prompt_tokens is not None:
            maker.learn(prompt, reply.prompt_tokens)
        if previous is not None and previous[0] == length:
            difference = _difference(previous[1], reply)
            now = clock.monotonic()
            if difference < STABLE_SHARE or _spent(plan, now - begun, now - began):
                break
        previous = (length, reply)
    return WarmUp(number, difference)


def _spent(plan: Plan, seconds: float, one_more: float) -> bool:
    """Whether one more run would take more of the budget than the warm-up may have."""
    if plan.budget_seconds is None:
        return False
    return seconds + one_more > BUDGET_SHARE * plan.budget_seconds


def _difference(before: Reply, now: Reply) -> float:
    """The larger of both phases' relative differences; of the whole run where they are unknown."""
    pairs = [
        (before.prompt_seconds, now.prompt_seconds),
        (before.output_seconds, now.output_seconds),
    ]
    known = [(a, b) for a, b in pairs if a and b]
    if not known:
        known = [(before.wall_seconds, now.wall_seconds)]
    return max(abs(a - b) / max(a, b) if max(a, b) else 0.0 for a, b in known)
