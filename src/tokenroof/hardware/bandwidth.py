"""How fast this machine's processor reads from its memory, measured.

A loop that only reads and hardly computes, over a buffer far larger than the last-level cache, in
as many threads as there are cores to use, is limited by the memory. Which loop comes closest
depends on the processor, so several are tried, over the element types that numpy has vector code
for. A disturbance only ever makes a repeat slower, so the ceiling is the fastest repeat of the
best loop; how far its repeats lay apart is given beside.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Sequence

from tokenroof import units
from tokenroof.clock import Clock, SystemClock
from tokenroof.hardware.device import Device, Spread
from tokenroof.hardware.machine import Machine, this_machine
from tokenroof.hardware.readers import LOOPS, Readers
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Record

QUICK_LOOP = "or_int64"

MEASURE_SECONDS = 2.0
PROBE_SECONDS = 0.3
REPEAT_SECONDS = 0.03
MIN_ROUNDS = 3
MAX_ROUNDS = 1000
KEPT_SHARE = 0.85
"""After the first round only loops that reach this share of the best are repeated."""

MIN_BUFFER_BYTES = 256 * units.MIB
MIN_THREAD_BYTES = 32 * units.MIB
QUICK_BUFFER_BYTES = 64 * units.MIB
CACHE_MULTIPLE = 4
QUICK_CACHE_MULTIPLE = 2
ASSUMED_CACHE_BYTES = 128 * units.MIB
"""Where the system does not tell: more than most processors have."""

MEMORY_SHARE = 4
"""At most one part in so many of the memory that is free is taken."""

UNMEASURABLE = (MemoryError, RuntimeError)
"""No room for the buffers, or no more threads to be had."""


class LoopResult(Record, frozen=True, kw_only=True):
    """One loop's repeats, in the order in which they were taken."""

    name: str
    bytes_per_second: tuple[float, ...]


class ReadBandwidth(Record, frozen=True, kw_only=True):
    """Sustained read bandwidth of the CPU, measured.

    Attributes:
        best_bytes_per_second: the fastest repeat of the best loop: the ceiling.
        median_bytes_per_second: the median repeat of that loop; `lowest` its slowest.
        loop: which loop was best.
        buffer_bytes: what all threads' buffers hold together.
        cache_bytes: the last-level caches that they had to outgrow; None where unknown.
    """

    best_bytes_per_second: float
    median_bytes_per_second: float
    lowest_bytes_per_second: float
    loop: str
    threads: int
    buffer_bytes: int
    cache_bytes: int | None
    loops: tuple[LoopResult, ...]
    notices: tuple[Notice, ...] = ()


def survey(
    seconds: Callable[[str], float],
    repeat_bytes: int,
    clock: Clock,
    budget_seconds: float,
    names: Sequence[str],
) -> tuple[LoopResult, ...]:
    """Repeat loops in turn until the budget is spent, at least `MIN_ROUNDS` times.

    In turn, so that a disturbance cannot pose as a property of one loop. A repeat that the clock
    cannot resolve is left out.

    Args:
        seconds: takes one repeat of a loop and says how long it took.
        repeat_bytes: what one repeat reads.
    """
    begin = clock.monotonic()
    rates: dict[str, list[float]] = {name: [] for name in names}
    kept = list(names)
    for done in range(1, MAX_ROUNDS + 1):
        for name in kept:
            taken = seconds(name)
            if taken > 0:
                rates[name].append(repeat_bytes / taken)
        tops = {name: max(values) for name, values in rates.items() if values}
        best = max(tops.values(), default=0.0)
        kept = [name for name in kept if tops.get(name, 0.0) >= KEPT_SHARE * best]
        if done >= MIN_ROUNDS and clock.monotonic() - begin >= budget_seconds:
            break
    return tuple(LoopResult(name=name, bytes_per_second=tuple(rates[name])) for name in names)


def measure_read_bandwidth(
    threads: int | None = None,
    *,
    clock: Clock | None = None,
    seconds: float = MEASURE_SECONDS,
    buffer_bytes: int | None = None,
) -> ReadBandwidth | None:
    """Sustained read bandwidth of this CPU, by all loops; takes 2 to 3 seconds.

    Args:
        threads: how many; as many as there are usable cores, unless given.
        seconds: how long to repeat once the buffers are warm.
        buffer_bytes: of all threads together; chosen from caches and free memory unless given.

    Returns:
        None where it could not be measured: no memory for the buffers, or a clock that stands.
    """
    clock = clock or SystemClock()
    threads, cache, chosen = _plan(threads, CACHE_MULTIPLE, MIN_BUFFER_BYTES, MIN_THREAD_BYTES)
    try:
        with Readers(threads, buffer_bytes or chosen, clock) as readers:
            passes = _passes(readers.seconds(QUICK_LOOP), REPEAT_SECONDS)
            loops = survey(
                lambda name: readers.seconds(name, passes),
                readers.buffer_bytes * passes,
                clock,
                seconds,
                [name for name, _, _ in LOOPS],
            )
            total = readers.buffer_bytes
    except UNMEASURABLE:
        return None
    measured = [loop for loop in loops if loop.bytes_per_second]
    if not measured:
        return None
    best = max(measured, key=lambda loop: max(loop.bytes_per_second))
    return ReadBandwidth(
        best_bytes_per_second=max(best.bytes_per_second),
        median_bytes_per_second=median(best.bytes_per_second),
        lowest_bytes_per_second=min(best.bytes_per_second),
        loop=best.name,
        threads=threads,
        buffer_bytes=total,
        cache_bytes=cache,
        loops=loops,
        notices=_cache_notices(total, cache),
    )


def cpu_device(machine: Machine, read: ReadBandwidth | None = None) -> Device:
    """This machine's CPU as a device; its bandwidth is what was read here, if it was measured."""
    device = Device(
        name=machine.cpu_name or platform.machine() or "CPU",
        source="hardware.source_here",
        place="cpu",
        memory_bytes=machine.memory_total_bytes,
        free_bytes=machine.memory_available_bytes,
    )
    if read is None:
        return device
    spread = Spread(
        low=read.lowest_bytes_per_second,
        median=read.median_bytes_per_second,
        high=read.best_bytes_per_second,
    )
    return Device(
        name=device.name,
        source="hardware.source_measured",
        place="cpu",
        memory_bytes=device.memory_bytes,
        free_bytes=device.free_bytes,
        bandwidth_bytes_per_second=read.best_bytes_per_second,
        bandwidth_basis="measured",
        bandwidth_spread=spread,
    )


def probe(
    threads: int | None = None, *, clock: Clock | None = None, seconds: float = PROBE_SECONDS
) -> float | None:
    """Bytes per second that this CPU reads just now; takes about a third of a second.

    Only good for comparing with itself a moment later: one loop, a smaller buffer, one repeat.
    None where it could not be taken.
    """
    clock = clock or SystemClock()
    threads, _, chosen = _plan(threads, QUICK_CACHE_MULTIPLE, QUICK_BUFFER_BYTES, 0)
    try:
        with Readers(threads, chosen, clock) as readers:
            readers.seconds(QUICK_LOOP)
            passes = _passes(readers.seconds(QUICK_LOOP), seconds)
            taken = readers.seconds(QUICK_LOOP, passes)
            return readers.buffer_bytes * passes / taken if taken > 0 else None
    except UNMEASURABLE:
        return None


def _passes(one_pass_seconds: float, wanted_seconds: float) -> int:
    """How many passes fill the time wanted; one where the clock cannot resolve a pass."""
    return max(1, math.ceil(wanted_seconds / one_pass_seconds)) if one_pass_seconds > 0 else 1


def _plan(
    threads: int | None, multiple: int, least_bytes: int, least_thread_bytes: int
) -> tuple[int, int | None, int]:
    """Threads, last-level cache, and bytes to read, within what memory is free."""
    machine = this_machine()
    threads = threads or machine.usable_cores or 1
    cache = machine.cache_bytes
    wanted = max(
        least_bytes, multiple * (cache or ASSUMED_CACHE_BYTES), least_thread_bytes * threads
    )
    available = machine.memory_available_bytes
    if available is not None:
        wanted = min(wanted, available // MEMORY_SHARE)
    return threads, cache, wanted


def _cache_notices(buffer_bytes: int, cache: int | None) -> tuple[Notice, ...]:
    if cache is None or buffer_bytes >= CACHE_MULTIPLE * cache:
        return ()
    values = {"buffer": units.binary_size(buffer_bytes), "cache": units.binary_size(cache)}
    return (Notice("hardware.buffer_small", values),)
