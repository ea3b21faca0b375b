"""Threads that read memory together, timed to the slowest of them.

Every repeat is fixed work, the same share in each thread, timed from the first start to the last
end, as an inference engine's threads wait for the slowest at each layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tokenroof.clock import Clock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOOPS: tuple[tuple[str, str, str], ...] = (
    ("max_int32", "maximum", "int32"),
    ("max_int8", "maximum", "int8"),
    ("max_uint64", "maximum", "uint64"),
    ("max_float32", "maximum", "float32"),
    ("sum_int64", "add", "int64"),
    ("sum_float64", "add", "float64"),
    ("or_int64", "bitwise_or", "int64"),
    ("xor_int64", "bitwise_xor", "int64"),
)
"""Name, numpy reduction and element type. None of them calls a BLAS, whose own threads would
compete with ours."""

ALIGNMENT_BYTES = 4096
START_LIMIT_SECONDS = 30.0


class Readers:
    """Threads with a warm buffer each, that read it when told to. A context manager.

    Raises:
        MemoryError: there is no room for the buffers.
        RuntimeError: the system gives no more threads.
    """

    def __init__(self, threads: int, buffer_bytes: int, clock: Clock) -> None:
        import numpy as np

        share = max(buffer_bytes // threads // ALIGNMENT_BYTES, 1) * ALIGNMENT_BYTES
        self.threads = threads
        self.buffer_bytes = share * threads
        self._clock = clock
        self._pool = ThreadPoolExecutor(threads, "bandwidth")
        # Written first, by all threads at once: that makes the pages real, and on a machine with
        # several memory nodes it spreads them. 0x3f bytes are ordinary numbers in every type that
        # is read, so no loop meets denormals or infinities.
        try:
            self._buffers = self._together(lambda _: np.full(share, 0x3F, np.uint8), range(threads))
        except BaseException:
            self._pool.shutdown()
            raise

    def __enter__(self) -> Readers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._pool.shutdown()
        self._buffers = []

    def seconds(self, loop: str, passes: int = 1) -> float:
        """How long all threads together took to read their buffers `passes` times."""
        import numpy as np

        _, reduction, kind = next(entry for entry in LOOPS if entry[0] == loop)
        reduce: Callable[[Any], Any] = getattr(np, reduction).reduce

        def work(buffer: NDArray[np.uint8]) -> tuple[float, float]:
            view = buffer.view(kind)
            start = self._clock.monotonic()
            for _ in range(passes):
                reduce(view)
            return start, self._clock.monotonic()

        spans: list[tuple[float, float]] = self._together(work, self._buffers)
        return max(end for _, end in spans) - min(start for start, _ in spans)

    def _together(self, work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Do one item in each thread, all starting at the same moment."""
        # The limit is for a thread that could not be started: the others must not wait for ever.
        barrier = Barrier(self.threads, timeout=START_LIMIT_SECONDS)

        def start(item: Any) -> Any:
            barrier.wait()
            return work(item)

        return list(self._pool.map(start, items))
