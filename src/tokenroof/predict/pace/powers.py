"""The curve of reading time against prompt length: coefficients of 1, n and n^2.

Linear work takes time in proportion to the tokens; attention compares each token with all before
it and grows with their square; and something may be fixed per prompt. None of the three can be
negative, so none is allowed to be. Errors are taken relative to the time itself: else the longest
prompt alone would decide, and a short one could be off by half.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def fit_powers(points: Sequence[tuple[float, float]], powers: int) -> tuple[float, float, float]:
    """Coefficients of 1, n, n^2 (the first `powers` of them) by least relative squares, none < 0.

    With so few coefficients the constrained optimum is found by trying every set of those that
    are not zero: it is the best of the sets whose own optimum is not negative anywhere.
    """
    import numpy as np

    longest = max(n for n, _ in points)
    # Scaled to at most 1, so that n^2 does not drown the rest in rounding.
    rows = np.array(
        [[(n / longest) ** k / seconds for k in range(powers)] for n, seconds in points]
    )
    target = np.ones(len(points))
    best, best_error = np.zeros(powers), float("inf")
    for size in range(1, powers + 1):
        for chosen in combinations(range(powers), size):
            part = rows[:, chosen]
            solution = np.linalg.lstsq(part, target, rcond=None)[0]
            error = float(((part @ solution - target) ** 2).sum())
            if (solution >= 0).all() and error < best_error * (1 - 1e-12):
                best, best_error = np.zeros(powers), error
                best[list(chosen)] = solution
    scaled = [float(value) / longest**k for k, value in enumerate(best)] + [0.0]
    return scaled[0], scaled[1], scaled[2]
