"""The watch: what happens beside a run while it runs, and whether the run counts.

A run is left out for what was seen beside it, by the rule in `exclusion`, and never for its own
speed: a slow run without a cause is kept and shown.

The date may be set while a run goes on, and a machine may sleep; both show as a difference
between the wall clock and the monotonic clock that grows from one sample to the next.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from tokenroof.clock import Clock
from tokenroof.engines.base import Step
from tokenroof.measure.quiet import (
    PERIOD_SECONDS,
    THRESHOLD,
    QuietResult,
    Sample,
    take_sample,
)
from tokenroof.measure.sensors.base import Sensor, ThrottleReason
from tokenroof.measure.sensors.energy import Energy, EnergyMeter
from tokenroof.measure.tracing import trace
from tokenroof.notices import Notice
from tokenroof.records import Exclusion, Flag, Record

BUSY_SAMPLES = 2
"""One sample may be a blink; two are a job."""

STEP_SECONDS = 1.0
"""More than any steady correction of the clock moves it within a sample."""

STOP_SECONDS = 10.0
"""Longer than the slowest sensor takes to give up."""

SETTINGS: frozenset[ThrottleReason] = frozenset({"sw_power_cap"})
"""A power cap is how the machine is set up and holds in every run alike: a run under it is
flagged, not left out. The others are events: heat, or a failing supply."""


class Watched(Record, frozen=True, kw_only=True):
    """What was seen beside a run. None is what no source could tell.

    Attributes:
        samples: how often it was looked.
        busy_during: share that others used of a device, the mean over the run; of the device
            that they used most.
        busy_peak: the largest share in any one sample.
        busy_samples: samples in which others used more than the threshold.
        queue_during: the most jobs seen in the queue.
        throttle_reasons: all that held the clocks down in any sample, in order of appearance;
            None where no source tells.
        clock_step: the date moved against the monotonic clock, or the machine slept.
        suspended_seconds: how long the machine slept, where the system counts that.
        clock_mhz_low: the lowest clock seen; `temperature_celsius_high` the highest temperature.
        memory_peak_bytes: the most that the engine held; `vram_peak_bytes` the same of GPUs.
        trace: clock, temperature and power over the run, by device, where any is told.
    """

    samples: int = 0
    busy_during: float | None = None
    busy_peak: float | None = None
    busy_samples: int = 0
    queue_during: int | None = None
    throttle_reasons: tuple[ThrottleReason, ...] | None = None
    clock_step: bool = False
    suspended_seconds: float | None = None
    clock_mhz_low: float | None = None
    temperature_celsius_high: float | None = None
    memory_peak_bytes: int | None = None
    vram_peak_bytes: int | None = None
    trace: dict[str, dict[str, list[float | None]]] = {}
    notices: tuple[Notice, ...] = ()

    @property
    def throttled(self) -> bool | None:
        """Heat or supply held the clocks down; None where no source tells."""
        if self.throttle_reasons is None:
            return None
        return not SETTINGS.issuperset(self.throttle_reasons)


def exclusion(watched: Watched) -> Exclusion | None:
    """Why a run does not count, by what was seen beside it; None where it counts."""
    if watched.queue_during:
        return "queue_busy"
    if watched.busy_samples >= BUSY_SAMPLES:
        return "contended"
    if watched.throttled:
        return "throttled"
    if watched.clock_step:
        return "clock_step"
    return None


def flags(quiet: QuietResult | None, watched: Watched) -> tuple[Flag, ...]:
    """What to note on a run that was begun on a noisy machine, or ran with its clocks held down."""
    found: list[Flag] = []
    if quiet is not None and not quiet.quiet:
        found.append("contended")
    if watched.throttle_reasons:
        found.append("throttled")
    return tuple(found)


def suspended_seconds() -> float | None:
    """How long the machine has slept since it was started; None where the system does not count.

    Linux has a clock that runs on while the machine sleeps, and one that stands still.
    """
    running_on = getattr(time, "CLOCK_BOOTTIME", None)
    if running_on is None:
        return None
    return time.clock_gettime(running_on) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Observation:
    """Samples gathered over one run. Knows nothing of threads.

    Args:
        sensors: what to look at.
        clock: the time.
        threshold: the share above which a sample counts as busy.
        slept: how long the machine has slept so far.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        clock: Clock,
        *,
        threshold: float = THRESHOLD,
        slept: Callable[[], float | None] = suspended_seconds,
    ) -> None:
        self._sensors = tuple(sensors)
        self._clock = clock
        self._threshold = threshold
        self._slept = slept
        self._samples: list[Sample] = []
        self._moments: list[float] = []
        self._begun = clock.monotonic()
        self._step = False
        # Shares are taken between two readings: this one begins the first interval.
        take_sample(self._sensors, ours_running=True)
        self._offset = self._wall_offset()
        self._slept_before = slept()

    def sample(self) -> None:
        """Look once."""
        self._samples.append(take_sample(self._sensors, ours_running=True))
        self._moments.append(self._clock.monotonic() - self._begun)
        offset = self._wall_offset()
        self._step = self._step or abs(offset - self._offset) > STEP_SECONDS
        self._offset = offset

    def result(self) -> Watched:
        """What all samples say together."""
        readings = [reading for sample in self._samples for _, reading in sample.readings]
        busy = [sample.busy for sample in self._samples if sample.busy is not None]
        queued = [sample.queued for sample in self._samples if sample.queued is not None]
        told = [r.throttle_reasons for r in readings if r.throttle_reasons is not None]
        reasons = tuple(dict.fromkeys(reason for one in told for reason in one))
        slept = self._slept_seconds()
        clocks = [r.clock_mhz for r in readings if r.clock_mhz is not None]
        heat = [r.temperature_celsius for r in readings if r.temperature_celsius is not None]
        notices = [notice for sample in self._samples for notice in sample.notices]
        return Watched(
            samples=len(self._samples),
            busy_during=max(self._means(), default=None),
            busy_peak=max(busy, default=None),
            busy_samples=sum(share > self._threshold for share in busy),
            queue_during=max(queued, default=None),
            throttle_reasons=reasons if told else None,
            clock_step=self._step or (slept is not None and slept > STEP_SECONDS),
            suspended_seconds=slept,
            clock_mhz_low=min(clocks, default=None),
            temperature_celsius_high=max(heat, default=None),
            memory_peak_bytes=self._peak("own_memory_bytes"),
            vram_peak_bytes=self._peak("own_vram_bytes"),
            trace=trace(self._moments, self._samples),
            notices=tuple(_once(notices)),
        )

    def _means(self) -> list[float]:
        """Mean share of each sensor over the samples in which it could tell."""
        means = []
        for index in range(len(self._sensors)):
            shares = [sample.readings[index][1].busy for sample in self._samples]
            known = [share for share in shares if share is not None]
            if known:
                means.append(sum(known) / len(known))
        return means

    def _peak(self, field: str) -> int | None:
        """The largest sum over all devices that was seen at one moment."""
        sums = []
        for sample in self._samples:
            known = [getattr(reading, field) for _, reading in sample.readings]
            known = [each for each in known if each is not None]
            if known:
                sums.append(sum(known))
        return max(sums, default=None)

    def _slept_seconds(self) -> float | None:
        now = self._slept()
        if now is None or self._slept_before is None:
            return None
        # The two clocks are read one after the other: differences of microseconds are nothing.
        return max(0.0, round(now - self._slept_before, 3))

    def _wall_offset(self) -> float:
        return self._clock.now().timestamp() - self._clock.monotonic()


def _once(notices: Sequence[Notice]) -> list[Notice]:
    found: list[Notice] = []
    for notice in notices:
        if notice not in found:
            found.append(notice)
    return found


class Watch:
    """Looks every half second, in a thread, while the body of a `with` runs::

        with Watch(sensors, clock) as watch:
            reply = engine.run(request)
        watched = watch.result()

    The thread ends with the body, however that ends.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        clock: Clock,
        *,
        threshold: float = THRESHOLD,
        period_seconds: float = PERIOD_SECONDS,
        energy: EnergyMeter | None = None,
    ) -> None:
        self._sensors = sensors
        self._meter = energy
        self._energy: Energy | None = None
        self._clock = clock
        self._threshold = threshold
        self._period_seconds = period_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)
        self._observation: Observation | None = None

    def __enter__(self) -> Watch:
        self._observation = Observation(self._sensors, self._clock, threshold=self._threshold)
        self._energy = None if self._meter is None else self._meter.begin()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._energy is not None:
            self._energy.end()
        self._stop.set()
        self._thread.join(STOP_SECONDS)
        # The last part of the run, which may be all of a short one. Not after an interrupt.
        if kind is None and not self._thread.is_alive():
            self._seen.sample()

    def told(self, step: Step) -> None:
        """The engine tells how far it is: the first step of an answer parts the energy in two."""
        if step.phase == "decode" and self._energy is not None:
            self._energy.mark(step.done)

    def result(self) -> Watched:
        """What was seen; complete once the body has ended."""
        return self._seen.result()

    @property
    def energy(self) -> Energy | None:
        """What the run drew, once the body has ended; None where nothing counts it."""
        return self._energy

    @property
    def _seen(self) -> Observation:
        assert self._observation is not None, "the watch has not begun"
        return self._observation

    def _look(self) -> None:
        while not self._stop.wait(self._period_seconds):
            self._seen.sample()
            if self._energy is not None:
                self._energy.poll()
