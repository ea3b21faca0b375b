"""Where the bytes of a header come from.

The parser asks a source for a range and gets exactly that range, or an error: a file today, a
range request later. It reads in windows rather than through a memory map on purpose: when
another process truncates a mapped file, touching the map kills this one (SIGBUS), where a read
merely comes back short. The windows are as fast, and nothing stays open or locked afterwards.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tokenroof.errors import GGUFError, NotFound
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from io import FileIO
    from types import TracebackType

WINDOW_BYTES = 2**20


class Source(Protocol):
    """Bytes of known number that can be read in ranges."""

    @property
    def name(self) -> str:
        """How to call it in a message; safe to print."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    @property
    def window_bytes(self) -> int:
        """How many bytes the parser should ask for at once."""

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on.

        Raises:
            GGUFError: they cannot be had, or the source is no longer what it was.
        """


class BytesSource:
    """Bytes that are in memory already."""

    window_bytes = WINDOW_BYTES

    def __init__(self, data: bytes, name: str = "memory") -> None:
        self._data = data
        self.name = printable(name)
        self.size = len(data)

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on."""
        return self._data[offset : offset + size]


class FileSource:
    """A regular file, which must stay what it was when it was first looked at.

    Reading outside of a ``with`` block opens the file for that one read, after making sure that
    it is still the same: this is how arrays are decoded long after the header was read.
    """

    window_bytes = WINDOW_BYTES

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = printable(str(path))
        self._file: FileIO | None = None
        self._identity = self._look()
        self.size = self._identity[2]

    def __enter__(self) -> FileSource:
        self._file = self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._file is not None
        self._file.close()
        self._file = None

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on."""
        if self._file is None:
            self.check_unchanged()
            with self:
                return self.read(offset, size)
        try:
            self._file.seek(offset)
            data = self._file.read(size)
            while len(data) < size:
                more = self._file.read(size - len(data))
                if not more:
                    raise GGUFError("gguf.changed", path=self.name)
                data += more
        except OSError as error:
            raise self._unreadable(error) from error
        return data

    def check_unchanged(self) -> None:
        """Make sure that the path still leads to the file as it was.

        Raises:
            GGUFError: it was replaced, truncated or written to.
        """
        if self._look() != self._identity:
            raise GGUFError("gguf.changed", path=self.name)

    def _look(self) -> tuple[int, int, int, int]:
        try:
            found = self.path.stat()
        except FileNotFoundError as error:
            raise NotFound("gguf.not_found", path=self.name) from error
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error
        if not stat.S_ISREG(found.st_mode):
            # A pipe or a device would block, or never end.
            raise GGUFError("gguf.not_a_file", path=self.name)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _open(self) -> FileIO:
        try:
            return self.path.open("rb", buffering=0)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError | ValueError) -> GGUFError:
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number is not None else str(error)
        return GGUFError("gguf.unreadable", path=self.name, reason=printable(reason))
