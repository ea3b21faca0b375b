"""Drift and two modes are found where they are, and not where they are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import mannwhitneyu

from support.measured_runs import timed
from tokenroof.analysis import analyse
from tokenroof.analysis.steadiness import rank_sum_chance, two_modes
from tokenroof.records import Flag, Run

distinct = st.lists(st.floats(0.1, 10), min_size=8, max_size=16, unique=True)


@given(distinct, st.integers(3, 5))
def test_the_rank_sum_test_is_the_exact_mann_whitney_test(values: list[float], cut: int) -> None:
    first, second = values[:cut], values[cut:]
    oracle = mannwhitneyu(first, second, method="exact", alternative="two-sided").pvalue
    assert rank_sum_chance(first, second) == pytest.approx(float(oracle))


def test_samples_all_alike_differ_by_chance() -> None:
    assert rank_sum_chance([1.0] * 4, [1.0] * 4) == 1.0


def interleaved(factors: list[float]) -> list[Run]:
    """Rounds of two lengths; each round's times are multiplied by its factor."""
    runs: list[Run] = []
    for factor in factors:
        for tokens, step in ((500, 0.010), (4000, 0.020)):
            runs += timed([step * factor], tokens, first=len(runs))
    return runs


def notices(runs: list[Run]) -> set[str]:
    return {each.id for each in analyse(runs).series[0].notices}


def test_a_machine_that_slows_down_is_found_though_lengths_are_interleaved() -> None:
    heating = [1 + 0.02 * place + 0.001 * (place % 3) for place in range(9)]
    assert "drift_slower" in notices(interleaved(heating))
    assert "drift_faster" in notices(interleaved(heating[::-1]))


def test_a_length_effect_does_not_pose_as_drift() -> None:
    steady = [1 + 0.004 * (place % 3) for place in range(9)]
    assert not {"drift_slower", "drift_faster"} & notices(interleaved(steady))


def test_drift_below_three_percent_is_not_worth_a_word() -> None:
    slight = [1 + 0.002 * place for place in range(9)]
    assert not {"drift_slower", "drift_faster"} & notices(interleaved(slight))


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_noise_without_drift_seldom_looks_like_drift(seed: int) -> None:
    source = random.Random(seed)
    times = [[source.lognormvariate(0, 0.05) for _ in range(6)] for _ in range(40)]
    false = sum(rank_sum_chance(each[:3], each[3:]) < 0.05 for each in times)
    assert false == 0  # three against three can never reach 5 %: the least is 2 / 20


def test_two_modes_are_told_apart() -> None:
    found = two_modes([0.0100, 0.0101, 0.0102, 0.0140, 0.0141, 0.0142])
    assert found == pytest.approx((0.0101, 0.0141))
    runs = timed([0.0100, 0.0101, 0.0102, 0.0140, 0.0141, 0.0142])
    (said,) = [n for n in analyse(runs).series[0].notices if n.id == "two_modes"]
    assert "99.0 tok/s" in said.text()
    assert "70.9 tok/s" in said.text()


@pytest.mark.parametrize(
    "times",
    [
        [0.01, 0.01, 0.01, 0.014, 0.014],  # too few
        [0.0100, 0.0101, 0.0102, 0.0103, 0.0104, 0.0140],  # one outlier is no mode
        [0.0100, 0.0101, 0.0102, 0.0104, 0.0105, 0.0106],  # less than 5 % apart
        [0.010, 0.011, 0.012, 0.014, 0.015, 0.016],  # wide groups, narrow gap
    ],
)
def test_one_mode_is_not_taken_for_two(times: list[float]) -> None:
    assert two_modes(times) is None


def test_skewed_noise_seldom_looks_like_two_modes() -> None:
    source = random.Random(1)
    samples = [[source.lognormvariate(0, 0.1) for _ in range(6)] for _ in range(4000)]
    assert sum(two_modes(sample) is not None for sample in samples) / len(samples) < 0.02


def test_a_slow_run_without_a_cause_counts_and_is_said() -> None:
    runs = timed([0.010, 0.0101, 0.0102, 0.016])
    series = analyse(runs).series[0]
    point = series.decode[0]
    assert point.counted is not None
    assert point.counted.runs == 4
    (said,) = [each for each in series.notices if each.id == "kept_slow"]
    assert said.text().startswith("1 run took over a tenth longer")
    assert "decode 1,000: 1/4" in said.text()


@pytest.mark.parametrize("flag", ["contended", "throttled", "reloaded"])
def test_a_slow_run_whose_cause_was_seen_is_not_said_to_have_none(flag: Flag) -> None:
    runs = [*timed([0.010, 0.0101, 0.0102]), *timed([0.016], first=9, flags=(flag,))]
    assert "kept_slow" not in notices(runs)


def test_slow_runs_of_all_lengths_and_phases_are_one_notice() -> None:
    runs: list[Run] = []
    for tokens in (500, 1000, 2000):
        for prefill, step in ((1.0, 0.010), (1.0, 0.010), (1.3, 0.013)):
            runs += timed([step], tokens, first=len(runs), prefill_seconds=prefill)
    (said,) = [each for each in analyse(runs).series[0].notices if each.id == "kept_slow"]
    # One run of each length was slow in both phases: three runs.
    assert said.text().startswith("3 runs took")
    assert "prefill 500: 1/3; prefill 1,000: 1/3; prefill 2,000: 1/3; decode 500" in said.text()


def test_both_phases_that_drift_one_way_are_one_notice() -> None:
    runs: list[Run] = []
    for place in range(12):
        factor = 1 + 0.03 * place
        runs += timed([0.01 * factor], first=place, prefill_seconds=factor)
    (said,) = [each for each in analyse(runs).series[0].notices if "drift" in each.id]
    assert said.id == "drift_slower"
    # Last third over first, medians of relative times: (1 + 0.03 x 9.5) / (1 + 0.03 x 1.5) - 1.
    assert "(prefill 23 %, decode 23 %)" in said.text()


def test_excluded_runs_are_not_looked_at_for_steadiness() -> None:
    runs = timed([0.010, 0.0101, 0.0102])
    runs += timed([0.016], first=9, excluded="contended")
    assert "kept_slow" not in notices(runs)
