"""What else runs on this machine now, and whether something is in the way.

Others' share is read off the counters for a second. It does not see what holds the memory, such
as a neighbour on the same host: for that, memory is read twice with all cores, some seconds
apart, and both are held against the fastest reading in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenroof.clock import Clock
from tokenroof.doctor.records import Load
from tokenroof.hardware.bandwidth import QUICK_LOOP, ReadBandwidth
from tokenroof.measure.quiet import take_sample
from tokenroof.measure.sensors.base import Sensor
from tokenroof.units import GB

WATCH_SECONDS = 1.0

SAME_SHARE = 0.65
"""At or above this share of the fastest, two reads of memory count as alike: on a shared machine
its speed changes by a third within minutes while nobody disturbs the cores."""


def others_share(sensors: Sequence[Sensor], clock: Clock) -> float | None:
    """Share of the cores that others use for a second; None where no source can tell."""
    take_sample(sensors, ours_running=False)
    clock.sleep(WATCH_SECONDS)
    sample = take_sample(sensors, ours_running=False)
    return next((reading.busy for name, reading in sample.readings if name == "CPU"), None)


def probed_around(
    measure: Callable[[], ReadBandwidth | None], probe: Callable[[], float | None]
) -> tuple[ReadBandwidth | None, Load]:
    """Measure, with a probe before and one after; and what the two say of the machine."""
    first = probe()
    read = measure()
    second = probe()
    return read, judged(first, second, read)


def judged(first: float | None, second: float | None, read: ReadBandwidth | None = None) -> Load:
    """Two probes of one machine, held against each other and against the best of their loop."""
    probes = tuple(None if each is None else round(each / GB, 2) for each in (first, second))
    if first is None or second is None:
        return Load(probe_gb_s=probes)
    repeats = [
        rate
        for loop in (() if read is None else read.loops)
        if loop.name == QUICK_LOOP
        for rate in loop.bytes_per_second
    ]
    ratio = min(first, second) / max(first, second, *repeats)
    return Load(probe_gb_s=probes, ratio=round(ratio, 3), contended=ratio < SAME_SHARE)
