"""What came when: the pieces of an answer as they reached us.

A piece is not a token. Servers put several tokens into one piece, hold some back until a character
is complete, and show none of others (the marks that begin a channel). So pieces give moments, and
counts come from the server; where it gives none, the number of pieces is the least that it can be.

Tokens that were drafted and checked together come at one moment. `tokens_per_step` measures that:
a step is a gap that is not tiny beside the mean gap. On a busy machine tokens also come at one
moment because we, or the server, had to wait for a processor; then the wait before them is as long
as their steps are one by one, which is what drafting would save.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from tokenroof.engines.base import Step

_TINY_SHARE = 0.1
"""A gap under this share of the mean gap is none: its piece came with the one before."""

_SHORTEST_MEAN_SECONDS = 0.002
"""Below this, pieces that wait in a buffer for our turn look like pieces that came together."""

_FEWEST_GAPS = 8

_LATE_SHARE = 0.8
"""Pieces after a wait of this share of their own steps, or more, were held up and not drafted."""

_ALONE_SHARE = 0.25
"""What a step takes is known where so many of all steps brought one piece."""

_TELL_SECONDS = 0.1


@dataclass
class Arrivals:
    """The pieces of one answer.

    Attributes:
        sent_at: when the request went out.
        at: when each piece that holds text came, on the same clock.
        characters: of each channel.
    """

    sent_at: float
    at: list[float] = field(default_factory=list)
    characters: dict[str, int] = field(default_factory=dict)

    def add(self, at: float, texts: Mapping[str, object]) -> bool:
        """A piece came; True if any of its channels holds text."""
        told = {name: text for name, text in texts.items() if isinstance(text, str) and text}
        for name, text in told.items():
            self.characters[name] = self.characters.get(name, 0) + len(text)
        if told:
            self.at.append(at)
        return bool(told)

    @property
    def ttft_seconds(self) -> float | None:
        """From the request to the first text of any channel; None where none came."""
        return self.at[0] - self.sent_at if self.at else None

    @property
    def span_seconds(self) -> float | None:
        """From the first text to the last; None where fewer than two pieces came."""
        return self.at[-1] - self.at[0] if len(self.at) > 1 else None

    @property
    def tokens_per_step(self) -> float | None:
        """Pieces that came together, on average; None where the gaps are too few or too short."""
        gaps = [later - earlier for earlier, later in zip(self.at, self.at[1:], strict=False)]
        if len(gaps) < _FEWEST_GAPS:
            return None
        mean = sum(gaps) / len(gaps)
        if mean < _SHORTEST_MEAN_SECONDS:
            return None
        return len(gaps) / _steps(gaps, mean * _TINY_SHARE)

    def seconds(self) -> list[float]:
        """When each piece came, counted from the request."""
        return [round(at - self.sent_at, 6) for at in self.at]


def _steps(gaps: list[float], tiny_seconds: float) -> int:
    """How many steps made the pieces that came after these gaps."""
    bursts: list[tuple[float, int]] = []
    for gap in gaps:
        if gap >= tiny_seconds:
            bursts.append((gap, 1))
        elif bursts:  # else it came with the very first piece
            wait, pieces = bursts[-1]
            bursts[-1] = (wait, pieces + 1)
    alone = [wait for wait, pieces in bursts if pieces == 1]
    if len(alone) < len(bursts) * _ALONE_SHARE:
        return len(bursts)
    step_seconds = median(alone)
    return sum(
        pieces if wait >= _LATE_SHARE * pieces * step_seconds else 1 for wait, pieces in bursts
    )


class Teller:
    """Tells the person who waits how far an answer is, a few times a second.

    Args:
        watch: who is told; None: nobody.
        total: tokens that were asked for.
    """

    def __init__(self, watch: Callable[[Step], None] | None, total: int) -> None:
        self._watch = watch
        self._total = total
        self._told_at = float("-inf")

    def decode(self, done: int, at: float) -> None:
        """So many pieces are there."""
        if self._watch is None or at - self._told_at < _TELL_SECONDS:
            return
        self._told_at = at
        self._watch(Step(phase="decode", done=min(done, self._total), total=self._total))
