"""Times are the data; rates come from the median time and from nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from support.measured_runs import run, timed
from tokenroof.analysis import analyse
from tokenroof.analysis.timing import decode_time, prefill_time, timing
from tokenroof.records import Aggregate, Output, Prompt

times = st.floats(min_value=1e-4, max_value=1e2)


def test_the_rate_is_the_inverse_of_the_median_time_and_not_a_mean_of_rates() -> None:
    # Two good runs and a stall: the mean of the rates 50, 50, 12.5 would be 37.5.
    found = timing([0.02, 0.02, 0.08])
    assert found is not None
    assert found.tokens_per_second == pytest.approx(50.0)


def test_an_even_number_of_runs_takes_the_middle_of_times_and_not_of_rates() -> None:
    # Times 1 s and 3 s: median 2 s, so 0.5 a second; the middle of the rates would be 0.667.
    found = timing([1.0, 3.0])
    assert found is not None
    assert found.tokens_per_second == pytest.approx(0.5)


@given(st.lists(times, min_size=1, max_size=5))
def test_below_six_runs_there_is_no_interval_and_the_need_is_said(values: list[float]) -> None:
    found = timing(values)
    assert found is not None
    assert found.needs_runs == 6
    assert found.low_tokens_per_second is None
    assert found.high_seconds_per_token is None


@given(st.lists(times, min_size=6, max_size=40))
def test_the_interval_of_the_rate_is_the_inverse_of_the_interval_of_the_time(
    values: list[float],
) -> None:
    found = timing(values)
    assert found is not None
    assert found.needs_runs is None
    assert found.low_tokens_per_second == pytest.approx(1 / (found.high_seconds_per_token or 0))
    assert found.high_tokens_per_second == pytest.approx(1 / (found.low_seconds_per_token or 0))
    assert found.least_seconds_per_token == min(values)
    assert found.most_seconds_per_token == max(values)


def test_cached_tokens_were_not_read() -> None:
    # 1,000 tokens of which 200 were cached, in 4 s: 5 ms for each of the 800 that were read.
    cached = run(prompt=Prompt(tokens=1000, cached=200, seconds=4.0))
    assert prefill_time(cached) == pytest.approx(0.005)


@pytest.mark.parametrize(
    "changes",
    [
        {"prompt": Prompt(tokens=1000, seconds=None)},
        {"prompt": Prompt(tokens=None, seconds=1.0)},
        {"prompt": Prompt(tokens=1000, cached=1000, seconds=1.0)},
        {"flags": ("prefill_may_be_cached",)},
        {"flags": ("prefill_too_short",)},
    ],
)
def test_a_run_that_forbids_its_prefill_rate_gives_no_time(changes: dict[str, Any]) -> None:
    assert prefill_time(run(**changes)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"output": Output(tokens=10, steps=None, seconds=0.1)},
        {"output": Output(tokens=1, steps=0, seconds=0.0)},
        {"flags": ("timing_disabled",)},
    ],
)
def test_a_run_that_forbids_its_decode_rate_gives_no_time(changes: dict[str, Any]) -> None:
    assert decode_time(run(**changes)) is None


def test_excluded_runs_are_left_out_and_shown_beside() -> None:
    kept = timed([0.010, 0.010, 0.012])
    slow = timed([0.030, 0.030], first=10, excluded="contended")
    (point,) = analyse(kept + slow).series[0].decode
    assert point.counted is not None
    assert point.with_excluded is not None
    assert (point.counted.runs, point.with_excluded.runs, point.excluded) == (3, 5, 2)
    assert point.counted.seconds_per_token == pytest.approx(0.010)
    assert point.with_excluded.seconds_per_token == pytest.approx(0.012)


def test_a_length_of_which_every_run_is_excluded_has_only_the_figure_with_them() -> None:
    (point,) = analyse(timed([0.01, 0.02], excluded="throttled")).series[0].decode
    assert point.counted is None
    assert point.with_excluded is not None


def test_a_record_of_several_runs_is_never_pooled_with_single_ones() -> None:
    single = timed([0.010, 0.011, 0.012])
    average = timed([0.5], first=9, aggregate=Aggregate(of=5))
    found = analyse(single + average)
    assert [series.aggregate for series in found.series] == [False, True]
    pooled = found.series[0].decode[0].counted
    assert pooled is not None
    assert pooled.runs == 3
    assert pooled.seconds_per_token == pytest.approx(0.011)


def test_records_of_several_runs_are_not_pooled_with_each_other() -> None:
    averages = timed([0.1, 0.3], aggregate=Aggregate(of=5))
    points = analyse(averages).series[0].decode
    rates = [point.counted.tokens_per_second for point in points if point.counted]
    assert rates == pytest.approx([10.0, 1 / 0.3])
    assert [point.counted.runs for point in points if point.counted] == [5, 5]
    assert all(point.counted.needs_runs is None for point in points if point.counted)
