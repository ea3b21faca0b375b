"""Did the figures hold still?

Two things make a median less than it seems. Drift: the machine got slower (or faster) while it was
measured, as it does when it heats up. Two modes: the runs of one condition fall into two groups,
and the median lies in one of them by chance. Both are said, and nothing is dropped for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tokenroof.analysis.grouping import prompt_tokens
from tokenroof.analysis.timing import decode_time, prefill_time
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Flag, Run
from tokenroof.units import count, percent, rate

DRIFT_SHARE = 0.03
DRIFT_CHANCE = 0.05
MODES_RUNS = 6
MODES_SHARE = 0.05
MODES_GAP = 3.0
SLOW_SHARE = 0.10
CAUSES: frozenset[Flag] = frozenset({"contended", "reloaded", "throttled"})
"""Findings that explain why a run was slow."""

DRIFT_WHILE_MEASURING = frozenset({"measure.drift_faster", "measure.drift_slower"})
"""What a campaign noted of it at its end; `drift` says it of all runs, and tests it."""


def drift(conditions: Sequence[Sequence[Run]], time: Callable[[Run], float | None]) -> float | None:
    """How much longer the last third of the runs took than the first; None for no difference.

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
        return None
    # Sorting is stable: runs without a date keep the order of the record.
    ordered = [each for _, each in sorted(relative, key=lambda pair: pair[0])]
    first, last = ordered[:third], ordered[-third:]
    change = median(last) / median(first) - 1
    if abs(change) < DRIFT_SHARE or rank_sum_chance(first, last) >= DRIFT_CHANCE:
        return None
    return change


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
    """What one should know of how steady the counted single runs of a series were.

    One notice of each kind, whatever the number of phases and lengths that it is about.
    """
    changes: dict[str, float] = {}
    modes: list[str] = []
    slow: list[str] = []
    slow_runs: set[str] = set()
    for phase, conditions, time in (
        ("prefill", by_prompt, prefill_time),
        ("decode", by_answer, decode_time),
    ):
        counted = [
            [run for run in runs if run.excluded is None and run.aggregate is None]
            for runs in conditions
        ]
        change = drift(counted, time)
        if change is not None:
            changes[phase] = change
        for runs in sorted(counted, key=lambda each: prompt_tokens(each) or 0.0):
            tokens = prompt_tokens(runs)
            at = f"{phase} {'?' if tokens is None else count(round(tokens))}"
            timed = [(run, each) for run in runs if (each := time(run)) is not None]
            groups = two_modes([each for run, each in timed if not _has_cause(run)])
            late = slow_without_cause(timed)
            if groups is not None:
                modes.append(f"{at}: {rate(1 / groups[0])}, {rate(1 / groups[1])}")
            elif late:
                slow.append(f"{at}: {len(late)}/{len(timed)}")
                slow_runs |= {run.id for run in late}
    found = _drifted(changes)
    if modes:
        found.append(Notice("analysis.two_modes", {"groups": "; ".join(modes)}))
    if slow:
        values = {"count": len(slow_runs), "where": "; ".join(slow)}
        found.append(Notice("analysis.kept_slow", values))
    return found


def _drifted(changes: dict[str, float]) -> list[Notice]:
    found = []
    for message, sign in (("analysis.drift_slower", 1), ("analysis.drift_faster", -1)):
        phases = [
            f"{phase} {percent(abs(change))}"
            for phase, change in changes.items()
            if change * sign > 0
        ]
        if phases:
            found.append(Notice(message, {"phases": ", ".join(phases)}))
    return found


def _has_cause(run: Run) -> bool:
    """Whether something was seen beside the run that makes it slow."""
    return bool(CAUSES & set(run.flags))


def slow_without_cause(timed: Sequence[tuple[Run, float]]) -> list[Run]:
    """Counted runs that took a tenth longer than the median, and nobody knows why."""
    if len(timed) < 3:
        return []
    middle = median([each for _, each in timed])
    return [run for run, each in timed if each > middle * (1 + SLOW_SHARE) and not _has_cause(run)]
