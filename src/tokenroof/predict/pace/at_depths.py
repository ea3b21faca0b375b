"""What a model in one layout reads at many depths at once, and the bandwidth that it gets.

The sums are those of `parts.TokenPass` and `placing.Placing`, in their order, so that they come out
the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tokenroof.predict.pace.depths import added, cache_bytes

if TYPE_CHECKING:
    from tokenroof.predict.memory.parts import Processor
    from tokenroof.predict.question import Question

Floats = NDArray[np.float64]


def nan_if_unknown(value: float | None) -> float:
    """Unknown is NaN in arrays."""
    return np.nan if value is None else value


class AtDepths:
    """A model in one layout, at all depths."""

    def __init__(self, question: Question, depths: NDArray[np.int64]) -> None:
        self._path = question.placing.fitted.path
        setup = question.placing.setup
        types = (setup.type_k, setup.type_v)
        model, given = question.model, question.case.weight_bytes
        weights = given if given is not None else model.decode_weight_bytes
        assert weights is not None
        states = 2 * model.state_bytes
        self.read_bytes = added(weights, cache_bytes(model.caches or (), depths, types) + states)
        self._parts: list[Floats] = []
        for part in self._path.parts:
            kept = cache_bytes(part.hold.caches, depths, types)
            kept_states = 2 * sum(state.bytes for state in part.hold.states)
            fixed = sum(part.weights.values()) + sum(part.experts.values())
            read = fixed + (kept + kept_states) * part.hold.cache_share
            self._parts.append(np.asarray(read, dtype=np.float64))

    def bandwidth(self, processors: Sequence[Processor]) -> Floats:
        """Bytes of a token over the least time that its parts take, at every depth."""
        speeds = [nan_if_unknown(each.bandwidth_bytes_per_second) for each in processors]
        active = [part > 0 for part in self._parts]
        seconds = [
            np.where(has, part / speed, 0.0)
            for part, has, speed in zip(self._parts, active, speeds, strict=True)
        ]
        *cards, host = seconds
        if self._path.placement.side_by_side:
            together = np.maximum.reduce(cards)
        else:
            together = sum(cards, np.zeros_like(host))
        total = together + host + self._path.transfers.seconds
        several = sum(self._parts, np.zeros_like(host)) / total
        alone = np.zeros_like(host)
        for has, speed in zip(active, speeds, strict=True):
            alone = np.where(has, speed, alone)
        return np.where(np.sum(active, axis=0) == 1, alone, several)
