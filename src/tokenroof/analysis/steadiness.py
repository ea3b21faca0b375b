"""Did the figures hold still?

Two things make a median less than it seems. Drift: the machine got slower (or faster) while it was
measured, as it does when it heats up. Two modes: the runs of one condition fall into two groups,
and the median lies in one of them by chance. Both are said, and nothing is dropped for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tokenroof.analysis.timing import decode_time, prefill_time
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.units import count, rate

DRIFT_SHARE = 0.03
DRIFT_CHANCE = 0.05
MODES_RUNS = 6
MODES_SHARE = 0.05
MODES_GAP = 3.0
SLOW_SHARE = 0.10


def drift(
    conditions: Sequence[Sequence[Run]], time: Callable[[Run], float | None], phase: str
) -> list[Notice]:
    """A notice where the last third of the runs differs from the first third.

    Each time is taken relative to the median of its own condition, so lengths can be looked at
    together. Rounds are interleaved, so both thirds hold all lengths.
    """
    relative: list[tuple[str, float]] = []
    for runs in conditions:
        times = [(run.started or "", each) for run in runs if (each := time(run)) is not None]
        if len(times) > 1:
            middle = median([each for _, each in times])
            relative += [(started, each / middle) for started, each in times]
    third = len(relative) // 3
    if third == 0:
        return []
    # Sorting is stable: runs without a date keep the order of the record.
    ordered = [each for _, each in sorted(relative, key=lambda pair: pair[0])]
    first, last = ordered[:third], ordered[-third:]
    change = median(last) / median(first) - 1
    if abs(change) < DRIFT_SHARE or rank_sum_chance(first, last) >= DRIFT_CHANCE:
        return []
    message = "analysis.drift_slower" if change > 0 else "analysis.drift_faster"
    return [Notice(message, {"share": f"{abs(change) * 100:.0f} %"}, phase)]


def rank_sum_chance(first: Sequence[float], second: Sequence[float]) -> float:
    """The chance that two samples of one distribution differ as much, two-sided.

    The exact Mann-Whitney test: the number of arrangements in which the second sample's
    values exceed the first's at least as often. Ties count half, rounded towards no difference.
    """
    m, n = len(first), len(second)
    above = sum((b > a) + (b == a) / 2 for a in first for b in second)
    extreme = math.floor(min(above, m * n - above) + 0.5)
    # ways[j][u]: samples of j seconds among the values looked at so far that give the statistic u.
    ways = [[1] + [0] * (m * n)] + [[0] * (m * n + 1) for _ in range(n)]
    for place in range(m + n):
        for j in range(min(place + 1, n), 0, -1):
            gained = place - (j - 1)
            for u in range(m * n, gained - 1, -1):
                ways[j][u] += ways[j - 1][u - gained]
    tail = sum(ways[n][: extreme + 1])
    return min(1.0, 2 * tail / math.comb(m + n, n))


def two_modes(times: Sequence[float]) -> tuple[float, float] | None:
    """The medians of two groups that the times fall into; None where they do not.

    Two groups: parted by a gap of at least 5 % of the median and three times as wide as either
    group, with at least two runs on each side. Fewer than six runs show no groups.
    """
    if len(times) < MODES_RUNS:
        return None
    ordered = sorted(times)
    split = max(range(2, len(ordered) - 1), key=lambda i: ordered[i] - ordered[i - 1])
    low, high = ordered[:split], ordered[split:]
    gap = high[0] - low[-1]
    widest = max(low[-1] - low[0], high[-1] - high[0])
    if gap < MODES_SHARE * median(ordered) or gap < MODES_GAP * widest:
        return None
    return median(low), median(high)


def unsteady(
    by_prompt: Sequence[Sequence[Run]], by_answer: Sequence[Sequence[Run]]
) -> list[Notice]:
    """What one should know of how steady the counted single runs of a series were."""
    found: list[Notice] = []
    for phase, conditions, time in (
        ("prefill", by_prompt, prefill_time),
        ("decode", by_answer, decode_time),
    ):
        counted = [
            [run for run in runs if run.excluded is None and run.aggregate is None]
            for runs in conditions
        ]
        found += drift(counted, time, phase)
        for runs in counted:
            times = [each for run in runs if (each := time(run)) is not None]
            found += _of_condition(times, runs, phase)
    return found


def _of_condition(times: Sequence[float], runs: Sequence[Run], phase: str) -> list[Notice]:
    lengths = [run.prompt.tokens for run in runs if run.prompt.tokens is not None]
    at = count(round(median(lengths))) if lengths else "?"
    modes = two_modes(times)
    if modes is not None:
        low, high = modes
        groups = {"fast": rate(1 / low), "slow": rate(1 / high), "at": at}
        return [Notice("analysis.two_modes", groups, phase)]
    slow = slow_without_cause(times)
    if slow:
        values = {"count": slow, "total": len(times), "at": at}
        return [Notice("analysis.kept_slow", values, phase)]
    return []


def slow_without_cause(times: Sequence[float]) -> int:
    """How many counted runs took a tenth longer than the median: kept, and said."""
    if len(times) < 3:
        return 0
    middle = median(times)
    return sum(each > middle * (1 + SLOW_SHARE) for each in times)
