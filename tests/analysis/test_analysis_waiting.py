"""The wait: prefill, then output - 1 steps over growing depth, and no silent extrapolation."""

from __future__ import annotations

import pytest

from support.measured_runs import timed
from tokenroof.analysis import Analysis, Ask, Wait, analyse
from tokenroof.records import Aggregate, Run


def campaign(repeats: int = 1, stall: float = 0.0, **changes: object) -> list[Run]:
    """1 ms a prompt token; a step at depth d takes 10 ms + 1 us x d."""
    runs: list[Run] = []
    for tokens in (1000, 2000, 4000, 8000):
        for place in range(repeats):
            late = 1 + (stall if place == 0 else 0)
            step = (0.010 + 1e-6 * (tokens + 4.5)) * late
            runs += timed(
                [step], tokens, first=len(runs), prefill_seconds=1e-3 * tokens * late, **changes
            )
    return runs


def waits(runs: list[Run], *asks: tuple[int, int]) -> tuple[Wait, ...]:
    found: Analysis = analyse(runs, asks=[Ask(prompt_tokens=p, output_tokens=o) for p, o in asks])
    return found.series[0].waits


def test_the_steps_are_summed_over_a_growing_depth() -> None:
    (wait,) = waits(campaign(), (2000, 501))
    # 500 steps at depths 2000 .. 2499: 500 x 10 ms + 1 us x (sum of the depths).
    decode = 500 * 0.010 + 1e-6 * sum(range(2000, 2500))
    assert wait.ttft_seconds == pytest.approx(2.0, rel=1e-6)
    assert wait.total_seconds == pytest.approx(2.0 + decode, rel=1e-6)
    assert wait.outside == ()


def test_an_answer_of_one_token_takes_no_step() -> None:
    (wait,) = waits(campaign(), (2000, 1))
    assert wait.total_seconds == wait.ttft_seconds


@pytest.mark.parametrize(
    ("ask", "outside"),
    [
        ((1000, 100), ()),
        ((8000, 100), ()),
        ((800, 100), ("prefill", "decode")),
        ((9000, 1), ("prefill",)),
        ((8000, 2000), ("decode",)),
        ((20000, 10), ("prefill", "decode")),
    ],
)
def test_what_lies_beyond_the_measurement_is_named(
    ask: tuple[int, int], outside: tuple[str, ...]
) -> None:
    (wait,) = waits(campaign(), ask)
    assert wait.outside == outside


def test_beyond_the_last_length_the_last_stretch_goes_on() -> None:
    (wait,) = waits(campaign(), (20000, 11))
    decode = 10 * 0.010 + 1e-6 * sum(range(20000, 20010))
    assert wait.total_seconds - wait.ttft_seconds == pytest.approx(decode, rel=1e-6)


def test_with_six_runs_the_span_comes_from_intervals() -> None:
    (wait,) = waits(campaign(6, stall=0.2), (2000, 101))
    assert wait.spread == "interval"
    # The interval of six runs ends at the stalled one, 20 % longer in both phases.
    assert wait.high_seconds == pytest.approx(wait.total_seconds * 1.2, rel=1e-6)
    assert wait.low_seconds == pytest.approx(wait.total_seconds, rel=1e-6)


def test_with_fewer_runs_the_span_is_the_range_and_says_so() -> None:
    (wait,) = waits(campaign(3, stall=0.2), (2000, 101))
    assert wait.spread == "range"
    assert wait.high_seconds == pytest.approx(wait.total_seconds * 1.2, rel=1e-6)


def test_of_one_record_a_length_the_span_is_what_reports_of_one_condition_differ_by() -> None:
    (wait,) = waits(campaign(aggregate=Aggregate(of=3)), (2000, 101))
    assert wait.spread == "reports"
    # In public measurements 11 % in prefill and 2.7 % in decode, at the median.
    decode = wait.total_seconds - wait.ttft_seconds
    assert wait.high_seconds == pytest.approx(2.0 * 1.11 + decode * 1.027, rel=1e-6)
    assert wait.low_seconds == pytest.approx(2.0 / 1.11 + decode / 1.027, rel=1e-6)


def test_one_length_shows_no_curve_and_so_the_wait_for_that_length_only() -> None:
    runs = timed([0.01, 0.01, 0.01], prefill_seconds=1.5)
    (wait,) = waits(runs, (1000, 1), (1100, 1))
    assert wait.prompt_tokens == 1000
    assert wait.ttft_seconds == pytest.approx(1.5)


def test_the_median_of_a_measured_length_wins_over_the_curve() -> None:
    # 1 ms a token, but at 4,000 tokens 1.5 ms: no smooth curve goes through that.
    runs: list[Run] = []
    for tokens, seconds in ((1000, 1.0), (2000, 2.0), (4000, 6.0), (8000, 8.0)):
        runs += timed([0.01], tokens, first=len(runs), prefill_seconds=seconds)
    measured, near, between = waits(runs, (4000, 1), (4040, 1), (3000, 1))
    assert measured.ttft_seconds == pytest.approx(6.0)
    assert measured.low_seconds == pytest.approx(6.0 / 1.11)
    assert measured.high_seconds == pytest.approx(6.0 * 1.11)
    # Within 2 % it is the same length: 4,040 x 6 s / 4,000.
    assert near.ttft_seconds == pytest.approx(6.06)
    curve = analyse(runs).series[0].curve
    assert curve is not None
    assert curve.seconds(4000) != pytest.approx(6.0, rel=0.05)
    assert between.ttft_seconds == pytest.approx(curve.seconds(3000))


def test_without_a_question_the_shortest_and_the_longest_prompt_are_answered() -> None:
    found = waits(campaign())
    assert [(wait.prompt_tokens, wait.output_tokens) for wait in found] == [
        (1000, 500),
        (8000, 500),
    ]
