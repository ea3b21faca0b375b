"""The probe before and after a run: do the cores still compute as fast as they did?

An engine's threads wait for each other at every layer. Two threads on two cores that another job
keeps busy fall to a tenth of their speed or less, and every run then looks alike, so nothing in
the runs' own figures shows it. A short loop on all cores, timed to the slowest thread, suffers in
the same way, and is compared with the best that was seen so far.

It sees what takes cores at the moment of the probe, whoever it is: other processes, other
containers, other virtual machines, and clocks that were lowered. It does not see what came and
went between two probes (the watch looks for that), what only uses a GPU or memory bandwidth, or a
disturbance that was there from the first probe to the last: there is nothing to compare with
until the machine has once been better. Keep the figures, and judge early ones again at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from tokenroof.hardware.cores import core_probe
from tokenroof.records import Record

SAME_SHARE = 0.75
"""At or above this share of the best the cores count as undisturbed. One busy core of two makes
it 0.6, two make it 0.5; undisturbed probes lie within 0.1 of each other."""

TRIES = 3
"""A probe that looks disturbed is taken again, so often at most, and the best one counts: what
lasts for less than a probe does not make a run of many seconds slow."""


class Probed(Record, frozen=True, kw_only=True):
    """One probe.

    Attributes:
        passes_per_second: what the cores got through; None where the probe could not be taken.
        ratio: share of the best so far; None with nothing to compare.
        contended: the ratio says that something is in the way; None where nothing can be said.
    """

    passes_per_second: float | None
    ratio: float | None
    contended: bool | None


class ContentionProbe:
    """Probes, and remembers the best.

    Args:
        measure: computes for a moment and gives a rate.
    """

    def __init__(self, measure: Callable[[], float | None] = core_probe) -> None:
        self._measure = measure
        self.best_passes_per_second: float | None = None

    def check(self) -> Probed:
        """Probe now. The very first has nothing to be compared with."""
        best = self.best_passes_per_second
        if best is None:
            self.best_passes_per_second = self._measure()
            return _unknown(self.best_passes_per_second)
        rates = []
        for _ in range(TRIES):
            rate = self._measure()
            if rate is None:
                return _unknown(None)
            rates.append(rate)
            if rate >= SAME_SHARE * best:
                break
        self.best_passes_per_second = max(best, *rates)
        return self.judge(max(rates))

    def judge(self, passes_per_second: float | None) -> Probed:
        """Compare a figure of an earlier probe with the best that is known by now."""
        best = self.best_passes_per_second
        if passes_per_second is None or not best:
            return _unknown(passes_per_second)
        ratio = passes_per_second / best
        return Probed(
            passes_per_second=passes_per_second, ratio=ratio, contended=ratio < SAME_SHARE
        )


def _unknown(rate: float | None) -> Probed:
    return Probed(passes_per_second=rate, ratio=None, contended=None)
