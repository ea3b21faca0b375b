"""How much of the processor others use.

    others = busy time of all cores - time of our own processes + time that was stolen

between two readings, as a share of the time of all cores. Busy is everything but idling and
waiting for a disk. Stolen time is what the host gave to other virtual machines while we wanted to
run. Our own are this process, the engine's processes, and all their children.

A process that ends takes its own counter with it. Where the system adds it to the parent's
counters (Linux), nothing is lost; where it does not, that interval's share is unknown: what the
process used in it must be taken neither for others' load nor for nothing. A child that began and
ended within one interval there leaves no trace at all, and counts as others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tokenroof.measure.sensors.base import Reading

SHORTEST_SECONDS = 0.2
"""Counters advance in ticks of 10 ms or more: a shorter interval is too coarse to judge by."""

TICKS_SECONDS = 0.05
"""What rounding to ticks may lose on one process."""

START_SECONDS = 1.0
"""Processes' start times are only as exact as the boot time, which Linux gives in whole seconds."""

ProcessKey = tuple[int, float]
"""Process id and start time: ids are used again."""


@dataclass(frozen=True, slots=True)
class ProcessTime:
    """Seconds that a process has used, and those of its ended children that it waited for."""

    own: float
    ended_children: float = 0.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Counters at one moment, in seconds since the system started.

    Attributes:
        seconds: on a clock that only moves forward.
        date: the same moment on the clock that processes' start times are on.
        total: time of all cores, idle or not.
        busy: the part of it that was used here.
        stolen: the part of it that other virtual machines got.
        processes: our own processes.
    """

    seconds: float
    date: float
    total: float
    busy: float
    stolen: float
    processes: Mapping[ProcessKey, ProcessTime] = field(default_factory=dict)


def others_share(before: Snapshot, after: Snapshot) -> float | None:
    """Share of all cores that others used between two snapshots; None where it cannot be told."""
    total = after.total - before.total
    own = own_seconds(before, after)
    if total <= 0 or own is None:
        return None
    stolen = max(after.stolen - before.stolen, 0.0)
    others = after.busy - before.busy - own + stolen
    # The counters are not read at one instant, so a full load of ours can come out above busy.
    return min(max(others / total, 0.0), 1.0)


def own_seconds(before: Snapshot, after: Snapshot) -> float | None:
    """What our own processes used between two snapshots; None where it cannot be told."""
    used = 0.0
    inherited = 0.0
    for key, now in after.processes.items():
        earlier = before.processes.get(key)
        if earlier is None:
            _, started = key
            if started < before.date - START_SECONDS:
                # Known to be ours only since now: what it had used by then is not known.
                return None
            earlier = ProcessTime(0.0)
        used += now.own - earlier.own
        inherited += now.ended_children - earlier.ended_children
    ended = [time for key, time in before.processes.items() if key not in after.processes]
    # What an ended process had used before this interval comes to its parent as well.
    old = sum(time.own + time.ended_children for time in ended)
    if ended and inherited < old - TICKS_SECONDS * len(ended):
        return None
    return used + max(inherited - old, 0.0)


class CpuSensor:
    """Watches the processor.

    Args:
        own_pids: the engine's process ids at this moment, besides this process.
        snapshot: takes the counters, given our root processes; the system's own by default.
    """

    name = "CPU"

    def __init__(
        self,
        own_pids: Callable[[], Sequence[int]] = tuple,
        snapshot: Callable[[Sequence[int]], Snapshot | None] | None = None,
    ) -> None:
        self._own_pids = own_pids
        self._take = snapshot or system_snapshot
        self._before = self._now()

    def read(self, *, ours_running: bool) -> Reading:
        """What others used since the reading before; None in the first moments."""
        del ours_running  # Our own use is told apart at all times.
        after = self._now()
        before = self._before
        if after is None or before is None:
            self._before = after
            return Reading()
        if after.seconds - before.seconds < SHORTEST_SECONDS:
            return Reading()
        self._before = after
        return Reading(busy=others_share(before, after))

    def _now(self) -> Snapshot | None:
        return self._take([os.getpid(), *self._own_pids()])


def system_snapshot(roots: Sequence[int]) -> Snapshot | None:
    """The system's counters now; None where it does not tell them."""
    import time

    import psutil

    try:
        times = psutil.cpu_times()
    except (psutil.Error, OSError):
        return None
    # Time of guests is counted in `user` and `nice` already.
    parts = {name: getattr(times, name, 0.0) for name in _PARTS}
    idle = parts["idle"] + parts["iowait"]
    total = sum(parts.values())
    return Snapshot(
        seconds=time.perf_counter(),
        date=time.time(),
        total=total,
        busy=total - idle - parts["steal"],
        stolen=parts["steal"],
        processes=_own_processes(roots),
    )


_PARTS = (
    "user",
    "nice",
    "system",
    "idle",
    "iowait",
    "irq",
    "softirq",
    "steal",
    "interrupt",
    "dpc",
)


def _own_processes(roots: Sequence[int]) -> dict[ProcessKey, ProcessTime]:
    import psutil

    found: dict[ProcessKey, ProcessTime] = {}
    for root in dict.fromkeys(roots):
        try:
            process = psutil.Process(root)
            family = [process, *process.children(recursive=True)]
        except (psutil.Error, OSError):
            continue
        for member in family:
            try:
                times = member.cpu_times()
                key = (member.pid, member.create_time())
            except (psutil.Error, OSError):
                continue
            found[key] = ProcessTime(
                times.user + times.system,
                getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0),
            )
    return found
