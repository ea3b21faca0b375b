"""The processor's clock and temperature, where the system tells them.

They excuse no figure and leave out no run: they are kept, so that a run that was slower can be
seen to have been hotter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tokenroof.measure.sensors.base import Reading

CHIPS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal")
"""Drivers of processors; others tell of disks, boards and batteries."""


class CpuClimate:
    """Watches clock and temperature of the processor.

    Args:
        clock_mhz: the mean clock of the cores now, or None.
        temperatures: each driver's temperatures now.
    """

    name = "CPU"

    def __init__(
        self,
        clock_mhz: Callable[[], float | None] | None = None,
        temperatures: Callable[[], Mapping[str, Sequence[Any]]] | None = None,
    ) -> None:
        self._clock_mhz = clock_mhz or _clock_mhz
        self._temperatures = temperatures or _temperatures

    def read(self, *, ours_running: bool) -> Reading:
        """What they are now; of several temperatures the highest."""
        del ours_running
        found = self._temperatures()
        degrees = [
            float(each.current)
            for chip in CHIPS
            for each in found.get(chip, ())
            if each.current is not None
        ]
        return Reading(clock_mhz=self._clock_mhz(), temperature_celsius=max(degrees, default=None))


def _clock_mhz() -> float | None:
    import psutil

    try:
        frequency = psutil.cpu_freq()
    except (psutil.Error, OSError, NotImplementedError, AttributeError):
        return None
    # Virtual machines tell 0, or nothing.
    return float(frequency.current) or None if frequency is not None else None


def _temperatures() -> Mapping[str, Sequence[Any]]:
    import psutil

    ask = getattr(psutil, "sensors_temperatures", None)  # not on every system
    try:
        return ask() if ask is not None else {}
    except (psutil.Error, OSError):
        return {}
