"""How much longer B takes than A: the ratio of medians, and an interval that covers it.

A and B are taken to differ by one factor: B's times are distributed as A's times a factor, with
whatever skew and stalls A's have. On logarithms the factor is a shift, and the differences of all
pairs, ordered, enclose it (Hodges and Lehmann, Ann. Math. Statist. 34, 1963): between the k-th
smallest and the k-th largest with a confidence that `rank_sum` gives exactly. Nothing else is
assumed, so that a stall of any length moves an end by a place or two and no further.

Several lengths and phases are looked at together, so each interval gets its share of the 5 % that
any of them may miss (Bonferroni): however the cells depend on one another, at most 5 % of
comparisons of like with like show a difference anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.comparing.rank_sum import edge_rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FAMILY_ALPHA = 0.05
"""How often a comparison of like with like may show a difference in any of its cells."""

_MOST_PAIRS = 250_000
"""Differences that are written out; of more, the ends are searched for."""


def share_of(cells: int) -> float:
    """The level of one of so many cells."""
    return FAMILY_ALPHA / max(cells, 1)


def shift_intervals(a: Floats, b: Floats, alpha: float) -> tuple[Floats, Floats] | None:
    """The interval of the shift from `a` to `b` along the last axis, for all rows at once.

    Args:
        a: logarithms of times, (..., n).
        b: the same of the other side, (..., m).
        alpha: one minus the confidence of each interval.

    Returns:
        Lower and upper ends; None where so few values give no interval.
    """
    import numpy as np

    n, m = a.shape[-1], b.shape[-1]
    rank = edge_rank(n, m, alpha)
    if rank == 0:
        return None
    if n * m > _MOST_PAIRS:
        assert a.ndim == 1
        ordered_a, ordered_b = np.sort(a), np.sort(b)
        low = _difference(ordered_a, ordered_b, rank)
        high = -_difference(np.sort(-a), np.sort(-b), rank)
        return np.asarray(low), np.asarray(high)
    differences = (b[..., :, None] - a[..., None, :]).reshape(*a.shape[:-1], n * m)
    differences.partition([rank - 1, n * m - rank], axis=-1)
    return differences[..., rank - 1], differences[..., n * m - rank]


def _difference(a: Floats, b: Floats, rank: int) -> float:
    """The difference b - a of that rank among all pairs; both samples in order.

    It is searched for by halves: how many differences are at most d is counted in one pass.
    """
    import numpy as np

    low, high = float(b[0] - a[-1]), float(b[-1] - a[0])
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return high
        if int(np.searchsorted(b, a + middle, side="right").sum()) >= rank:
            high = middle
        else:
            low = middle
