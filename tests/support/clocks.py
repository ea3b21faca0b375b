"""Clocks that move while they are looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tokenroof.clock import FakeClock


@dataclass
class TickingClock(FakeClock):
    """Moves on by a step each time it is read, as if what lies between had taken so long."""

    step: float = 0.001

    def monotonic(self) -> float:
        self.seconds += self.step
        return self.seconds


@dataclass
class MeddlingClock(FakeClock):
    """Does something the n-th time it is read: what another process might do at that moment."""

    reading: int = 1
    meddle: Callable[[], object] = lambda: None

    def monotonic(self) -> float:
        self.reading -= 1
        if self.reading == 0:
            self.meddle()
        return self.seconds
