"""The smallest difference that a comparison could have found, and how many runs find one.

Half the width of an interval is z(1 - alpha / 2) standard errors of the shift. The standard error
is taken from the data: half the width of the 80 % interval of the same ordered differences, over
z(0.9). That interval lies well inside, where stalls do not reach. A shift is found four times in
five where its standard errors are z(1 - alpha / 2) + z(0.8); a standard error falls with the root
of the number of runs.

Small samples are worse than that, as simulation shows (docs/comparing.md): the standard error is
itself uncertain, and the interval of a few runs ends at differences that stalled runs can move. A
stalled run moves as many differences as the other side has runs. Where no more than that are left
out at an end, a single stall hides any difference, and no size is promised at all.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from tokenroof.comparing.rank_sum import edge_rank
from tokenroof.comparing.ratio import shift_intervals

if TYPE_CHECKING:
    from tokenroof.comparing.ratio import Floats

POWER = 0.8
"""How often a difference of the advertised size is found."""

_Z = NormalDist().inv_cdf
Z_POWER = _Z(POWER)
_INNER = 0.2
_SMALL_SAMPLES = 2.5
_ONE_STALL_ALLOWED = 4.0
"""Times 1 / n: what is added for the uncertainty of small samples."""

_AT_LEAST = 3
"""Where the runs should have been enough and were not, a few more are worth a try."""

MOST_RUNS = 1000
"""More runs a side than anybody makes for one comparison."""


def standard_error(a: Floats, b: Floats) -> float | None:
    """Of the shift between two samples of logarithms; None for fewer than three values a side."""
    inner = shift_intervals(a, b, _INNER) if min(len(a), len(b)) > 2 else None
    if inner is None:
        return None
    low, high = inner
    return float(high - low) / 2 / _Z(1 - _INNER / 2)


def smallest_shift(error: float, n: int, m: int, alpha: float) -> float | None:
    """The shift that is found with `POWER`; None where one stall would hide any shift.

    Args:
        error: the standard error with these many runs.
        n: runs of one side.
        m: runs of the other.
        alpha: the level of the interval.
    """
    rank, stall = edge_rank(n, m, alpha), max(n, m)
    if rank <= stall:
        return None
    added = _SMALL_SAMPLES if rank > 2 * stall else _ONE_STALL_ALLOWED
    widths = _Z(1 - alpha / 2) + Z_POWER
    return widths * error * (1 + added / (2 * n * m / (n + m)))


def runs_needed(error: float | None, n: int, m: int, alpha: float, shift: float) -> int | None:
    """How many more runs each side needs to find a shift with `POWER`; None where too many.

    Args:
        error: the standard error with the runs that there are; None where it is not known.
        n: runs of one side.
        m: runs of the other.
        alpha: the level of the interval.
        shift: what is to be found, on logarithms.
    """
    have = min(n, m)
    wanted = steady_runs(alpha)
    if error is not None:
        # An error that was taken from a few runs may be too small by chance.
        per_run = error * (1 + 1 / have) * math.sqrt(2 * n * m / (n + m))
        while wanted <= MOST_RUNS:
            found = smallest_shift(per_run / math.sqrt(wanted), wanted, wanted, alpha)
            if found is not None and found <= shift:
                break
            wanted += 1
    return None if wanted > MOST_RUNS else max(wanted - have, _AT_LEAST)


def steady_runs(alpha: float) -> int:
    """The fewest runs a side of which no single one moves an end of the interval."""
    n = 2
    while edge_rank(n, n, alpha) <= n:
        n += 1
    return n


def logs(times: object) -> Floats:
    """Logarithms of times."""
    import numpy as np

    return np.log(np.asarray(times, dtype=np.float64))
