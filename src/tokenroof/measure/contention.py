"""The probe before and after a run: does the machine still read as fast as it did?

An engine's threads wait for each other at every layer. Two threads on two cores that another job
keeps busy fall to a tenth of their speed or less, and every run then looks alike, so nothing in
the runs' own figures shows it. A short read of memory by all cores, timed to the slowest thread,
suffers in the same way, and is compared with the best that was seen so far.

It sees what takes cores or memory bandwidth at the moment of the probe, whoever it is: other
processes, other containers, other virtual machines, and clocks that were lowered. It does not see
what came and went between two probes (the watch looks for that), what only uses a GPU, or a
disturbance that was there from the first probe to the last: there is nothing to compare with
until the machine has once been better. Keep the figures, and judge early ones again at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from tokenroof.hardware.bandwidth import probe
from tokenroof.records import Record

SAME_SHARE = 0.70
"""At or above this share of the best the machine counts as undisturbed. One busy core among those
that are used makes it about a half; undisturbed probes lie within a fifth of each other, even on
a shared virtual machine."""


class Probed(Record, frozen=True, kw_only=True):
    """One probe.

    Attributes:
        bytes_per_second: what was read; None where the probe could not be taken.
        ratio: share of the best so far; None with nothing to compare.
        contended: the ratio says that something is in the way; None where nothing can be said.
    """

    bytes_per_second: float | None
    ratio: float | None
    contended: bool | None


class ContentionProbe:
    """Probes, and remembers the best.

    Args:
        measure: reads for a moment and gives a rate.
    """

    def __init__(self, measure: Callable[[], float | None] = probe) -> None:
        self._measure = measure
        self.best_bytes_per_second: float | None = None

    def check(self) -> Probed:
        """Probe now. The very first has nothing to be compared with."""
        rate = self._measure()
        best = self.best_bytes_per_second
        if rate is not None:
            self.best_bytes_per_second = rate if best is None else max(best, rate)
        return self.judge(rate) if best is not None else _unknown(rate)

    def judge(self, bytes_per_second: float | None) -> Probed:
        """Compare a figure of an earlier probe with the best that is known by now."""
        best = self.best_bytes_per_second
        if bytes_per_second is None or not best:
            return _unknown(bytes_per_second)
        ratio = bytes_per_second / best
        return Probed(bytes_per_second=bytes_per_second, ratio=ratio, contended=ratio < SAME_SHARE)


def _unknown(rate: float | None) -> Probed:
    return Probed(bytes_per_second=rate, ratio=None, contended=None)
