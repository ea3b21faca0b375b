"""The three things to say first: how fast, what limits it, what that is of the ceiling.

Each is a message id with values, chosen by what the figures show and by nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenroof import units
from tokenroof.analysis.results import DecodePoint, Peak, PrefillPoint
from tokenroof.notices import Notice

ARITHMETIC_TO_SPARE = 3.0
"""Prefill shows what arithmetic the device can do; a third of it is far from being the limit."""
ARITHMETIC_NEAR = 1.5
MOSTLY_MEMORY = 0.5


FAST = {
    (True, True, False): "analysis.fast_both_length",
    (True, True, True): "analysis.fast_both_lengths",
    (True, False, False): "analysis.fast_prefill_length",
    (True, False, True): "analysis.fast_prefill_lengths",
    (False, True, False): "analysis.fast_decode_length",
    (False, True, True): "analysis.fast_decode_lengths",
}
"""By what was measured: prefill, decode, at more than one length."""


def _tokens(value: float | None) -> str:
    """A token count as it is said: ``35,700``."""
    return "?" if value is None else units.count(round(value))


def measured(points: Sequence[Any]) -> list[Any]:
    """Points with counted runs, by length."""
    counted = [point for point in points if point.counted is not None]
    return sorted(counted, key=lambda point: point.context_tokens or 0.0)


def how_fast(
    label: str, prefill: Sequence[PrefillPoint], decode: Sequence[DecodePoint]
) -> Notice | None:
    """Both phases, at the shortest and the longest length that both were measured at."""
    read, written = measured(prefill), measured(decode)
    if read and written:
        # One sentence speaks of one length: figures of different lengths never share it.
        both = {each.context_tokens for each in read} & {each.context_tokens for each in written}
        read = [each for each in read if each.context_tokens in both]
        written = [each for each in written if not both or each.context_tokens in both]
    values: dict[str, Any] = {"model": label}
    if read:
        values |= _ends("read", read)
    if written:
        values |= _ends("write", written)
    if not read and not written:
        return None
    several = len(read) > 1 or len(written) > 1
    return Notice(FAST[bool(read), bool(written), several], values)


def _ends(name: str, points: Sequence[PrefillPoint | DecodePoint]) -> dict[str, str]:
    first, last = points[0], points[-1]
    assert first.counted is not None
    assert last.counted is not None
    return {
        f"{name}_short": units.rate(first.counted.tokens_per_second),
        f"{name}_short_at": _tokens(first.context_tokens),
        f"{name}_long": units.rate(last.counted.tokens_per_second),
        f"{name}_long_at": _tokens(last.context_tokens),
    }


def what_limits(decode: Sequence[DecodePoint], compute_ratio: float | None) -> Notice | None:
    """What holds decode back, as far as the figures can tell."""
    points = measured(decode)
    if not points:
        return None
    point = points[0]
    if point.read_bytes is None or point.achieved_bytes_per_second is None:
        return Notice("analysis.limit_unknown")
    values = {
        "bytes": units.size(point.read_bytes),
        "rate": units.bandwidth(point.achieved_bytes_per_second),
        "at": _tokens(point.context_tokens),
    }
    if compute_ratio is not None:
        values["ratio"] = units.significant(compute_ratio, 2)
    if compute_ratio is not None and compute_ratio < ARITHMETIC_NEAR:
        return Notice("analysis.limit_arithmetic", values)
    spare = compute_ratio is not None and compute_ratio >= ARITHMETIC_TO_SPARE
    if point.mbu is None:
        return Notice("analysis.limit_spare" if spare else "analysis.limit_open", values)
    if point.mbu >= MOSTLY_MEMORY:
        message = "analysis.limit_memory_spare" if spare else "analysis.limit_memory"
    else:
        message = "analysis.limit_below_half_spare" if spare else "analysis.limit_below_half"
    return Notice(message, values)


def share_of_ceiling(
    decode: Sequence[DecodePoint], peak: Peak | None, *, in_two_places: bool = False
) -> Notice | None:
    """The measured rate over the ceiling, or how to make the ceiling known.

    `in_two_places`: part of the model was on the host, so that no single bandwidth is its ceiling.
    """
    points = measured(decode)
    if not points:
        return None
    if in_two_places or peak is None or peak.bandwidth_bytes_per_second is None:
        return Notice("analysis.ceiling_of_two" if in_two_places else "analysis.ceiling_unknown")
    first, last = points[0], points[-1]
    if first.mbu is None or first.ceiling_tokens_per_second is None or first.counted is None:
        return Notice("analysis.ceiling_not_applicable")
    values = {
        "share": units.percent(first.mbu),
        "rate": units.rate(first.counted.tokens_per_second),
        "ceiling": units.rate(first.ceiling_tokens_per_second),
        "bandwidth": units.bandwidth(peak.bandwidth_bytes_per_second),
        "at": _tokens(first.context_tokens),
    }
    most = max(points, key=lambda point: point.mbu or 0.0)
    if most.mbu is not None and most.mbu > 1:
        return Notice("analysis.ceiling_exceeded", values | _share_at(most))
    if last is not first and last.mbu is not None:
        return Notice("analysis.ceiling_shares", values | _share_at(last))
    return Notice("analysis.ceiling_share", values)


def _share_at(point: DecodePoint) -> dict[str, str]:
    assert point.mbu is not None
    return {"long_share": units.percent(point.mbu), "long_at": _tokens(point.context_tokens)}
