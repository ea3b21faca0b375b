"""From the times of some runs to one figure.

Run times are skewed, since a stall only ever makes a run slower; so the figure is the median of
the time per token. A rate is the inverse of that median. The mean of rates is no rate at all:
it weighs each run by how little time it took.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.analysis.results import Timing
from tokenroof.medians import median, median_interval
from tokenroof.records import Run

RUNS_FOR_AN_INTERVAL = 6


def prefill_time(run: Run) -> float | None:
    """Seconds per prompt token that was read; None where the run forbids the rate."""
    rate = run.prefill_tokens_per_second
    return 1 / rate if rate and rate > 0 else None


def decode_time(run: Run) -> float | None:
    """Seconds per token step; None where the run forbids the rate."""
    rate = run.decode_tokens_per_second
    return 1 / rate if rate and rate > 0 else None


def timing(times: Sequence[float]) -> Timing | None:
    """What single runs of one condition say together; None without any."""
    if not times:
        return None
    middle = median(times)
    interval = median_interval(times)
    return Timing(
        runs=len(times),
        seconds_per_token=middle,
        low_seconds_per_token=interval.low if interval else None,
        high_seconds_per_token=interval.high if interval else None,
        least_seconds_per_token=min(times),
        most_seconds_per_token=max(times),
        tokens_per_second=1 / middle,
        low_tokens_per_second=1 / interval.high if interval else None,
        high_tokens_per_second=1 / interval.low if interval else None,
        needs_runs=None if interval else RUNS_FOR_AN_INTERVAL,
    )


def stated(time: float, runs: int | None) -> Timing:
    """What one record that stands for several runs says; their spread is not in it."""
    return Timing(runs=runs, seconds_per_token=time, tokens_per_second=1 / time)
