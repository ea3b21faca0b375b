"""Medians and their order-statistics intervals, against the binomial distribution itself."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from tokenroof.medians import Interval, median, median_interval

times = st.floats(min_value=1e-6, max_value=1e6, allow_nan=False)


def coverage(n: int, rank: int) -> float:
    """The chance that the `rank`-th smallest and largest of n values enclose the median."""
    return float(1 - 2 * binom.cdf(rank - 1, n, 0.5))


@pytest.mark.parametrize("n", range(6))
def test_fewer_than_six_values_have_no_95_percent_interval(n: int) -> None:
    assert median_interval([float(each) for each in range(n)]) is None


def test_six_values_have_their_extremes_as_interval() -> None:
    # 1 - 2 / 2^6 = 0.96875, and one rank further in it is 1 - 2 * 7 / 64 = 0.78.
    assert median_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]) == Interval(1.0, 6.0)


def test_nine_values_have_the_second_ranks() -> None:
    # 1 - 2 * (1 + 9) / 512 = 0.961, and one rank further in it is 1 - 2 * 46 / 512 = 0.82.
    assert median_interval([float(each) for each in range(1, 10)]) == Interval(2.0, 8.0)


@given(st.lists(times, min_size=6, max_size=60), st.sampled_from([0.5, 0.8, 0.95, 0.99]))
def test_the_interval_is_the_narrowest_symmetric_pair_that_covers_enough(
    values: list[float], confidence: float
) -> None:
    n, ordered = len(values), sorted(values)
    enough = [k for k in range(1, n // 2 + 1) if coverage(n, k) >= confidence - 1e-12]
    expected = Interval(ordered[enough[-1] - 1], ordered[n - enough[-1]]) if enough else None
    assert median_interval(values, confidence) == expected


@given(st.lists(times, min_size=6, max_size=60))
def test_the_interval_encloses_the_median(values: list[float]) -> None:
    found = median_interval(values)
    assert found is not None
    assert found.low <= median(values) <= found.high
    assert found.half_width == pytest.approx((found.high - found.low) / 2)
