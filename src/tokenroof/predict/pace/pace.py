"""How long a model takes here: one token at each of many depths, or a prompt on top of a depth.

Each basis answers in this one form, so that a wait is added up in the same way whatever it rests
on. What a basis cannot say, it leaves to the next weaker one by answering None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tokenroof.notices import Notice
from tokenroof.predict.records import Basis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Depths = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Span:
    """A time in seconds, and the interval that it lies in."""

    seconds: float
    low: float
    high: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class Steps:
    """Seconds of one token at every depth, each with its interval; NaN where not known."""

    seconds: Floats
    low: Floats
    high: Floats


class Pace(Protocol):
    """What one basis knows of a question's model on its device."""

    @property
    def basis(self) -> Basis:
        """What it rests on."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is to be said where it was used."""

    def steps(self, depths: Depths) -> Steps | None:
        """The next token with so many tokens in the context; None where nothing is known."""

    def reading(self, tokens: int, depth: int) -> Span | None:
        """A prompt on top of a depth; None where it is not known."""


class Mixed:
    """Steps, each by the strongest basis that knows its depth.

    Attributes:
        steps: their seconds.
        by: which of the paces each is by.
    """

    def __init__(self, steps: Steps, by: NDArray[np.int64]) -> None:
        self.steps, self.by = steps, by


def steps_of(paces: Sequence[Pace], depths: Depths) -> Mixed | None:
    """Steps at all depths; None where no basis knows one of them."""
    import numpy as np

    by = np.full(len(depths), -1)
    seconds, low, high = (np.full(len(depths), np.nan) for _ in range(3))
    for number, pace in enumerate(paces):
        open_ = np.isnan(seconds)
        if not open_.any():
            break
        found = pace.steps(depths[open_])
        if found is None:
            continue
        seconds[open_], low[open_], high[open_] = found.seconds, found.low, found.high
        by[open_ & ~np.isnan(seconds)] = number
    return None if (by < 0).any() else Mixed(Steps(seconds, low, high), by)


def reading_of(paces: Sequence[Pace], tokens: int, depth: int) -> tuple[Span, Pace] | None:
    """The reading of a prompt by the strongest basis that knows it."""
    for pace in paces:
        found = pace.reading(tokens, depth)
        if found is not None:
            return found, pace
    return None
