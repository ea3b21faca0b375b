"""What an interval lets one say.

- It excludes no change: B is slower, or faster.
- It holds no change, and excludes a difference that matters in either direction: no difference
  was found, and it is said which one would have been.
- It holds both: nobody can tell, and more runs are needed. So it is without an interval, and
  where the runs are so few that a single stall could have hidden any difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.comparing.records import Cell, Gate, Verdict

_ROUNDING = 1e-9
"""5 % of a time is not exactly 5 % of it in binary."""


def verdict_of(
    low: float | None, high: float | None, threshold: float, *, hides: bool = False
) -> Verdict:
    """The verdict on a ratio of times, B over A, by its interval.

    Args:
        low: the lower end; None where there is no interval.
        high: the upper end.
        threshold: the difference that matters, as a share of the time.
        hides: whether a single stall could have hidden any difference.
    """
    if low is None or high is None:
        return "cannot_tell"
    if low > 1:
        return "slower"
    if high < 1:
        return "faster"
    matters = hides or high >= 1 + threshold - _ROUNDING or low <= 1 / (1 + threshold) + _ROUNDING
    return "cannot_tell" if matters else "no_difference"


def gate_of(cells: Sequence[Cell], limit: float, *, strict: bool) -> Gate:
    """Whether B is slower by `limit` or more in any cell.

    It fails where the interval of the slow-down excludes 0 and its median is at least the limit.
    It cannot tell where an interval holds both 0 and the limit, or where there is none.
    """
    results = [_passes(cell, limit) for cell in cells]
    if False in results:
        return Gate(limit=limit, strict=strict, result="fail")
    unsure = None in results or not results
    return Gate(limit=limit, strict=strict, result="cannot_tell" if unsure else "pass")


def _passes(cell: Cell, limit: float) -> bool | None:
    low, high = cell.time_ratio_low, cell.time_ratio_high
    if low is None or high is None:
        return None
    if low > 1:
        return cell.time_ratio < 1 + limit - _ROUNDING
    return None if high >= 1 + limit - _ROUNDING else True
