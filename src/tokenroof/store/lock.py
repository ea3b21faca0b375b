"""A lock between processes, for the moment that one of them appends a line."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

if sys.platform == "win32":
    import msvcrt

    # Windows locks a stretch of the file against writing too, so it is one that no file reaches.
    _FAR_BEYOND_THE_END = 2**62

    def _lock(handle: int) -> None:
        os.lseek(handle, _FAR_BEYOND_THE_END, os.SEEK_SET)
        # One try waits ten seconds. Another writer holds the lock for milliseconds.
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, _FAR_BEYOND_THE_END, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def locked(handle: int) -> Iterator[None]:
    """Hold the lock of an open file while the block runs; wait for another holder to let go.

    Some network folders know no locks. There the block runs without one: a single write to a file
    that was opened for appending is still whole on most of them, and a refusal would lose the run.
    """
    with contextlib.suppress(OSError):
        _lock(handle)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            _unlock(handle)
