"""How long one waits for an answer, from what was measured.

Wait = reading the prompt + the steps of the answer after its first token. Each step reads one more
token of cache than the one before, so the steps are added up over a growing depth. Between two
measured depths the time per token runs straight; before the first it stays as it is there; after
the last it goes on along the last stretch. A prompt of a measured length takes its measured median,
any other one what the curve says. Where a question lies beyond what was measured, the
answer says so: `outside`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tokenroof.analysis.curve import known_to, weakest
from tokenroof.analysis.results import (
    Ask,
    Curve,
    DecodePoint,
    PrefillPoint,
    Spread,
    Timing,
    Wait,
)
from tokenroof.measure.prompts import misses

EDGE = 0.1
"""Up to a tenth beyond what was measured still counts as measured."""


class Track:
    """Seconds per token against depth, through the measured decode points."""

    def __init__(self, points: Sequence[DecodePoint]) -> None:
        known = {
            point.mean_depth: (point, point.counted)
            for point in points
            if point.mean_depth is not None and point.counted is not None
        }
        self.depths = sorted(known)
        self.timings: list[Timing] = [known[depth][1] for depth in self.depths]
        self.times = [timing.seconds_per_token for timing in self.timings]
        starts = [point.context_tokens or 0.0 for point, _ in known.values()]
        self.start = min(starts, default=0.0)
        # The steps lie evenly around their mean depth.
        self.end = max(
            (2 * depth - (point.context_tokens or 0.0) for depth, (point, _) in known.items()),
            default=0.0,
        )

    def seconds(self, depth: float) -> float:
        """Seconds of the step at this depth."""
        right = bisect_right(self.depths, depth)
        if right == 0 or len(self.depths) == 1:
            return self.times[0]
        beyond = right == len(self.depths)
        right = min(right, len(self.depths) - 1)
        x0, x1 = self.depths[right - 1], self.depths[right]
        y0, y1 = self.times[right - 1], self.times[right]
        slope = (y1 - y0) / (x1 - x0)
        if beyond:
            # More cache never makes a step faster: a falling last stretch is noise.
            return y1 + max(slope, 0.0) * (depth - x1)
        return y0 + slope * (depth - x0)


@dataclass(frozen=True, slots=True)
class Reading:
    """How long a prompt takes to be read, between which factors, and what those stand for."""

    seconds: float
    low: float
    high: float
    spread: Spread
    outside: bool = False


def reading(prompt: int, curve: Curve | None, points: Sequence[PrefillPoint]) -> Reading | None:
    """The reading of a prompt: as it was measured at that very length, else by the curve."""
    measured = [
        (abs(point.prompt_tokens - prompt), point.counted)
        for point in points
        if point.counted is not None and point.prompt_tokens is not None and not point.depth
        if not misses(round(point.prompt_tokens), prompt)
    ]
    if measured:
        _, timing = min(measured, key=lambda each: each[0])
        return Reading(timing.seconds_per_token * prompt, *known_to(timing))
    if curve is None:
        return None
    outside = _beyond(prompt, prompt, curve.shortest_tokens, curve.longest_tokens)
    return Reading(curve.seconds(prompt), curve.low, curve.high, curve.spread, outside)


def wait(
    ask: Ask,
    curve: Curve | None,
    prompts: Sequence[PrefillPoint],
    points: Sequence[DecodePoint],
) -> Wait | None:
    """The wait for one prompt and answer; None where a phase that it needs was not measured."""
    prompt, steps = ask.prompt_tokens, ask.output_tokens - 1
    track = Track(points)
    read = reading(prompt, curve, prompts)
    if read is None or (steps > 0 and not track.depths):
        return None
    ttft = read.seconds
    total, low, high = ttft, ttft * read.low, ttft * read.high
    spreads: set[Spread] = {read.spread}
    outside: list[Literal["prefill", "decode"]] = ["prefill"] if read.outside else []
    if steps > 0:
        decode = sum(track.seconds(prompt + step) for step in range(steps))
        factors = [known_to(timing) for timing in track.timings]
        total += decode
        low += decode * min(factor for factor, _, _ in factors)
        high += decode * max(factor for _, factor, _ in factors)
        spreads |= {spread for _, _, spread in factors}
        if _beyond(prompt, prompt + steps - 1, track.start, track.end):
            outside.append("decode")
    return Wait(
        prompt_tokens=prompt,
        output_tokens=ask.output_tokens,
        ttft_seconds=ttft,
        total_seconds=total,
        low_seconds=low,
        high_seconds=high,
        spread=weakest(spreads),
        outside=tuple(outside),
    )


def _beyond(first: float, last: float, measured_from: float, measured_to: float) -> bool:
    return first < measured_from * (1 - EDGE) or last > measured_to * (1 + EDGE)
