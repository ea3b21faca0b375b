"""The pace as it was measured: runs of this very condition in the place of a prediction.

*Decode.* A run's time per token belongs to the mean depth of its steps. Between two measured
depths the time runs straight in the bytes that a token reads there (time = a + b x bytes), which
is exact at both and bends where a window fills, as the cache does. Up to a tenth more or fewer
bytes than were measured count as measured; beyond, a weaker basis answers.

*Prefill.* A prompt of a measured length takes its median. Another one takes what the curve
a + b n + c n^2 through all lengths says, from which the part that a cache holds is taken away.

Whoever has no prediction to go on with may have the curves drawn out beyond what was measured.

The interval is that of the medians: 95 % by order statistics from six runs on, else the range of
the runs, and around fewer than three what repeated reports of one condition differ by. How far the
curve is from the lengths that it goes through widens it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tokenroof.medians import median, median_interval
from tokenroof.notices import Notice
from tokenroof.predict.pace.conditions_of_runs import (
    SAME_WEIGHTS,
    KnownRuns,
    runs_of,
    weights_ratio,
)
from tokenroof.predict.pace.pace import Span, Steps
from tokenroof.predict.pace.powers import fit_powers
from tokenroof.records import Run
from tokenroof.safetext import printable
from tokenroof.units import count, size

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.pace.pace import Depths, Floats
    from tokenroof.predict.question import Question

EDGE = 0.1
"""Up to a tenth beyond what was measured still counts as measured."""

SAME_LENGTH = 0.02
"""Prompts hit their length to two hundredths."""

LEAST_FOR_A_SPREAD = 3
FLOORS = {"decode": 0.027, "prefill": 0.11}
"""By how much reports of one condition differ, at the median, in public measurements."""

LENGTHS_FOR_A_SQUARE = 4

_NO_READING = frozenset({"prefill_implausible", "prefill_may_be_cached", "prefill_too_short"})


Reads = Callable[["Floats"], "Floats"]
"""What the next token reads at each depth, in bytes: times run straight in it."""

Known = Literal["interval", "range", "reports"]
"""What encloses a median: its interval, the runs, or how far reports of one condition differ."""


@dataclass(frozen=True, slots=True)
class Point:
    """A median of one length, with the factors around it that enclose what is known of it.

    `at` is the mean depth of decode, or the tokens of a prompt; `seconds` are of one token.
    """

    at: float
    seconds: float
    low: float
    high: float
    known: Known


class MeasuredPace:
    """What runs of one condition say.

    Args:
        runs: of this condition, at least one.
        reads: what a token reads, by depth.
        ratio: what a token reads of the runs' file over what it reads of the model's.
        is_drawn_out: whether curves go on beyond what was measured.
    """

    basis: Literal["measured"] = "measured"

    def __init__(
        self,
        runs: Sequence[Run],
        reads: Reads,
        ratio: float | None = None,
        *,
        is_drawn_out: bool = False,
    ) -> None:
        self.runs, self._reads, self._is_drawn_out = runs, reads, is_drawn_out
        self._decode = _points(runs, _decode_seconds, "decode")
        self._prefill = _points(runs, _prefill_seconds, "prefill")
        self._stretch = abs((ratio or 1.0) - 1)

    @property
    def decode_known(self) -> set[Known]:
        """What the intervals of steps stand for."""
        return {point.known for point in self._decode}

    def reading_known(self, tokens: int) -> set[Known]:
        """What the interval of a prompt stands for."""
        near = self._near(tokens)
        return {near.known} if near is not None else {point.known for point in self._prefill}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """How many runs, of which engine, and when."""
        first, last = self.runs[0], max(self.runs, key=lambda run: run.started or "")
        engine = f"{first.engine.name} {first.engine.version or ''}".strip()
        values = {
            "count": count(len(self.runs)),
            "engine": printable(engine),
            "date": (last.started or "–")[:10],
        }
        found = [Notice("waiting.assumes_measured", values)]
        if self._stretch > SAME_WEIGHTS:
            told = size(float(first.model.weight_bytes or 0))
            found.append(Notice("waiting.assumes_another_build", {"weights": told}))
        return tuple(found)

    def steps(self, depths: Depths) -> Steps | None:
        """Seconds of the next token at every depth; NaN beyond what was measured."""
        import numpy as np

        if not self._decode:
            return None
        known = self._reads(np.array([point.at for point in self._decode]))
        asked = self._reads(depths.astype(np.float64))
        outside = (asked < known[0] * (1 - EDGE)) | (asked > known[-1] * (1 + EDGE))
        if self._is_drawn_out:
            outside[:] = False
        times = np.array([point.seconds for point in self._decode])
        seconds = np.where(outside, np.nan, _straight(known, times, asked))
        low = min(point.low for point in self._decode) / (1 + self._stretch)
        high = max(point.high for point in self._decode) * (1 + self._stretch)
        return Steps(seconds, seconds * low, seconds * high)

    def reading(self, tokens: int, depth: int) -> Span | None:
        """Seconds of a prompt; None for one that is shorter or longer than those measured."""
        points, near = self._prefill, self._near(tokens)
        if depth == 0 and near is not None:
            seconds = near.seconds * tokens
            return Span(seconds, seconds * near.low, seconds * near.high, self.basis)
        lengths = len({point.at for point in points})
        whole = depth + tokens
        if lengths < (LENGTHS_FOR_A_SQUARE if depth else 2):
            return None
        is_outside = whole > points[-1].at * (1 + EDGE) or whole < points[0].at * (1 - EDGE)
        if is_outside and not self._is_drawn_out:
            return None
        powers = 3 if lengths >= LENGTHS_FOR_A_SQUARE else 2
        measured = [(point.at, point.seconds * point.at) for point in points]
        fixed, linear, square = fit_powers(measured, powers)

        def curve(length: float) -> float:
            return fixed + linear * length + square * length**2

        ratios = [seconds / curve(length) for length, seconds in measured]
        low = min(1.0, *(r * each.low for r, each in zip(ratios, points, strict=True)))
        high = max(1.0, *(r * each.high for r, each in zip(ratios, points, strict=True)))
        seconds = curve(whole) - (curve(depth) - fixed if depth else 0.0)
        return Span(seconds, seconds * low, seconds * high, self.basis)

    def _near(self, tokens: int) -> Point | None:
        """The measured length that a prompt has."""
        near = [each for each in self._prefill if abs(tokens / each.at - 1) <= SAME_LENGTH]
        return min(near, key=lambda each: abs(each.at - tokens), default=None)


def measured_pace(question: Question, known: KnownRuns) -> MeasuredPace | None:
    """The pace by the runs of a question's condition; None where there are none."""
    found = runs_of(question, known)
    if not found:
        return None
    setup = question.placing.setup
    reads = reads_of(question.model, (setup.type_k, setup.type_v))
    return MeasuredPace(found, reads, weights_ratio(found, question))


def reads_of(model: Model, types: tuple[str, str]) -> Reads:
    """What a model's next token reads, by its own tensors; between whole depths straight."""
    import numpy as np

    from tokenroof.predict.pace.depths import cache_bytes

    fixed = float(model.decode_weight_bytes or 0) + 2.0 * model.state_bytes
    caches = model.caches or ()

    def reads(depths: Floats) -> Floats:
        whole = np.floor(depths).astype(np.int64)
        low, high = (cache_bytes(caches, each, types) for each in (whole, whole + 1))
        return np.asarray(fixed + low + (high - low) * (depths - whole), dtype=np.float64)

    return reads


def _straight(known: Floats, times: Floats, asked: Floats) -> Floats:
    """Straight in bytes between the points; beyond them along the line through all of them."""
    import numpy as np

    if len(known) == 1:
        # Of one depth only the whole is known: the time goes with all bytes, as a bound would.
        return np.asarray(times[0] * asked / known[0], dtype=np.float64)
    inside = np.interp(asked, known, times)
    slope = max(float(np.polyfit(known - known.mean(), times, 1)[0]), 0.0)
    below = np.minimum(asked - known[0], 0.0) * slope
    above = np.maximum(asked - known[-1], 0.0) * slope
    return np.asarray(inside + below + above, dtype=np.float64)


def _points(
    runs: Sequence[Run], of: Callable[[Run], tuple[float, float] | None], phase: str
) -> list[Point]:
    """Medians by length, the shortest first."""
    groups: dict[tuple[object, ...], list[tuple[Run, float, float]]] = {}
    for run in runs:
        found = of(run)
        if found is None:
            continue
        asked = run.workload.prompt_target
        key: tuple[object, ...] = (run.prompt.tokens if asked is None else asked,)
        if phase == "decode":
            answer = run.workload.output_target
            key += (run.workload.depth, run.output.steps if answer is None else answer)
        groups.setdefault(key, []).append((run, *found))
    points = []
    for group in groups.values():
        at = float(median([each for _, each, _ in group]))
        times = [each for _, _, each in group]
        points.append(Point(at, float(median(times)), *_factors(times, phase)))
    ordered = sorted(points, key=lambda point: point.at)
    # Two conditions may come out at one depth; a curve wants one point there.
    return [p for n, p in enumerate(ordered) if n == 0 or p.at > ordered[n - 1].at]


def _factors(times: Sequence[float], phase: str) -> tuple[float, float, Known]:
    """Around a median: what encloses it."""
    middle = float(median(times))
    interval = median_interval(times)
    if interval is not None:
        return interval.low / middle, interval.high / middle, "interval"
    low, high = min(times) / middle, max(times) / middle
    if len(times) >= LEAST_FOR_A_SPREAD:
        return low, high, "range"
    floor = FLOORS[phase]
    return min(low, 1 / (1 + floor)), max(high, 1 + floor), "reports"


def _decode_seconds(run: Run) -> tuple[float, float] | None:
    depth, seconds, steps = run.mean_decode_depth, run.output.seconds, run.output.steps
    return None if depth is None or not seconds or not steps else (depth, seconds / steps)


def _prefill_seconds(run: Run) -> tuple[float, float] | None:
    tokens, seconds = run.prompt.tokens, run.prompt.seconds
    if not tokens or not seconds or run.workload.depth or run.prompt.cached:
        return None
    return None if _NO_READING & set(run.flags) else (float(tokens), seconds / tokens)
