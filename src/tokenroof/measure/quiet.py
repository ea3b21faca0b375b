"""The quiet machine: wait, before a run, until others leave it alone.

What others use of the processor or the accelerator slows a run without a trace in its own
figures. Quiet means that others' share is at most a tenth for three seconds in a row and that the
declared other program's queue is empty. A source that cannot tell says neither yes nor no: the
others decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokenroof import units
from tokenroof.clock import Clock
from tokenroof.errors import NotQuiet
from tokenroof.measure.sensors.base import Reading, Sensor
from tokenroof.notices import Notice
from tokenroof.records import Record

THRESHOLD = 0.10
HOLD_SECONDS = 3.0
LIMIT_SECONDS = 60.0
PERIOD_SECONDS = 0.5

Tell = Callable[[float, tuple[Notice, ...]], None]
"""Told while waiting: the seconds waited so far, and what keeps the machine from being quiet."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What all sensors told at one moment."""

    readings: tuple[tuple[str, Reading], ...]

    @property
    def busy(self) -> float | None:
        """The largest share that others use of any device; None where no source can tell."""
        return max((r.busy for _, r in self.readings if r.busy is not None), default=None)

    @property
    def queued(self) -> int | None:
        """Jobs in all queues that answer; None where none does."""
        queued = [r.queued for _, r in self.readings if r.queued is not None]
        return sum(queued) if queued else None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the sensors had to say."""
        return tuple(notice for _, reading in self.readings for notice in reading.notices)

    def disturbances(self, threshold: float) -> tuple[Notice, ...]:
        """What keeps the machine from being quiet; empty where nothing does."""
        found = []
        for name, reading in self.readings:
            if reading.busy is not None and reading.busy > threshold:
                values = {"source": name, "share": units.percent(reading.busy)}
                found.append(Notice("quiet.busy", values))
            if reading.queued:
                values = {"source": name, "jobs": units.count(reading.queued)}
                found.append(Notice("quiet.queue", values))
        return tuple(found)


def take_sample(sensors: Sequence[Sensor], *, ours_running: bool) -> Sample:
    """Read all sensors. One that fails says so and tells nothing: no run is lost to it."""
    readings = []
    for sensor in sensors:
        try:
            reading = sensor.read(ours_running=ours_running)
        except Exception as error:
            values = {"source": sensor.name, "error": type(error).__name__}
            reading = Reading(notices=(Notice("quiet.sensor_failed", values),))
        readings.append((sensor.name, reading))
    return Sample(tuple(readings))


class QuietResult(Record, frozen=True, kw_only=True):
    """How the waiting ended.

    Attributes:
        waited_seconds: how long it took.
        quiet: the machine was quiet long enough.
        busy_before: the largest share that others used of any device in the last seconds (those
            that quiet has to last); None where no source could tell.
        queue_before: jobs in the queue at the end.
        reasons: what kept it from being quiet; empty where it was.
        notices: what the sources had to say.
    """

    waited_seconds: float
    quiet: bool
    busy_before: float | None = None
    queue_before: int | None = None
    reasons: tuple[Notice, ...] = ()
    notices: tuple[Notice, ...] = ()


class QuietGate:
    """Waits for a quiet machine.

    Args:
        sensors: what to look at, a queue among them.
        clock: the time.
        threshold: the share that others may use.
        hold_seconds: how long it has to stay so.
        limit_seconds: how long to wait at most; 0 takes one look.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        clock: Clock,
        *,
        threshold: float = THRESHOLD,
        hold_seconds: float = HOLD_SECONDS,
        limit_seconds: float = LIMIT_SECONDS,
        period_seconds: float = PERIOD_SECONDS,
    ) -> None:
        self._sensors = tuple(sensors)
        self._clock = clock
        self._threshold = threshold
        self._hold_seconds = min(hold_seconds, limit_seconds)
        self._limit_seconds = limit_seconds
        self._period_seconds = period_seconds

    def wait(self, *, strict: bool = False, tell: Tell | None = None) -> QuietResult:
        """Wait until the machine is quiet, or the limit is reached.

        Args:
            strict: a machine that does not become quiet is an error.
            tell: called after every look.

        Raises:
            NotQuiet: it did not become quiet, and `strict` was asked for.
        """
        start = self._clock.monotonic()
        quiet_since: float | None = None
        seen: list[tuple[float, float]] = []
        reasons: tuple[Notice, ...] = ()
        while True:
            sample = take_sample(self._sensors, ours_running=False)
            now = self._clock.monotonic()
            disturbances = sample.disturbances(self._threshold)
            if disturbances:
                reasons = disturbances
                quiet_since = None
            elif quiet_since is None:
                quiet_since = now
            if sample.busy is not None:
                seen.append((now, sample.busy))
            quiet = quiet_since is not None and now - quiet_since >= self._hold_seconds
            if quiet or now - start >= self._limit_seconds:
                break
            if tell is not None:
                tell(now - start, disturbances)
            self._clock.sleep(self._period_seconds)
        if strict and not quiet:
            raise self._error(disturbances)
        recent = [busy for moment, busy in seen if moment >= now - self._hold_seconds]
        return QuietResult(
            waited_seconds=now - start,
            quiet=quiet,
            busy_before=max(recent, default=None),
            queue_before=sample.queued,
            reasons=() if quiet else reasons,
            notices=sample.notices,
        )

    def _error(self, disturbances: tuple[Notice, ...]) -> NotQuiet:
        limit = units.duration(self._limit_seconds)
        if not disturbances:
            return NotQuiet("quiet.not_steady", limit=limit)
        first = disturbances[0]
        message = {"quiet.busy": "quiet.not_quiet_busy", "quiet.queue": "quiet.not_quiet_queue"}
        return NotQuiet(message[first.message], limit=limit, **first.values)
