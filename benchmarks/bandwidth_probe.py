"""The bandwidth that tokenroof measures, against numpy.max over int32, in the same run.

Prints one JSON line. The reference is written here, apart from the product's code: as many
threads, a buffer of 256 MiB each, the fastest of its repeats; the two alternate.
"""

from __future__ import annotations

import json
import threading
import time

import numpy as np
from numpy.typing import NDArray

from tokenroof.hardware.bandwidth import measure_read_bandwidth
from tokenroof.hardware.machine import this_machine

ROUNDS = 3
REPEATS = 10
REFERENCE_BYTES = 2**28


def reference(buffers: list[NDArray[np.int32]]) -> float:
    """Bytes per second of numpy.max over int32: the fastest repeat."""
    best = 0.0
    for _ in range(REPEATS):
        barrier = threading.Barrier(len(buffers))
        spans: list[tuple[float, float]] = []

        def work(
            buffer: NDArray[np.int32],
            barrier: threading.Barrier = barrier,
            spans: list[tuple[float, float]] = spans,
        ) -> None:
            barrier.wait()
            start = time.perf_counter()
            np.max(buffer)
            spans.append((start, time.perf_counter()))

        workers = [threading.Thread(target=work, args=(buffer,)) for buffer in buffers]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        taken = max(end for _, end in spans) - min(start for start, _ in spans)
        best = max(best, sum(buffer.nbytes for buffer in buffers) / taken)
    return best


def main() -> None:
    """Alternate the two and print what came of it."""
    threads = this_machine().usable_cores or 1
    ours, theirs, seconds = [], [], []
    for _ in range(ROUNDS):
        buffers = [np.ones(REFERENCE_BYTES // 4, np.int32) for _ in range(threads)]
        theirs.append(reference(buffers))
        del buffers
        start = time.perf_counter()
        measured = measure_read_bandwidth()
        seconds.append(time.perf_counter() - start)
        assert measured is not None
        ours.append(measured)
    best = max(ours, key=lambda measured: measured.best_bytes_per_second)
    line = {
        "benchmark": "bandwidth_probe",
        "threads": threads,
        "bytes_per_second": [round(one.best_bytes_per_second) for one in ours],
        "numpy_max_int32_bytes_per_second": [round(one) for one in theirs],
        "ratio": round(best.best_bytes_per_second / max(theirs), 3),
        "loop": best.loop,
        "median_bytes_per_second": round(best.median_bytes_per_second),
        "lowest_bytes_per_second": round(best.lowest_bytes_per_second),
        "buffer_bytes": best.buffer_bytes,
        "cache_bytes": best.cache_bytes,
        "seconds": [round(one, 2) for one in seconds],
        "numpy": np.__version__,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
