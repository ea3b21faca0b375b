"""One phase of one model at one length: the figure, and what it means in bytes and operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tokenroof.analysis.costs import ModelCosts, at_depth, kv_types
from tokenroof.analysis.grouping import prompt_tokens
from tokenroof.analysis.results import DecodePoint, Peak, Point, PrefillPoint, Timing
from tokenroof.analysis.timing import decode_time, prefill_time, stated, timing
from tokenroof.medians import median
from tokenroof.records import Run

NOT_ONE_READ_A_STEP = frozenset({"partial_offload", "speculative"})
"""Flags under which a step is not one read on one device: no single bandwidth is its ceiling."""

P = TypeVar("P", bound=Point)


def prefill_points(
    conditions: Sequence[Sequence[Run]], cost: ModelCosts | None, peak: Peak | None
) -> tuple[PrefillPoint, ...]:
    """Prefill by length; conditions that no run has a prefill time for are left out.

    Where no `cost` is at hand, what the runs themselves say of theirs holds.
    """
    return _by_length(_prefill_point(runs, cost, peak) for runs in conditions)


def decode_points(
    conditions: Sequence[Sequence[Run]], cost: ModelCosts | None, peak: Peak | None
) -> tuple[DecodePoint, ...]:
    """Decode by length; conditions that no run has a decode time for are left out.

    Where no `cost` is at hand, what the runs themselves say of theirs holds.
    """
    return _by_length(_decode_point(runs, cost, peak) for runs in conditions)


def compute_ratio(prefill: Sequence[PrefillPoint], decode: Sequence[DecodePoint]) -> float | None:
    """The most that prefill computed per second, over what decode did at the shortest length."""
    shown = [point.flop_per_second for point in prefill if point.flop_per_second is not None]
    used = [point.flop_per_second for point in decode if point.flop_per_second is not None]
    return max(shown) / used[0] if shown and used else None


def _by_length(points: Iterable[P | None]) -> tuple[P, ...]:
    kept = [point for point in points if point is not None]
    return tuple(sorted(kept, key=lambda point: point.context_tokens or 0.0))


def _prefill_point(
    runs: Sequence[Run], cost: ModelCosts | None, peak: Peak | None
) -> PrefillPoint | None:
    shared = _shared(runs, prefill_time)
    if shared is None:
        return None
    counted: Timing | None = shared["counted"]
    timed = [run for run in runs if prefill_time(run) is not None and run.excluded is None]
    seconds = _middle([run.prompt.seconds for run in timed])
    flop = None
    if timed and seconds and cost is None:
        flop = _middle([run.cost.prefill_flop for run in timed if run.cost is not None])
    elif timed and seconds and cost is not None:
        cached = round(_middle([run.prompt.cached or 0 for run in timed]) or 0)
        read = round(_middle([run.prompt.tokens for run in timed]) or 0) - cached
        flop = cost.prefill_flop(read, shared["depth"] + cached)
    per_second = flop / seconds if flop is not None and seconds else None
    return PrefillPoint(
        **shared,
        seconds=seconds if counted else None,
        flop=flop,
        flop_per_second=per_second,
        mfu=_share(per_second, peak.flop_per_second if peak else None),
    )


def _decode_point(
    runs: Sequence[Run], cost: ModelCosts | None, peak: Peak | None
) -> DecodePoint | None:
    shared = _shared(runs, decode_time)
    if shared is None:
        return None
    counted: Timing | None = shared["counted"]
    depth = _middle([run.mean_decode_depth for run in runs])
    read = flop = None
    if cost is None:
        stated = [run.cost for run in runs if run.cost is not None]
        read = _middle([each.read_bytes for each in stated])
        flop = _middle([each.decode_flop for each in stated])
    elif depth is not None:
        types = kv_types(runs[0])
        read = at_depth(lambda at: cost.read_bytes(at, *types), depth)
        flop = at_depth(cost.decode_flop, depth)
    bandwidth = peak.bandwidth_bytes_per_second if peak else None
    if any(NOT_ONE_READ_A_STEP & set(run.flags) for run in runs if run.excluded is None):
        bandwidth = None
    rate = counted.tokens_per_second if counted else None
    achieved = read * rate if read is not None and rate is not None else None
    per_second = flop * rate if flop is not None and rate is not None else None
    return DecodePoint(
        **shared,
        mean_depth=depth,
        read_bytes=read,
        achieved_bytes_per_second=achieved,
        ceiling_tokens_per_second=bandwidth / read if bandwidth and read else None,
        mbu=_share(achieved, bandwidth),
        flop=flop,
        flop_per_second=per_second,
        mfu=_share(per_second, peak.flop_per_second if peak else None),
    )


def _shared(runs: Sequence[Run], time: Callable[[Run], float | None]) -> dict[str, Any] | None:
    timed = [(run, each) for run in runs if (each := time(run)) is not None]
    if not timed:
        return None
    kept = [each for run, each in timed if run.excluded is None]
    aggregate = runs[0].aggregate
    if aggregate is None:
        counted, every = timing(kept), timing([each for _, each in timed])
    else:
        every = stated(timed[0][1], aggregate.of)
        counted = every if kept else None
    depth = runs[0].workload.depth
    prompt = prompt_tokens(runs)
    return {
        "prompt_tokens": prompt,
        "depth": depth,
        "context_tokens": None if prompt is None else depth + prompt,
        "counted": counted,
        "with_excluded": every,
        "excluded": len(timed) - len(kept),
        "aggregate": aggregate,
        "run_ids": tuple(run.id for run, _ in timed),
    }


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(median(known)) if known else None


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
