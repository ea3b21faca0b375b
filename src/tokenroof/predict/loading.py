"""How long a model takes to get into memory, where it is not there yet.

A file gets there no faster than its disk is read: SATA solid-state disks give up to 0.55 GB/s,
those on four lanes of PCI Express 4.0 about 7 GB/s. What was loaded here tells more, though part of
it may have lain in the system's own cache: loads of this very model, or else of the files of a
calibration, which had just been written. Until a load was seen three times, a disk's ends stay
possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenroof.medians import median, median_interval
from tokenroof.notices import Notice
from tokenroof.predict.pace.pace import Span
from tokenroof.units import bandwidth, count

DISK_BYTES_PER_SECOND = (0.5e9, 2e9, 7e9)

FASTEST_DISK_BYTES_PER_SECOND = 16e9
"""Four lanes of PCI Express 5.0. What was ready sooner had not been away."""

LOADS_FOR_A_RANGE = 3


@dataclass(frozen=True, slots=True)
class Loading:
    """The time of a load, and what that rests on."""

    span: Span
    notice: Notice


def loading(
    file_bytes: int, seconds: Sequence[float] = (), bytes_per_second: float | None = None
) -> Loading:
    """The load of a model, by the strongest that is known.

    Args:
        file_bytes: what has to get into memory.
        seconds: of loads of this model on this device.
        bytes_per_second: how fast files got ready when this machine was calibrated.
    """
    slow, usual, fast = DISK_BYTES_PER_SECOND
    least, most = file_bytes / fast, file_bytes / slow
    seen = [each for each in seconds if file_bytes <= each * FASTEST_DISK_BYTES_PER_SECOND]
    if seen:
        middle = float(median(seen))
        known = median_interval(seen)
        ends = (min(seen), max(seen)) if known is None else (known.low, known.high)
        if len(seen) < LOADS_FOR_A_RANGE:
            ends = min(least, ends[0]), max(most, ends[1])
        notice = Notice("waiting.assumes_load_measured", {"count": count(len(seen))})
        return Loading(Span(middle, *ends, "measured"), notice)
    if bytes_per_second is not None and bytes_per_second <= FASTEST_DISK_BYTES_PER_SECOND:
        middle = file_bytes / bytes_per_second
        values = {"rate": bandwidth(bytes_per_second)}
        notice = Notice("waiting.assumes_load_calibrated", values)
        return Loading(Span(middle, min(least, middle), max(most, middle), "calibrated"), notice)
    return Loading(Span(file_bytes / usual, least, most, "public"), Notice("waiting.assumes_disk"))
