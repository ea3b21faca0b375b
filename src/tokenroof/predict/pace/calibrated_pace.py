"""The pace by what was learnt of this machine: see `learnt.profile`, at many depths in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tokenroof.notices import Notice
from tokenroof.predict.ceiling import decode_ceiling, prefill_ceiling
from tokenroof.predict.learnt.attending import DEEPER, Attending
from tokenroof.predict.learnt.profile import (
    NORMAL_80,
    STRETCH,
    UNKNOWN_PART,
    Profile,
    Seconds,
    prefill_seconds,
    rates_for,
)
from tokenroof.predict.learnt.work import decode_work
from tokenroof.predict.pace.pace import Span, Steps

if TYPE_CHECKING:
    from tokenroof.predict.pace.pace import Depths
    from tokenroof.predict.question import Question


class CalibratedPace:
    """What a profile says of a question that was asked under the profile's own conditions."""

    basis: Literal["calibrated"] = "calibrated"

    def __init__(self, question: Question, profile: Profile) -> None:
        self._question, self._profile = question, profile

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What it rests on is told with the row's rates."""
        return ()

    def steps(self, depths: Depths) -> Steps | None:
        """Seconds of the next token at every depth, none faster than its ceiling."""
        import numpy as np

        from tokenroof.predict.pace.at_depths import AtDepths

        model, learnt, profile = self._question.model, self._profile.decode, self._profile
        at_most = int(depths.max())
        deepest = decode_work(model, at_most, threads=profile.threads, ubatch=profile.ubatch)
        attending = Attending.of(model, profile.threads, profile.ubatch)
        if learnt is None or deepest is None or attending is None:
            return None
        rates, missing = rates_for(learnt, deepest)
        if missing:
            return None
        fixed = sum(amount * rates[kind] for kind, amount in deepest.items() if kind not in DEEPER)
        deeper = [
            sum(amount * rates.get(kind, 0.0) for kind, amount in attending.decode(each).items())
            for each in depths.tolist()
        ]
        seconds = fixed + np.array(deeper)
        if seconds.min() <= 0:
            return None
        cells = AtDepths(self._question, depths)
        bandwidth = cells.bandwidth(self._question.placing.processors.all)
        ceilings = decode_ceiling(bandwidth, cells.read_bytes.astype(np.float64))
        least = np.where(np.isnan(ceilings), 0.0, 1 / ceilings)
        spread = np.full(len(depths), learnt.spread)
        if learnt.longest > 0:
            beyond = np.log2(np.maximum(depths / learnt.longest, 1.0))
            spread = np.hypot(spread, STRETCH * beyond)
        if any(kind not in learnt.seconds and kind not in learnt.not_learnt for kind in deepest):
            spread = np.hypot(spread, UNKNOWN_PART)
        factor = np.exp(NORMAL_80 * spread)
        return Steps(
            np.maximum(seconds, least),
            np.maximum(seconds / factor, least),
            np.maximum(seconds * factor, least),
        )

    def reading(self, tokens: int, depth: int) -> Span | None:
        """Seconds of a prompt, no less than its arithmetic takes."""
        model, most = self._question.model, self._question.device.flop_per_second
        found = prefill_seconds(self._profile, model, tokens, depth)
        if not isinstance(found, Seconds):
            return None
        least = 0.0
        if most is not None:
            flop = float(model.prefill_flop(tokens, depth))
            least = tokens / prefill_ceiling(most, flop, float(tokens))
        return Span(
            max(found.seconds, least), max(found.low, least), max(found.high, least), self.basis
        )
