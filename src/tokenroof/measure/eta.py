"""How long a campaign will still take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tokenroof.measure.costs import Costs
from tokenroof.measure.plan import Plan
from tokenroof.measure.schedule import counted, next_stop, stop_reason
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
    expected = sum(missing.values())
    cost = {length: known for length in open_ if (known := costs.of(length)) is not None}
    if len(cost) < len(open_):
        return expected, None
    seconds = sum(missing[length] * cost[length] for length in open_)
    left = math.inf
    if plan.budget_seconds is not None:
        left = plan.budget_seconds - elapsed_seconds - seconds
    further = {}
    for length in open_:
        n = counted(runs, length) + missing[length]
        further[length] = next_stop(plan, n) - n if n < plan.max_rounds else 0
    for length in sorted(open_, key=lambda each: further[each] * cost[each]):
        price = further[length] * cost[length]
        if price > left:
            break
        left -= price
        seconds += price
        expected += further[length]
    return expected, seconds
