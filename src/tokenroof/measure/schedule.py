"""Which runs come next, and why a length gets no more.

Nothing is remembered here: the answer follows from the plan and the runs so far, so a campaign
that was killed goes on where it stopped.

Every length gets the promised rounds. What remains of the budget then goes to the lengths that
have not reached the precision, in steps that lead to the next look of the stopping rule; those
that cost least come first. A long prompt may cost a hundred times as much as a short one, and an
interval that three more runs will not give is not worth beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Literal

from tokenroof.measure.costs import Costs
from tokenroof.measure.plan import Plan, Unit
from tokenroof.measure.stopping import counts, is_precise, next_look
from tokenroof.records import Run

StopReason = Literal["precision", "budget", "rounds", "failed", "excluded"]
"""`rounds`: as many runs as the plan allows; `failed`, `excluded`: nothing else came of it."""

FAILURES_IN_A_ROW = 3
EXCLUDED_IN_A_ROW = 6


def of_length(runs: Sequence[Run], length: int) -> list[Run]:
    """The runs of one length, excluded ones too, in their order.

    The second halves of pairs, whose prompt was to be found in a cache, belong to no length.
    """
    return [run for run in runs if run.workload.prompt_target == length and not run.workload.cached]


def counted(runs: Sequence[Run], length: int) -> int:
    """How many runs of a length count."""
    return sum(counts(run) for run in of_length(runs, length))


def stop_reason(
    plan: Plan, runs: Sequence[Run], length: int, session: Sequence[Run]
) -> StopReason | None:
    """Why a length is done; None where it is not, or where only the budget could end it.

    Args:
        plan: the plan.
        runs: all runs of the campaign.
        length: the length asked about.
        session: those since it was last resumed: failures from before are given a new chance.
    """
    mine = of_length(runs, length)
    n = sum(map(counts, mine))
    if is_precise(mine, plan.precision, plan.rounds):
        return "precision"
    if n >= plan.max_rounds:
        return "rounds"
    recent = of_length(session, length)
    if failures_in_a_row(recent) >= FAILURES_IN_A_ROW:
        return "failed"
    if _row(recent, lambda run: not counts(run)) >= EXCLUDED_IN_A_ROW:
        return "excluded"
    return None


def failures_in_a_row(runs: Sequence[Run]) -> int:
    """How many of the latest runs failed, one after the other."""
    return _row(runs, lambda run: run.excluded == "failed")


def _row(runs: Sequence[Run], holds: Callable[[Run], bool]) -> int:
    return sum(1 for _ in takewhile(holds, reversed(runs)))


def next_round(
    plan: Plan,
    runs: Sequence[Run],
    session: Sequence[Run],
    costs: Costs,
    left_seconds: float | None,
) -> tuple[Unit, ...]:
    """The next runs, at most one of each length, in the order of their round; () at the end.

    Args:
        plan: the plan.
        runs: all runs of the campaign so far.
        session: those since it was last resumed.
        costs: what a run of a length takes.
        left_seconds: what is left of the budget; None where there is no limit.
    """
    open_ = [length for length in plan.lengths if stop_reason(plan, runs, length, session) is None]
    promised = [length for length in open_ if counted(runs, length) < plan.rounds]
    if promised:
        # A round that was interrupted is finished before the next one begins.
        fewest = min(len(of_length(runs, length)) for length in promised)
        chosen = [length for length in promised if len(of_length(runs, length)) == fewest]
    else:
        chosen = _worth_it(plan, runs, open_, costs, left_seconds)
    if not chosen:
        return ()
    rounds = {length: len(of_length(runs, length)) + 1 for length in chosen}
    return tuple(
        plan.unit(length, rounds[length])
        for length in plan.order(max(rounds.values()))
        if length in rounds
    )


def _worth_it(
    plan: Plan,
    runs: Sequence[Run],
    open_: Sequence[int],
    costs: Costs,
    left_seconds: float | None,
) -> list[int]:
    """Those lengths that the budget can bring to their next look, cheapest first."""
    if left_seconds is None:
        return list(open_)
    chosen = []
    prices = []
    for length in open_:
        n = counted(runs, length)
        prices.append(((next_stop(plan, n) - n) * (costs.of(length) or 0.0), length))
    for price, length in sorted(prices):
        if price > left_seconds:
            break
        left_seconds -= price
        chosen.append(length)
    return chosen


def next_stop(plan: Plan, n: int) -> int:
    """The number of runs at which a length with n of them may end: the next look, or the most."""
    return min(next_look(n), plan.max_rounds)
