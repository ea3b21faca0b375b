"""The pace by what others have published: see `public.coefficients`, at many depths in one pass."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec

from tokenroof.notices import Notice
from tokenroof.predict.ceiling import decode_ceiling, prefill_ceiling
from tokenroof.predict.pace.pace import Span, Steps
from tokenroof.predict.public.coefficients import DECODE, knowledge, spread_keys, spread_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenroof.predict.pace.pace import Depths
    from tokenroof.predict.public.asked import Step
    from tokenroof.predict.question import Question

    Floats = NDArray[np.float64]


class PublicPace:
    """What public knowledge says of a question; nothing of a device that it does not know."""

    basis: Literal["public"] = "public"

    def __init__(self, question: Question) -> None:
        self._question = question

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What it assumes is told with the row's rates."""
        return ()

    @cached_property
    def _asked(self) -> list[Step] | None:
        from tokenroof.predict.public.asked import steps_of

        return steps_of(self._question, 0)

    def rates(self, depths: Depths) -> tuple[Floats, Floats] | None:
        """Tokens per second at every depth, and the ceilings, which none lies above."""
        import numpy as np

        from tokenroof.predict.pace.at_depths import AtDepths

        asked, question = self._asked, self._question
        if not asked:
            return None
        cells = AtDepths(question, depths)
        bandwidth = cells.bandwidth(question.placing.processors.all)
        ceilings = decode_ceiling(bandwidth, cells.read_bytes.astype(np.float64))
        seconds = self._seconds(asked, depths)
        return np.minimum(1 / seconds, ceilings), ceilings

    def steps(self, depths: Depths) -> Steps | None:
        """Seconds of the next token at every depth, none faster than its ceiling."""
        import numpy as np

        asked, question, known = self._asked, self._question, knowledge()
        rates = self.rates(depths)
        if not asked or rates is None:
            return None
        point, ceilings = rates
        slower, faster = np.empty(len(depths)), np.empty(len(depths))
        for is_deep in (False, True):
            keys = spread_keys(DECODE, known, asked, is_moe=question.model.is_moe, is_deep=is_deep)
            spread = spread_of(known, keys)
            slower[(depths > 0) == is_deep] = max(spread.slower, 0.0)
            faster[(depths > 0) == is_deep] = min(spread.faster, 0.0)
        low = np.minimum(point * np.exp(-slower), point)
        high = np.minimum(np.maximum(point * np.exp(-faster), point), ceilings)
        return Steps(1 / point, 1 / high, 1 / low)

    def reading(self, tokens: int, depth: int) -> Span | None:
        """Seconds of a prompt, no less than its arithmetic takes."""
        from tokenroof.predict.public.predicting import predictions

        if not self._asked:
            return None
        question = self._question
        flop = question.model.prefill_flop(tokens, depth)
        asked = dataclasses.replace(
            question,
            case=msgspec.structs.replace(question.case, prompt=tokens),
            depth=depth,
            prompt_flop=flop,
        )
        most = asked.flop_per_second
        ceiling = None if most is None else prefill_ceiling(most, float(flop), float(tokens))
        # Nothing of the prompt depends on the bound of decoding.
        rate = predictions([asked], [float("inf")], [ceiling])[0].prefill
        if rate is None or not (rate.tokens_per_s and rate.low and rate.high):
            return None
        return Span(tokens / rate.tokens_per_s, tokens / rate.high, tokens / rate.low, self.basis)

    def _seconds(self, asked: list[Step], depths: Depths) -> Floats:
        """As `public.decode_seconds`: only caches and attention depend on the depth, so the
        columns of these are as long as there are depths, and numpy widens the others."""
        import numpy as np

        from tokenroof.predict.pace.depths import attention_flop, cache_bytes
        from tokenroof.predict.public import physics
        from tokenroof.predict.public.asked import decode_columns
        from tokenroof.predict.public.effects import values

        known, question = knowledge(), self._question
        setup = question.placing.setup
        active = [part for part in question.placing.fitted.path.parts if part.read_bytes]
        attention = attention_flop(question.model, depths).astype(np.float64)
        total = np.zeros(len(depths))
        for part, step in zip(active, asked, strict=True):
            kept = cache_bytes(part.hold.caches, depths, (setup.type_k, setup.type_v))
            states = 2 * sum(state.bytes for state in part.hold.states)
            columns = dataclasses.replace(
                decode_columns([step]),
                cache_bytes=((kept + states) * part.hold.cache_share).astype(np.float64),
                attention_flop=attention * step.attention_share,
            )
            of = values(known.coefficients[f"{DECODE} {step.place}"], [step.levels])
            own = known.devices.get(step.key, {}).get(DECODE, 0.0)
            seconds = physics.decode_seconds(of, columns) * np.exp(own)
            total += np.maximum(seconds, physics.least_decode_seconds(columns))
        return total
