"""How fast all cores compute together just now, timed to the slowest of them.

The loop stays inside each core's own cache, so it does not notice what others do to the memory,
which on a shared machine changes by a third within a minute without anybody disturbing the cores.
It notices what takes a core away: where one of the threads has to share its core, its share of
the work takes twice as long, and the time to the slowest thread with it.

The figure means nothing by itself. It is good for comparing with itself a moment later.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tokenroof.clock import Clock, SystemClock
from tokenroof.hardware.machine import this_machine

PROBE_SECONDS = 0.3
ELEMENTS = 16_384
"""Elements of a thread's arrays: two of 128 KiB, inside the second-level cache of any CPU that
runs language models. Their sines take some 0.1 ms without Python's lock."""
FIRST_PASSES = 20
START_LIMIT_SECONDS = 30.0


def core_probe(
    threads: int | None = None, *, clock: Clock | None = None, seconds: float = PROBE_SECONDS
) -> float | None:
    """Passes per second that every one of `threads` (all usable cores) gets through.

    Takes about `seconds`. None where the system gives no more threads.
    """
    clock = clock or SystemClock()
    threads = threads or this_machine().usable_cores or 1
    try:
        with ThreadPoolExecutor(threads, "cores") as pool:
            first = _taken(pool, threads, FIRST_PASSES, clock)
            if first <= 0:
                return None
            passes = max(FIRST_PASSES, math.ceil(FIRST_PASSES * seconds / first))
            taken = _taken(pool, threads, passes, clock)
    except RuntimeError:
        return None
    return passes / taken if taken > 0 else None


def _taken(pool: ThreadPoolExecutor, threads: int, passes: int, clock: Clock) -> float:
    """Seconds from the first thread's start to the last one's end."""
    import numpy as np

    # The limit is for a thread that could not be started: the others must not wait for ever.
    barrier = Barrier(threads, timeout=START_LIMIT_SECONDS)

    def work(_: int) -> tuple[float, float]:
        values = np.full(ELEMENTS, 0.7)
        result = np.empty_like(values)
        barrier.wait()
        start = clock.monotonic()
        for _pass in range(passes):
            np.sin(values, out=result)
        return start, clock.monotonic()

    spans = list(pool.map(work, range(threads)))
    return max(end for _, end in spans) - min(start for start, _ in spans)
