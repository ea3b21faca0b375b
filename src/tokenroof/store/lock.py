"""A lock between processes, for the moment that one of them appends a line."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        # One try waits ten seconds. Another writer holds the lock for milliseconds.
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; wait for another holder to let go.

    Some network folders know no locks. There the block runs without one: a single write to a file
    that was opened for appending is still whole on most of them, and a refusal would lose the run.

    Raises:
        OSError: the lock file itself cannot be made.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with contextlib.suppress(OSError):
            _lock(handle)
        yield
    finally:
        os.close(handle)  # which lets go of the lock on every system
