"""The core probe counts passes of the slowest thread over the time that all of them took."""

from __future__ import annotations

from threading import Lock

import pytest

from support.clocks import TickingClock
from tokenroof.hardware import cores
from tokenroof.hardware.cores import core_probe

LOCK = Lock()


class LockedClock(TickingClock):
    def monotonic(self) -> float:
        with LOCK:
            return super().monotonic()


def test_the_rate_is_passes_over_the_time_from_first_start_to_last_end() -> None:
    # One thread reads the clock twice a round, a tick apart. The first round's 20 passes took
    # 0.5 s by this clock, so 2 s are filled by 80 passes, which again took one tick.
    assert core_probe(1, clock=LockedClock(step=0.5), seconds=2.0) == 80 / 0.5


def test_two_threads_are_timed_from_the_first_start_to_the_last_end() -> None:
    # Four readings: the first is a start and the last an end, whatever lies between, so a round
    # takes 3 ticks = 1.5 s, and 2 s are filled by ceil(20 x 2 / 1.5) = 27 passes.
    assert core_probe(2, clock=LockedClock(step=0.5), seconds=2.0) == 27 / 1.5


def test_where_no_thread_can_be_started_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoThreads:
        def __init__(self, *_: object) -> None:
            message = "can't start new thread"
            raise RuntimeError(message)

    monkeypatch.setattr(cores, "ThreadPoolExecutor", NoThreads)
    assert core_probe(2) is None
