"""What is to be said of runs beside their flags: what a flag of a reader means, figures of one run
that contradict one another, and those that are as they say and tell little.

Nothing follows from these but the sentence: of two figures that differ nobody knows which is wrong,
and a slow first repeat is a repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenroof import units
from tokenroof.importing import batched_bench, llama_bench_rows, localscore
from tokenroof.importing.durations import duration
from tokenroof.importing.figures import finite
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Flag, Run

SHORT_ANSWER_TOKENS = 32

_FIRST_SLOWER, _FEWEST_REPEATS = 1.25, 3
"""How much longer a first repeat takes that warmed up, and of how many it is told."""

_RATES_DIFFER_SHARE = 0.02

_CLOCKS_DIFFER_SHARE, _CLOCKS_DIFFER_SECONDS = 0.02, 0.01
"""Times that are rounded apart, or taken a moment apart, need not add up."""

_WHY_READ: dict[Flag, str] = {
    "combined_rate": "importing.why_combined_rate",
    "end_to_end_rate": "importing.why_end_to_end_rate",
    "lower_bound": "importing.why_lower_bound",
    "prefill_implausible": "importing.why_negative_prefill",
    "prefill_may_be_cached": "importing.why_prompt_not_counted",
    "timing_disabled": "importing.why_timing_disabled",
    "truncated": "importing.why_truncated",
}
"""Of flags that a reader set, by what it read."""

_CALIBRATED = {llama_bench_rows.NAME, batched_bench.NAME, localscore.NAME}
"""Programs that repeat a stated length after warming up: their short prompts are what was asked."""


def remarks(runs: Sequence[Run]) -> Iterable[tuple[int, Notice]]:
    """What is to be said, by the place of each run."""
    yield from _read(runs)
    yield from _contradictions(runs)
    yield from _weak(runs)


def is_single(run: Run) -> bool:
    """Whether it is one request of somebody, and no repeat of a benchmark."""
    return run.aggregate is None and run.source not in _CALIBRATED


def shown(seconds: float) -> str:
    """A time in words."""
    return units.milliseconds(seconds) if seconds < 1 else units.duration(seconds)


def _read(runs: Sequence[Run]) -> Iterable[tuple[int, Notice]]:
    """What the flags mean that the readers set."""
    for place, run in enumerate(runs):
        for flag in run.flags:
            if flag in _WHY_READ:
                yield place, Notice(_WHY_READ[flag])


def _contradictions(runs: Sequence[Run]) -> Iterable[tuple[int, Notice]]:
    """Runs whose own figures differ: of two of them, nobody knows which is wrong."""
    for place, run in enumerate(runs):
        said = run.raw.get("ollama_verbose")
        if isinstance(said, dict):
            yield from ((place, notice) for notice in _unlike_rates(said))
        parts = (run.prompt.seconds or 0.0) + (run.output.seconds or 0.0)
        if run.wall_seconds is None or run.aggregate is not None:
            continue
        if parts > run.wall_seconds * (1 + _CLOCKS_DIFFER_SHARE) + _CLOCKS_DIFFER_SECONDS:
            values = {"parts": shown(parts), "whole": shown(run.wall_seconds)}
            yield place, Notice("importing.why_parts_exceed", values)


def _unlike_rates(said: dict[str, Any]) -> Iterable[Notice]:
    """Rates that Ollama prints, against the count and the time beside them."""
    for name in ("prompt eval", "eval"):
        count, rate = finite(said.get(f"{name} count")), finite(said.get(f"{name} rate"))
        seconds = duration(str(said.get(f"{name} duration")))
        if name == "prompt eval" and "prompt eval cached count" in said:
            continue
        if count and rate and seconds and abs(count / seconds - rate) > _RATES_DIFFER_SHARE * rate:
            values = {"stated": units.rate(rate), "made": units.rate(count / seconds)}
            yield Notice("importing.why_unlike_rate", values)


def _weak(runs: Sequence[Run]) -> Iterable[tuple[int, Notice]]:
    """Runs that are as they say, and tell little."""
    for place, run in enumerate(runs):
        tokens = run.output.tokens
        if tokens and tokens < SHORT_ANSWER_TOKENS and run.output.seconds and is_single(run):
            values = {"tokens": units.count(tokens)}
            yield place, Notice("importing.why_short_answer", values)
    for place, repeats in _repeated(runs):
        first, rest = repeats[0], median(repeats[1:])
        if first > _FIRST_SLOWER * rest and max(repeats[1:]) < _FIRST_SLOWER * rest:
            values = {"ratio": f"{first / rest:.1f}", "count": units.count(len(repeats))}
            yield place, Notice("importing.why_first_slow", values)


def _repeated(runs: Sequence[Run]) -> Iterable[tuple[int, list[float]]]:
    """The repeats of each test of a program that keeps them all, by the place of the first."""
    start = 0
    for place in range(1, len(runs) + 1):
        if place < len(runs) and _is_repeat(runs[place], runs[start]):
            continue
        times = [run.prompt.seconds or run.output.seconds for run in runs[start:place]]
        known = [seconds for seconds in times if seconds is not None]
        if len(known) >= _FEWEST_REPEATS:
            yield start, known
        start = place


def _is_repeat(run: Run, other: Run) -> bool:
    same = run.model == other.model and run.workload == other.workload
    return run.source == other.source == llama_bench_rows.NAME and same and run.raw == other.raw
