"""The exact distribution and the intervals from it, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from tokenroof.comparing.rank_sum import edge_rank, least_runs
from tokenroof.comparing.ratio import share_of, shift_intervals
from tokenroof.comparing.stated import Mean, mean_of, shift_of, student_quantile

SIZES = [(3, 3), (4, 7), (6, 6), (9, 5), (12, 12), (20, 9), (30, 30)]

TIMES = st.floats(min_value=0.5, max_value=2.0, allow_nan=False)


def exact_p(a: list[float], b: list[float]) -> float:
    return float(stats.mannwhitneyu(a, b, alternative="two-sided", method="exact").pvalue)


def ordered(n: int, m: int, rank: int) -> tuple[list[float], list[float]]:
    """Two samples in which exactly `rank` pairs have the second value below the first."""
    # All of b lie above all of a, then values of b are moved down below `rank` of a in all.
    a = [float(i) for i in range(n)]
    b = [n + float(j) for j in range(m)]
    left, at = rank, 0
    while left > 0:
        below = min(left, n)
        b[at] = n - below - 0.5 + at / (10 * m)
        left -= below
        at += 1
    return a, b


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.00625])
def test_the_edge_is_where_the_exact_test_begins_to_reject(n: int, m: int, alpha: float) -> None:
    rank = edge_rank(n, m, alpha)
    # U = rank - 1 is still rejected, U = rank is not: scipy says so too.
    if rank:
        assert exact_p(*ordered(n, m, rank - 1)) <= alpha
    assert exact_p(*ordered(n, m, rank)) > alpha


def test_for_large_samples_the_normal_distribution_takes_over_smoothly() -> None:
    # 50 and 50 are counted; one more is not. The two may not be far apart.
    assert edge_rank(50, 50, 0.05) == pytest.approx(edge_rank(50, 51, 0.05) * 50 / 51, rel=0.02)


def test_the_fewest_runs_are_those_of_which_one_order_in_two_hundred_is_extreme() -> None:
    # 2 / C(10, 5) = 0.0079 and 2 / C(12, 6) = 0.0022: five runs a side cannot show 0.625 %.
    assert least_runs(0.05) == 4  # 2 / C(8, 4) = 0.0286
    assert least_runs(share_of(8)) == 6


@settings(deadline=None, max_examples=60)
@given(
    a=st.lists(TIMES, min_size=6, max_size=12, unique=True),
    b=st.lists(TIMES, min_size=6, max_size=12, unique=True),
)
def test_an_interval_excludes_zero_exactly_where_the_exact_test_rejects(
    a: list[float], b: list[float]
) -> None:
    if len({*a, *b}) < len(a) + len(b):
        return  # with ties scipy's exact test is none
    ends = shift_intervals(np.log(a), np.log(b), 0.05)
    assert ends is not None
    assert bool(ends[0] > 0 or ends[1] < 0) == (exact_p(a, b) <= 0.05)


@settings(deadline=None, max_examples=40)
@given(st.lists(TIMES, min_size=6, max_size=20), st.floats(min_value=0.5, max_value=2.0))
def test_an_interval_moves_with_the_factor_between_the_sides(a: list[float], factor: float) -> None:
    base = shift_intervals(np.log(a), np.log(a), 0.05)
    moved = shift_intervals(np.log(a), np.log(np.array(a) * factor), 0.05)
    assert base is not None
    assert moved is not None
    assert [float(end) for end in moved] == pytest.approx(
        [float(end) + math.log(factor) for end in base], abs=1e-9
    )


def test_searching_the_differences_gives_what_writing_them_out_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    for n, m in ((40, 61), (9, 30)):
        a, b = rng.normal(size=n).round(2), rng.normal(size=m).round(2)  # with ties
        written = shift_intervals(a, b, 0.05)
        with monkeypatch.context() as patch:
            patch.setattr("tokenroof.comparing.ratio._MOST_PAIRS", 10)
            searched = shift_intervals(a, b, 0.05)
        assert written is not None
        assert searched is not None
        assert [float(each) for each in searched] == pytest.approx([float(e) for e in written])


@pytest.mark.parametrize("freedom", [1.0, 1.7, 2.0, 4.0, 8.3, 30.0, 500.0])
@pytest.mark.parametrize("probability", [0.9, 0.975, 0.996875, 0.99999])
def test_students_t_is_scipys(probability: float, freedom: float) -> None:
    expected = stats.t.ppf(probability, freedom)
    assert student_quantile(probability, freedom) == pytest.approx(expected, rel=2e-3)


def test_two_stated_means_are_compared_as_welch_does() -> None:
    # Relative deviations are small, so that logarithms and Welch's own scale agree.
    a, b = Mean(0.100, 0.001, 5), Mean(0.104, 0.002, 8)
    shift = shift_of(a, b)
    assert shift is not None
    va, vb = 0.01**2 / 5, (0.002 / 0.104) ** 2 / 8
    test = stats.ttest_ind_from_stats(
        math.log(a.mean), 0.01, 5, math.log(b.mean), 0.002 / 0.104, 8, equal_var=False
    )
    assert shift.shift / shift.error == pytest.approx(-test.statistic)
    # Welch and Satterthwaite: (va + vb)^2 / (va^2 / 4 + vb^2 / 7).
    assert shift.freedom == pytest.approx((va + vb) ** 2 / (va**2 / 4 + vb**2 / 7))
    # At the level of its own p-value the interval ends at zero.
    assert shift.half_width(float(test.pvalue)) == pytest.approx(shift.shift, rel=2e-3)


@pytest.mark.parametrize(("deviation", "runs"), [(None, 5), (0.001, None), (0.001, 1), (0.0, 5)])
def test_a_mean_without_its_uncertainty_is_compared_with_nothing(
    deviation: float | None, runs: int | None
) -> None:
    assert shift_of(Mean(0.1, deviation, runs), Mean(0.1, 0.001, 5)) is None


def test_single_runs_have_the_mean_and_deviation_of_their_sample() -> None:
    assert mean_of([1.0, 2.0, 3.0]) == Mean(2.0, 1.0, 3)
    assert mean_of([2.0]).deviation is None
