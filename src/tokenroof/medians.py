"""Medians, and what is known of them from a few runs.

The median is used because run times are skewed: a stall only ever makes a run slower. Its
interval comes from order statistics and assumes nothing about the distribution: the number of
values below the true median is binomial(n, 1/2), so the k-th smallest and the k-th largest value
enclose it with probability 1 - 2 P(B < k). Below n = 6 even the extremes enclose it with less than
95 % (n = 5: 93.75 %), so there is no 95 % interval to give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median as median  # noqa: PLC0414 - re-exported: one place for medians


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that covers the true median with at least the confidence asked for."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between its ends."""
        return (self.high - self.low) / 2


def median_interval(values: Sequence[float], confidence: float = 0.95) -> Interval | None:
    """The order-statistics interval of the median; None where n is too small for one.

    The narrowest symmetric pair of order statistics whose coverage is at least `confidence`.
    """
    n = len(values)
    tail = 0.0
    rank = 0
    for below in range(n // 2):
        tail += math.comb(n, below) / 2**n
        if 1 - 2 * tail < confidence:
            break
        rank = below + 1
    if rank == 0:
        return None
    ordered = sorted(values)
    return Interval(ordered[rank - 1], ordered[n - rank])
