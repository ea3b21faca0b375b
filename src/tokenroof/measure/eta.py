"""How long a campaign will still take."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.measure.costs import Costs
from tokenroof.measure.plan import Plan
from tokenroof.measure.schedule import counted, stop_reason, to_next_look
from tokenroof.measure.stopping import next_look
from tokenroof.records import Run


def forecast(
    plan: Plan, runs: Sequence[Run], session: Sequence[Run], costs: Costs, elapsed_seconds: float
) -> tuple[int, float | None]:
    """Runs that are still expected, and the seconds that they will take (None: not known yet).

    Expected are the promised rounds, and after them, for each length and as far as the budget
    goes, the runs until the stopping rule looks next. Where it then says "not yet", more follow.
    """
    open_ = [length for length in plan.lengths if stop_reason(plan, runs, length, session) is None]
    missing = {length: max(plan.rounds - counted(runs, length), 0) for length in open_}
    costs_known = {length: cost for length in open_ if (cost := costs.of(length)) is not None}
    if len(costs_known) < len(open_):
        return sum(missing.values()), None
    seconds = sum(missing[length] * costs_known[length] for length in open_)
    expected = sum(missing.values())
    left = None
    if plan.budget_seconds is not None:
        left = plan.budget_seconds - elapsed_seconds - seconds
    for length in sorted(open_, key=lambda each: to_next_look(runs, each, costs)):
        n = counted(runs, length)
        further = next_look(n) - n - missing[length]
        price = further * costs_known[length]
        if left is not None:
            if price > left:
                break
            left -= price
        seconds += price
        expected += further
    return expected, seconds
