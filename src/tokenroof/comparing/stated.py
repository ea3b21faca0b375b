"""Comparing means that somebody stated, with the uncertainty that they state, or not at all.

A mean of n runs with deviation s is uncertain by s / sqrt(n). The ratio of two means is taken on
logarithms, where the relative uncertainties add as squares, and its interval from Student's t with
the degrees of freedom of Welch and Satterthwaite (Biometrika 34, 1947). Without a deviation, or
without the number of runs, nothing is known of the uncertainty, and nothing is said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean time, its deviation, and of how many runs."""

    mean: float
    deviation: float | None
    runs: int | None


@dataclass(frozen=True, slots=True)
class Shift:
    """The logarithm of a ratio, its standard error, and the error's degrees of freedom."""

    shift: float
    error: float
    freedom: float

    def half_width(self, alpha: float) -> float:
        """Half of the interval of confidence 1 - alpha."""
        return student_quantile(1 - alpha / 2, self.freedom) * self.error


def mean_of(times: object) -> Mean:
    """What single runs would have been stated as."""
    import numpy as np

    values = np.asarray(times, dtype=np.float64)
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return Mean(float(values.mean()), deviation, len(values))


def shift_of(a: Mean, b: Mean) -> Shift | None:
    """From `a` to `b`; None where one of them does not say how uncertain it is."""
    parts = [_part(each) for each in (a, b)]
    known = [each for each in parts if each is not None]
    if len(known) < 2:
        return None
    total = sum(square for square, _ in known)
    freedom = total**2 / sum(square**2 / (runs - 1) for square, runs in known)
    return Shift(math.log(b.mean / a.mean), math.sqrt(total), freedom)


def student_quantile(probability: float, freedom: float) -> float:
    """The value that Student's t stays below with this probability (above one half).

    With t = sqrt(freedom) tan(x) the density is that of cos(x)^(freedom - 1), on a finite range.
    """
    import numpy as np

    x = np.linspace(0.0, math.pi / 2, 20_001)
    density = np.cos(x) ** (freedom - 1) if freedom >= 1 else np.ones_like(x)
    below = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2)))
    share = 0.5 + 0.5 * below / below[-1]
    return float(math.sqrt(freedom) * math.tan(float(np.interp(probability, share, x))))


def _part(each: Mean) -> tuple[float, int] | None:
    """The square of the relative uncertainty, and the runs behind it."""
    if not each.deviation or each.runs is None or each.runs < 2:
        return None
    return (each.deviation / each.mean) ** 2 / each.runs, each.runs
