"""Locks between processes: for the moment that one appends a line, and as long as one works.

The system lets go of a lock when its holder dies, however it dies.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    # Windows locks a stretch of the file against writing too, so it is one that no file reaches.
    _FAR_BEYOND_THE_END = 2**62

    def _lock(handle: int) -> None:
        os.lseek(handle, _FAR_BEYOND_THE_END, os.SEEK_SET)
        # One try waits ten seconds. Another writer holds the lock for milliseconds.
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

    def _try_lock(handle: int) -> None:
        os.lseek(handle, _FAR_BEYOND_THE_END, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, _FAR_BEYOND_THE_END, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

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


_HELD = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
"""What the systems say of a lock that another one holds."""


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the lock of this name while the block runs; False where another process holds it.

    The file of the lock is there only as long as the lock. Where none can be made or none is
    known (a read-only or network folder), nobody can be told to hold it.
    """
    handle = None
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    if handle is None:
        yield True
        return
    try:
        if not _is_ours(handle):
            yield False
            return
        try:
            yield True
        finally:
            with contextlib.suppress(OSError):
                path.unlink()  # before it is let go, so that nobody waits for a file that is gone
    finally:
        os.close(handle)


def is_held(path: Path) -> bool:
    """Whether another process holds the lock of this name."""
    if not path.exists():
        return False
    with held(path) as ours:
        return not ours


def _is_ours(handle: int) -> bool:
    try:
        _try_lock(handle)
    except OSError as problem:
        return problem.errno not in _HELD
    return True
