"""What is looked at beside the runs of a campaign: the gate before, the watch during, the probe
between them, all on the same sensors."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.clock import Clock
from tokenroof.measure.contention import ContentionProbe, Probed
from tokenroof.measure.quiet import QuietGate, QuietResult, Tell
from tokenroof.measure.sensors.base import Sensor
from tokenroof.measure.sensors.energy import EnergyMeter
from tokenroof.measure.watching import Watch

_LEAST_PATIENCE_SECONDS = 5.0


class Surroundings:
    """The machine around the engine.

    On a machine that is never quiet, waiting the full time before each run would take longer than
    the runs and change nothing. So the patience is halved each time that it was in vain, and is
    whole again after a quiet moment.

    Args:
        sensors: what to look at.
        clock: the time.
        probe: a short test of this machine's speed, or None for none.
        energy: what counts what a run draws, or None for nothing.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        clock: Clock,
        probe: ContentionProbe | None = None,
        energy: EnergyMeter | None = None,
    ) -> None:
        self._energy = energy
        self._sensors = sensors
        self._clock = clock
        self._probe = probe
        self._in_vain = 0

    def patience_seconds(self, limit_seconds: float) -> float:
        """How long the next wait may last."""
        return max(limit_seconds * 0.5**self._in_vain, min(limit_seconds, _LEAST_PATIENCE_SECONDS))

    def wait(self, limit_seconds: float, *, strict: bool, tell: Tell | None = None) -> QuietResult:
        """Wait for a quiet machine.

        Raises:
            NotQuiet: it did not become quiet, and `strict` was asked for.
        """
        patience = self.patience_seconds(limit_seconds)
        gate = QuietGate(self._sensors, self._clock, limit_seconds=patience)
        result = gate.wait(strict=strict, tell=tell)
        self._in_vain = 0 if result.quiet else self._in_vain + 1
        return result

    def watch(self) -> Watch:
        """The watch for one run, to be entered with `with`."""
        return Watch(self._sensors, self._clock, energy=self._energy)

    def probe(self) -> Probed | None:
        """How fast the machine is just now; None where it is not probed."""
        return None if self._probe is None else self._probe.check()

    def judge(self, probed: Probed) -> Probed:
        """An earlier probe, held against the best that is known by now."""
        return probed if self._probe is None else self._probe.judge(probed.passes_per_second)
