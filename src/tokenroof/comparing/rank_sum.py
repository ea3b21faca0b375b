"""The rank-sum distribution of Mann, Whitney and Wilcoxon, exact for small samples.

Two samples of n and m values from one distribution make n m pairs. The number U of pairs in which
the second value is the smaller one depends on nothing but the order of the values, and every order
is as likely as any other: P(U = u) is the coefficient of q^u in the Gaussian binomial [n + m over
n], over the number of orders. Source: Mann and Whitney, Ann. Math. Statist. 18 (1947).
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_EXACT_PAIRS = 2500
"""Up to here it is counted; beyond, the normal distribution is as good (50 and 50: to 1e-4)."""


@cache
def edge_rank(n: int, m: int, alpha: float) -> int:
    """How many of the pairs may be left out at each end, for an interval of confidence 1 - alpha.

    The largest k with P(U < k) <= alpha / 2: the k-th smallest and the k-th largest difference of
    a pair enclose the shift between the distributions. 0 where no pair of differences does.
    """
    if n * m > _EXACT_PAIRS:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        edge = n * m / 2 + NormalDist().inv_cdf(alpha / 2) * spread - 0.5
        return max(math.floor(edge), 0)
    allowed = alpha / 2 * math.comb(n + m, n)
    below = rank = 0
    for orders in _orders(min(n, m), max(n, m)):
        below += orders
        if below > allowed:
            break
        rank += 1
    return rank


def least_runs(alpha: float) -> int:
    """The fewest runs a side that can show any difference at all at this level."""
    n = 1
    while edge_rank(n, n, alpha) == 0:
        n += 1
    return n


@cache
def _orders(n: int, m: int) -> tuple[int, ...]:
    """How many orders of n and m values have U = 0, 1, ..., n m / 2."""
    most = n * m // 2
    counts = [1] + [0] * most
    for i in range(1, n + 1):
        # Times (1 - q^(m + i)), then divided by (1 - q^i).
        for u in range(most, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, most + 1):
            counts[u] += counts[u - i]
    return tuple(counts)
