"""What the runs took of the machine, and what a cache spared them.

Both are medians over the runs of one length that count, but for peaks, which are peaks of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from tokenroof.analysis.results import CachedPoint, UsedPoint
from tokenroof.medians import median
from tokenroof.records import Run

P = TypeVar("P", UsedPoint, CachedPoint)
T = TypeVar("T", int, float)


def pairs_of(runs: Sequence[Run]) -> dict[str, Run]:
    """For each run by its id, the one that sent its prompt again to be found in a cache."""
    return {
        cold.id: cached
        for cold, cached in pairwise(runs)
        if cached.workload.cached
        and not cold.workload.cached
        and cold.campaign == cached.campaign
        and cold.workload.prompt_target == cached.workload.prompt_target
    }


def used_points(conditions: Iterable[Sequence[Run]]) -> tuple[UsedPoint, ...]:
    """What was taken at each length; lengths of which nothing is known are left out."""
    points = [_used(runs) for runs in conditions]
    return _by_length(point for point in points if point is not None)


def _used(runs: Sequence[Run]) -> UsedPoint | None:
    counted = [run for run in runs if run.excluded is None and run.aggregate is None]
    point = UsedPoint(
        prompt_tokens=_middle(run.prompt.tokens for run in counted),
        memory_peak_bytes=_most(run.used.memory_peak_bytes for run in counted),
        vram_peak_bytes=_most(run.used.vram_peak_bytes for run in counted),
        prefill_joules_per_token=_middle(run.prefill_joules_per_token for run in counted),
        decode_joules_per_token=_middle(run.decode_joules_per_token for run in counted),
        temperature_celsius_high=_most(run.used.temperature_celsius_high for run in counted),
        clock_mhz_low=_least(run.used.clock_mhz_low for run in counted),
        energy_sources=tuple(
            dict.fromkeys(source for run in counted for source in run.used.energy_sources)
        ),
    )
    return point if any(_told(point)) else None


def _told(point: UsedPoint) -> Iterable[bool]:
    own = {"prompt_tokens", "energy_sources"}
    return (getattr(point, name) is not None for name in point.__struct_fields__ if name not in own)


def cached_points(
    conditions: Iterable[Sequence[Run]], pairs: Mapping[str, Run]
) -> tuple[CachedPoint, ...]:
    """The wait for the first token at each length, for a prompt that is read and for one that is
    in the cache; only pairs of which both halves count."""
    points = []
    for runs in conditions:
        both = [(run, pairs[run.id]) for run in runs if run.id in pairs]
        counted = [(a, b) for a, b in both if a.excluded is None and b.excluded is None]
        waits = [(_waited(a), _waited(b)) for a, b in counted]
        known = [(a, b) for a, b in waits if a is not None and b is not None]
        if not known:
            continue
        shares = (
            b.prompt.cached / b.prompt.tokens
            for _, b in counted
            if b.prompt.cached is not None and b.prompt.tokens
        )
        points.append(
            CachedPoint(
                prompt_tokens=_middle(a.prompt.tokens for a, _ in counted),
                pairs=len(known),
                read_seconds=median([a for a, _ in known]),
                cached_seconds=median([b for _, b in known]),
                cached_share=_middle(shares),
            )
        )
    return _by_length(points)


def _waited(run: Run) -> float | None:
    """Seconds until the first token: by our own clock if that is there, else for the prompt."""
    return run.prompt.seconds if run.ttft_seconds is None else run.ttft_seconds


def _by_length(points: Iterable[P]) -> tuple[P, ...]:
    return tuple(sorted(points, key=lambda point: point.prompt_tokens or 0.0))


def _of_known(values: Iterable[T | None], choose: Callable[[list[T]], T]) -> T | None:
    known = [value for value in values if value is not None]
    return choose(known) if known else None


def _middle(values: Iterable[float | None]) -> float | None:
    return _of_known(values, lambda known: float(median(known)))


def _most(values: Iterable[T | None]) -> T | None:
    return _of_known(values, max)


def _least(values: Iterable[T | None]) -> T | None:
    return _of_known(values, min)
