"""Time, so that tests can hold it still.

Spans are taken on a monotonic clock, which no adjustment of the date moves; dates come from the
wall clock and are only ever written down, never subtracted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the rest of the program knows of time."""

    def monotonic(self) -> float:
        """Seconds on a clock that only moves forward; only differences mean anything."""

    def now(self) -> datetime:
        """The date and time, in UTC."""

    def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""


class SystemClock:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Seconds of `time.perf_counter`, the finest monotonic clock there is."""
        return time.perf_counter()

    def now(self) -> datetime:
        """The date and time, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""
        time.sleep(seconds)


@dataclass
class FakeClock:
    """A clock that moves only when it is told to; `sleep` moves it at once."""

    seconds: float = 0.0
    start: datetime = field(default_factory=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    def monotonic(self) -> float:
        """Seconds since this clock was made."""
        return self.seconds

    def now(self) -> datetime:
        """The start date plus what has passed."""
        return self.start + timedelta(seconds=self.seconds)

    def sleep(self, seconds: float) -> None:
        """Move on by so many seconds, in no time."""
        self.seconds += seconds


def stamp(moment: datetime) -> str:
    """A date as records write it: ``2026-11-11T03:14:15.926Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
