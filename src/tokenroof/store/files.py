"""Writing so that a crash, a kill or a full disk loses nothing that was written before."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from tokenroof.errors import OutputError
from tokenroof.store.lock import locked

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_IN_THE_WAY = {errno.ENOTDIR, errno.EISDIR, errno.EEXIST}


def output_error(path: Path, problem: OSError) -> OutputError:
    """What the system said about a place that cannot be written to, as our error."""
    if problem.errno in _FULL:
        return OutputError("store.disk_full", path=path)
    message = "store.not_writable"
    if problem.errno in _FORBIDDEN:
        message = "store.not_allowed"
    elif problem.errno in _IN_THE_WAY:
        message = "store.not_a_folder"
    return OutputError(message, path=path, reason=problem.strerror or type(problem).__name__)


def make_folder(path: Path) -> None:
    """Make a folder and those above it.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise output_error(path, problem) from problem


def make_new_folder(path: Path) -> Path:
    """Make a folder that was not there before, and those above it.

    Where it is there already, the name gets ``-2``, ``-3`` and so on: two programs that want the
    same folder in the same second get one each.

    Raises:
        OutputError: it cannot be made.
    """
    make_folder(path.parent)
    number, folder = 1, path
    while True:
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            folder = path.with_name(f"{path.name}-{number}")
        except OSError as problem:
            raise output_error(folder, problem) from problem
        else:
            return folder


def check_writable(folder: Path) -> None:
    """Write into a folder, and take it away again.

    Raises:
        OutputError: nothing can be written there, or there is no room.
    """
    probe = folder / f".tokenroof.{secrets.token_hex(4)}"
    write_whole_file(probe, bytes(PROBE_BYTES))
    with contextlib.suppress(OSError):
        probe.unlink()


PROBE_BYTES = 2**20
"""A report with its charts, and some hundred runs."""


def append_line(path: Path, line: bytes) -> None:
    """Append one line and do not return before the disk has it.

    A torn line that a crash left at the end is closed first, so that it cannot swallow this one.
    A write that fails half way is taken back, so that it leaves no torn line of its own.

    Raises:
        OutputError: the line was not written; the file is as it was before.
    """
    try:
        _append(path, line)
    except OSError as problem:
        raise output_error(path, problem) from problem


def _append(path: Path, line: bytes) -> None:
    is_new = not path.exists()
    binary = getattr(os, "O_BINARY", 0)  # or Windows would turn each \n into \r\n
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | binary, 0o666)
    try:
        with locked(handle):
            _append_whole(handle, line)
    finally:
        os.close(handle)
    if is_new:
        _sync_folder(path.parent)


def _append_whole(handle: int, line: bytes) -> None:
    before = os.fstat(handle).st_size
    torn = b"" if before == 0 else _last_byte(handle, before)
    data = line + b"\n" if torn in (b"", b"\n") else b"\n" + line + b"\n"
    try:
        _write_whole(handle, data)
        os.fsync(handle)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, before)
        raise


def _last_byte(handle: int, size: int) -> bytes:
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1)


def _write_whole(handle: int, data: bytes) -> None:
    """One write is the rule; a short one (a signal, a nearly full disk) is followed by the rest."""
    done = os.write(handle, data)
    while done < len(data):
        done += os.write(handle, data[done:])


def _sync_folder(folder: Path) -> None:
    """Make a new file's name durable too, where a system offers that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_whole_file(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees either the old one or the new one, never a part.

    Raises:
        OutputError: it was not written; an older file of that name is untouched.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with beside.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
        _sync_folder(path.parent)
    except OSError as problem:
        raise output_error(path, problem) from problem
