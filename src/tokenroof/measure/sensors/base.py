"""What watches the machine beside a run: one source each, one small interface.

A source tells what others use. Some cannot tell our use from theirs while we run; their share is
None then, never a guess.
"""

from __future__ import annotations

from typing import Literal, Protocol

from tokenroof.notices import Notice
from tokenroof.records import Record

ThrottleReason = Literal[
    "sw_power_cap", "hw_slowdown", "sw_thermal", "hw_thermal", "hw_power_brake"
]
"""Why a processor's clocks are held down."""


class Reading(Record, frozen=True, kw_only=True):
    """What a source tells at one moment. None is what it cannot tell.

    Attributes:
        busy: share, 0 to 1, of the whole device that others used since the reading before.
        queued: jobs of the declared other program, running and waiting.
        throttle_reasons: why the clocks are held down; empty where nothing holds them.
        own_memory_bytes: what the engine itself holds of the machine's memory.
        own_vram_bytes: what it holds of a GPU's own.
    """

    busy: float | None = None
    queued: int | None = None
    throttle_reasons: tuple[ThrottleReason, ...] | None = None
    clock_mhz: float | None = None
    temperature_celsius: float | None = None
    power_watts: float | None = None
    other_processes: int | None = None
    own_memory_bytes: int | None = None
    own_vram_bytes: int | None = None
    notices: tuple[Notice, ...] = ()


class Sensor(Protocol):
    """One source. Reading never fails: what cannot be read is None, with a notice if it matters."""

    @property
    def name(self) -> str:
        """What it watches, as a person would call it."""

    def read(self, *, ours_running: bool) -> Reading:
        """What it tells now.

        Args:
            ours_running: a run of ours is at work, so use of the device may be our own.
        """
