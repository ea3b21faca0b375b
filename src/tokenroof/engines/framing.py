"""From bytes, in whatever pieces they come, to frames.

Pieces end anywhere, in the middle of a character too; frames are only cut at line ends, so no
character is ever taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Protocol


class Framing(Protocol):
    """How an answer is divided into frames."""

    @property
    def waiting_bytes(self) -> int:
        """Bytes that belong to a frame which is not complete."""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The frames that are complete with this piece."""

    def end(self) -> Iterator[bytes]:
        """What is left at the end of the answer."""


class Lines:
    """One frame a line (NDJSON); empty lines are none."""

    def __init__(self) -> None:
        # A line is put together once, at its end: a long one comes in very many pieces.
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def waiting_bytes(self) -> int:
        """See `Framing`."""
        return self._size

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """See `Framing`."""
        return filter(None, self.lines(piece))

    def end(self) -> Iterator[bytes]:
        """See `Framing`."""
        rest = b"".join(self._parts).strip()
        self._begin(b"")
        if rest:
            yield rest

    def lines(self, piece: bytes) -> list[bytes]:
        """The lines that are complete with this piece, empty ones too."""
        head, end, tail = piece.partition(b"\n")
        if not end:
            self._parts.append(piece)
            self._size += len(piece)
            return []
        lines = [b"".join([*self._parts, head]), *tail.split(b"\n")]
        self._begin(lines.pop())
        return [line.rstrip(b"\r") for line in lines]

    def _begin(self, part: bytes) -> None:
        self._parts, self._size = [part], len(part)


class Events:
    """One frame an event of a server-sent stream: its data.

    Comments (``: ping``) and the fields that are not data are left out. Two things that are no
    events are taken for one, since servers say that way that they failed: a field ``error``, and a
    line that is a JSON object by itself.
    """

    def __init__(self) -> None:
        self._lines = Lines()
        self._data: list[bytes] = []
        self._size = 0

    @property
    def waiting_bytes(self) -> int:
        """See `Framing`."""
        return self._size + self._lines.waiting_bytes

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """See `Framing`."""
        for line in self._lines.lines(piece):
            if line:
                self._take(line)
            elif self._data:
                yield self._event()

    def end(self) -> Iterator[bytes]:
        """See `Framing`."""
        for line in self._lines.end():
            self._take(line)
        if self._data:
            yield self._event()

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name in {b"data", b"error"}:
            data = value.removeprefix(b" ")
        elif line.startswith(b"{"):
            data = line
        else:
            return
        self._data.append(data)
        self._size += len(data)

    def _event(self) -> bytes:
        event = b"\n".join(self._data)
        self._data, self._size = [], 0
        return event


FRAMINGS: dict[Literal["lines", "events"], Callable[[], Framing]] = {
    "lines": Lines,
    "events": Events,
}
