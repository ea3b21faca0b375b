"""The line of time against bytes says a rate of the added bytes, and nothing that is not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from support.measured_runs import COST, timed
from tokenroof.analysis import Analysis, Peak, analyse
from tokenroof.records import Run


def analysed(times: dict[int, float], peak: float | None = None) -> Analysis:
    """Decode times by prompt length, of the model with 1 GB of weights and 0.1 MB a token."""
    runs: list[Run] = []
    for tokens, seconds in times.items():
        runs += timed([seconds], tokens, first=len(runs))
    return analyse(runs, {"model": COST}, peaks=[Peak(bandwidth_bytes_per_second=peak)])


def ids(found: Analysis) -> set[str]:
    return {notice.id for notice in found.series[0].notices}


def read_gb(tokens: int) -> float:
    # 10 steps: the mean depth is 4.5 tokens beyond the prompt.
    return 1 + (tokens + 4.5) * 1e-4


def test_the_slope_is_the_rate_of_the_added_bytes() -> None:
    # 2 ms and 10 ms a GB: added bytes at 100 GB/s.
    times = {n: 0.002 + 0.010 * read_gb(n) for n in (500, 4000, 16000)}
    line = analysed(times).series[0].line
    assert line is not None
    assert line.added_bytes_per_second == pytest.approx(100e9)
    assert line.zero_bytes_seconds == pytest.approx(0.002)
    assert line.lengths == 3
    assert line.worst_misfit == pytest.approx(0, abs=1e-9)


@given(st.lists(st.floats(0.01, 0.1), min_size=4, max_size=4))
def test_the_line_is_the_least_squares_line(values: list[float]) -> None:
    lengths = (500, 4000, 9000, 16000)
    line = analysed(dict(zip(lengths, values, strict=True))).series[0].line
    assert line is not None
    slope, zero = np.polyfit([read_gb(n) * 1e9 for n in lengths], values, 1)
    assert line.seconds_per_byte == pytest.approx(slope, abs=1e-15)
    assert line.zero_bytes_seconds == pytest.approx(zero, abs=1e-6)


def test_two_lengths_make_no_line_and_that_is_said() -> None:
    found = analysed({500: 0.02, 16000: 0.03})
    assert found.series[0].line is None
    assert "line_too_few" in ids(found)


def test_bytes_that_vary_by_less_than_a_tenth_make_no_line_and_that_is_said() -> None:
    # 1.0505 to 1.15 GB is 9.5 %; to 1.17 GB it is 11 %.
    narrow = analysed({500: 0.02, 1000: 0.021, 1500: 0.022})
    assert narrow.series[0].line is None
    assert "line_too_narrow" in ids(narrow)
    assert analysed({500: 0.02, 1000: 0.021, 1700: 0.022}).series[0].line is not None


def test_a_time_below_zero_at_zero_bytes_is_said_to_be_the_cost_of_nothing() -> None:
    found = analysed({n: -0.0037 + 0.010 * read_gb(n) for n in (500, 4000, 16000)})
    line = found.series[0].line
    assert line is not None
    assert line.zero_bytes_seconds == pytest.approx(-0.0037)
    (said,) = [notice for notice in found.series[0].notices if notice.id == "line_below_zero"]
    assert "-3.70 ms" in said.text()
    assert "cost of nothing" in said.text()


def test_nothing_that_is_said_calls_the_time_at_zero_bytes_an_overhead() -> None:
    from tokenroof.words import analysis as analysis_words, report as report_words

    for english, japanese in (
        *analysis_words.MESSAGES.values(),
        *report_words.MESSAGES.values(),
    ):
        assert "overhead" not in english.lower()
        assert "オーバーヘッド" not in japanese


def test_a_time_that_does_not_grow_has_no_rate() -> None:
    found = analysed({500: 0.03, 4000: 0.02, 16000: 0.01})
    line = found.series[0].line
    assert line is not None
    assert line.added_bytes_per_second is None
    assert "line_not_rising" in ids(found)


def test_added_bytes_faster_than_the_memory_are_questioned() -> None:
    times = {n: 0.05 + 0.010 * read_gb(n) for n in (500, 4000, 16000)}
    assert "line_above_peak" in ids(analysed(times, peak=90e9))
    assert "line_above_peak" not in ids(analysed(times, peak=110e9))
