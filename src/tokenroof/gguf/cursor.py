"""A place in a source that only ever moves forward, and never past the end.

Every length is compared with the bytes that remain before anything is read or allocated. Bytes
come in windows, so memory is bounded by the window whatever the file claims; what is skipped
without being looked at is not read at all.
"""

from __future__ import annotations

import struct
from itertools import repeat
from operator import length_hint
from typing import TYPE_CHECKING

from tokenroof.errors import GGUFError
from tokenroof.gguf.byteorder import MARKS
from tokenroof.gguf.strings import BLOCK_STRINGS, MANY_STRINGS, block_matcher

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.source import Source


class Deadline:
    """A span that reading may take. Looked at once a window, which bounds the steps between."""

    def __init__(self, clock: Clock, seconds: float, name: str) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end = clock.monotonic() + seconds
        self._name = name

    def check(self, offset: int) -> None:
        """Stop the reading if the span is over.

        Raises:
            GGUFError: it is; `offset` is how far the reading came.
        """
        if self._clock.monotonic() > self._end:
            raise GGUFError(
                "gguf.deadline", path=self._name, offset=offset, seconds=f"{self._seconds:g}"
            )


class Cursor:
    """Reads numbers and strings of one byte order, one after another.

    `field` names what is being read, for the message if it is not there.
    """

    def __init__(self, source: Source, deadline: Deadline, byte_order: ByteOrder) -> None:
        self.source = source
        self._deadline = deadline
        self._byte_order: ByteOrder = byte_order
        self._window = b""
        self._base = 0  # where the window begins in the source
        self._at = 0  # where the cursor is in the window; beyond its end after a long skip
        mark = MARKS[byte_order]
        self._u32 = struct.Struct(mark + "I").unpack_from
        self._u64 = struct.Struct(mark + "Q").unpack_from

    @property
    def offset(self) -> int:
        """Where the cursor is in the source."""
        return self._base + self._at

    @property
    def remaining(self) -> int:
        """Bytes from here to the end of the source."""
        return self.source.size - self._base - self._at

    def check_deadline(self) -> None:
        """Stop if the reading takes too long."""
        self._deadline.check(self.offset)

    def take(self, size: int, field: str) -> bytes:
        """The next `size` bytes. For sizes that were found small."""
        if self._at + size > len(self._window):
            self._refill(size, field)
        start = self._at
        self._at = start + size
        return self._window[start : start + size]

    def recall(self, start: int, size: int) -> bytes:
        """Bytes that the cursor has passed already."""
        first = start - self._base
        if first >= 0 and first + size <= len(self._window):
            return self._window[first : first + size]
        return self.source.read(start, size)

    def skip(self, size: int, field: str) -> None:
        """Go past `size` bytes without reading them."""
        if size > self.remaining:
            raise self._past_end("gguf.past_end", field, size)
        self._at += size

    def u32(self, field: str) -> int:
        """The next four bytes as a number."""
        if self._at + 4 > len(self._window):
            self._refill(4, field)
        number: int = self._u32(self._window, self._at)[0]
        self._at += 4
        return number

    def u64(self, field: str) -> int:
        """The next eight bytes as a number."""
        if self._at + 8 > len(self._window):
            self._refill(8, field)
        number: int = self._u64(self._window, self._at)[0]
        self._at += 8
        return number

    def length(self, field: str) -> int:
        """The length of the string that follows, which is known to fit."""
        size = self.u64(field)
        if size > self.remaining:
            self._at -= 8
            raise self._past_end("gguf.string_past_end", field, size, after=8)
        return size

    def skip_strings(self, count: int, field: str) -> None:
        """Go past `count` strings, looking at nothing but their lengths.

        This is what reading a header takes its time for: a vocabulary is two times 150,000
        strings. Many strings are passed in blocks; see `strings`. What no block fits is passed
        one by one, in a loop without a bounds check of its own: unpacking beyond the window
        raises, and then the next window is read from where the cursor came to.
        """
        unpack = self._u64
        match_block = block_matcher(self._byte_order) if count >= MANY_STRINGS else None
        left = count
        while left:
            if self._at + 8 > len(self._window):
                self._refill(8, field)
            window, at = self._window, self._at
            if match_block:
                while left >= BLOCK_STRINGS and (block := match_block(window, at)):
                    at = block.end()
                    left -= BLOCK_STRINGS
            turns = min(left, BLOCK_STRINGS) if match_block else left
            left -= turns
            one_by_one = repeat(None, turns)
            try:
                for _ in one_by_one:
                    (size,) = unpack(window, at)
                    at += size + 8
            except (struct.error, OverflowError):
                left += length_hint(one_by_one) + 1
            if self._base + at > self.source.size:
                raise self._string_past_end(field)
            self._at = at

    def _string_past_end(self, field: str) -> GGUFError:
        """Walk the window again to name the string that left the file."""
        while True:
            (size,) = self._u64(self._window, self._at)
            if size + 8 > self.remaining:
                return self._past_end("gguf.string_past_end", field, size, after=8)
            self._at += size + 8

    def _refill(self, size: int, field: str) -> None:
        """Begin a new window at the cursor, with at least the next `size` bytes."""
        remaining = self.remaining
        if size > remaining:
            raise self._past_end("gguf.past_end", field, size)
        offset = self.offset
        self._deadline.check(offset)
        self._window = self.source.read(offset, min(max(size, self.source.window_bytes), remaining))
        self._base = offset
        self._at = 0

    def _past_end(self, message: str, field: str, found: int, after: int = 0) -> GGUFError:
        return GGUFError(
            message,
            path=self.source.name,
            offset=self.offset,
            field=field,
            found=found,
            allowed=self.remaining - after,
        )
