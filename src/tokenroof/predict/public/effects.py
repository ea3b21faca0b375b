"""Coefficients that depend on classes: a common start, and what each class adds to it.

Every coefficient is the logarithm of something positive. What a class adds was shrunk towards
nothing as much as its data is thin, so a class that was never seen adds nothing and a coefficient
falls back to what is common to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tokenroof.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Levels = Mapping[str, str]
"""Of one question: a grouping, such as `architecture`, and which class of it the question is of."""


class Coefficient(Record, frozen=True, kw_only=True):
    """One coefficient: where it starts, and what the classes of each grouping add."""

    start: float
    classes: dict[str, dict[str, float]] = {}

    def of(self, levels: Levels) -> float:
        """Its value for one question."""
        return self.start + sum(
            found.get(levels.get(grouping, ""), 0.0) for grouping, found in self.classes.items()
        )


def values(coefficients: Mapping[str, Coefficient], levels: Sequence[Levels]) -> dict[str, Floats]:
    """Every coefficient, one entry a question."""
    import numpy as np

    # Steps of one question at many depths share their levels, and so their values.
    distinct = {id(each): each for each in levels}
    at = [id(each) for each in levels]
    found = {}
    for name, coefficient in coefficients.items():
        of = {key: coefficient.of(each) for key, each in distinct.items()}
        found[name] = np.array([of[key] for key in at], dtype=np.float64)
    return found
