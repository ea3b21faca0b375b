"""A file on a web server as a source of bytes: only what is asked for travels.

Its size and identity come with the first answer. Then ranges are asked for that grow with what
was read, so that a header of 10 MB takes a dozen requests and no more than a quarter too much.
A server that does not know ranges sends the file from its beginning; it is read as far as the
header goes, then hung up on.

Every answer must be about the same file: size, ETag and Last-Modified are compared, so that a
file that is replaced in the middle is noticed and two halves are never taken for a whole.
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tokenroof.errors import GGUFError, InputError
from tokenroof.library.addresses import shown
from tokenroof.library.terms import Passing

if TYPE_CHECKING:
    from tokenroof.library.http import Answer, Web

FIRST_BYTES = 256 * 2**10
"""Less than any header with a vocabulary has."""

WINDOW_BYTES = 8 * 2**10
"""Small, since the parser's last window may make one more range necessary."""

_AHEAD = 4
"""A range is at least one part in so many of what was read: at most a quarter is too much."""

_CONTENT_RANGE = re.compile(r"bytes (?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)")


@dataclass(frozen=True)
class _Identity:
    """What tells one state of a file from another; None where the server does not say."""

    size: int
    etag: str | None
    modified: str | None

    def agrees(self, other: _Identity) -> bool:
        """Whether nothing says that these are two states."""
        pairs = ((self.etag, other.etag), (self.modified, other.modified))
        return self.size == other.size and all(a == b or None in (a, b) for a, b in pairs)


def open_remote(web: Web, url: str) -> RangeSource | StreamSource:
    """Ask for the beginning of a file and see how its server answers.

    Raises:
        NotFound: there is no such file.
        InputError: it cannot be had.
    """
    attempt = 0
    while True:
        attempt += 1
        try:
            return _first(web, url)
        except Passing as failure:
            web.wait(attempt, failure)


def _first(web: Web, url: str) -> RangeSource | StreamSource:
    with ExitStack() as stack:
        answer = stack.enter_context(web.ask(url, _range(0, FIRST_BYTES)))
        _check_encoding(answer)
        if answer.status == 416:
            found = _content_range(answer)
            if found is None or found[3] != "0":
                raise InputError("library.remote_range", name=shown(url))
            return RangeSource(web, answer.url, _identity(answer, 0), b"")
        if answer.status == 206:
            came = _range_of(answer)
            head = bytearray()
            _read_range(answer, came, 0, head)
            return RangeSource(web, answer.url, _identity(answer, came.total), bytes(head))
        length = answer.headers.get("content-length", "")
        if answer.status != 200 or not length.isdecimal():
            raise InputError("library.remote_no_size", name=shown(url))
        stream = StreamSource(web, url, _identity(answer, int(length)))
        stream.take_over(answer, stack.pop_all())
        return stream


class RangeSource:
    """A file that is read range by range; what came is kept until the source is dropped."""

    window_bytes = WINDOW_BYTES

    def __init__(self, web: Web, url: str, identity: _Identity, head: bytes) -> None:
        self._web = web
        self._url = url
        self._identity = identity
        self._kept: list[tuple[int, bytes]] = [(0, head)] if head else []
        self.name = shown(url)
        self.size = identity.size

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on."""
        end = offset + size
        wanted = bytearray()
        for start, data in [*self._kept, (end, b"")]:
            at = offset + len(wanted)
            if start > at:
                gap = min(start, end) - at
                wanted += self._fetch(at, gap, start if start < end else self.size)[:gap]
                at += gap
            if at >= end:
                break
            wanted += data[at - start : end - start]
        return bytes(wanted)

    def close(self) -> None:
        """Nothing is held open between requests."""

    def _fetch(self, offset: int, size: int, limit: int) -> bytes:
        """A range that is not kept yet, and some more ahead, up to `limit`."""
        if not self._web.is_open:
            # An array that was passed over is wanted after all, long after the header was read.
            with self._web:
                return self._fetch(offset, size, offset + size)
        fetched = sum(len(data) for _, data in self._kept)
        size = min(max(size, fetched // _AHEAD), limit - offset)
        got = bytearray()
        attempt = 0
        while len(got) < size:
            before = len(got)
            try:
                self._fetch_into(got, offset, size)
            except Passing as failure:
                # An attempt that brought something was not in vain.
                attempt = 1 if len(got) > before else attempt + 1
                self._web.wait(attempt, failure)
        del got[size:]
        insort(self._kept, (offset, bytes(got)))
        return bytes(got)

    def _fetch_into(self, got: bytearray, offset: int, size: int) -> None:
        at = offset + len(got)
        with self._web.ask(self._url, _range(at, size - len(got))) as answer:
            _check_encoding(answer)
            if answer.status == 200:
                length = answer.headers.get("content-length", "")
                if length.isdecimal():
                    self._check_same(_identity(answer, int(length)))
            if answer.status != 206:
                raise InputError("library.remote_range", name=self.name)
            came = _range_of(answer)
            self._check_same(_identity(answer, came.total))
            _read_range(answer, came, at, got)

    def _check_same(self, identity: _Identity) -> None:
        if not self._identity.agrees(identity):
            raise GGUFError("gguf.changed", path=self.name)


class StreamSource:
    """A file that its server only sends from the beginning."""

    window_bytes = WINDOW_BYTES

    def __init__(self, web: Web, url: str, identity: _Identity) -> None:
        self._web = web
        self._url = url
        self._identity = identity
        self._kept = bytearray()
        self._pieces: Iterator[bytes] = iter(())
        self._open = ExitStack()
        self.name = shown(url)
        self.size = identity.size

    def take_over(self, answer: Answer, stack: ExitStack) -> None:
        """Go on reading from an answer; `stack` closes it."""
        self._pieces = answer.pieces()
        self._open = stack

    def read(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes from `offset` on; everything before them has to be read, too."""
        attempt = 0
        while len(self._kept) < offset + size:
            before = len(self._kept)
            try:
                self._read_on(offset + size)
            except Passing as failure:
                attempt = 1 if len(self._kept) > before else attempt + 1
                self.close()
                self._web.wait(attempt, failure)
        return bytes(self._kept[offset : offset + size])

    def close(self) -> None:
        """Hang up."""
        self._open.close()
        self._pieces = iter(())

    def _read_on(self, end: int) -> None:
        for piece in self._pieces:
            self._kept += piece
            if len(self._kept) >= end:
                return
        self._start_again()

    def _start_again(self) -> None:
        """Ask anew, and read past what is known already."""
        with ExitStack() as stack:
            answer = stack.enter_context(self._web.ask(self._url, _PLAIN))
            _check_encoding(answer)
            length = answer.headers.get("content-length", "")
            if answer.status != 200 or not length.isdecimal():
                raise InputError("library.remote_no_size", name=self.name)
            if not self._identity.agrees(_identity(answer, int(length))):
                raise GGUFError("gguf.changed", path=self.name)
            pieces = answer.pieces()
            known = len(self._kept)
            while known > 0:
                piece = next(pieces, None)
                if piece is None:
                    raise Passing("the answer was shorter than it said")
                self._kept += piece[known:]
                known -= len(piece)
            self._pieces = pieces
            self._open = stack.pop_all()


_PLAIN = {"Accept-Encoding": "identity"}


def _range(offset: int, size: int) -> dict[str, str]:
    return {**_PLAIN, "Range": f"bytes={offset}-{offset + size - 1}"}


def _check_encoding(answer: Answer) -> None:
    """Refuse what is compressed against our wish: its bytes are not those of the file."""
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise InputError("library.remote_encoded", name=shown(answer.url), encoding=shown(encoding))


def _identity(answer: Answer, size: int) -> _Identity:
    etag = answer.headers.get("etag")
    return _Identity(
        size=size,
        etag=etag.removeprefix("W/") if etag else None,
        modified=answer.headers.get("last-modified"),
    )


class _Range(NamedTuple):
    """What a server says that it sends: bytes from `start` to before `end`, of `total`."""

    start: int
    end: int
    total: int


def _range_of(answer: Answer) -> _Range:
    found = _content_range(answer)
    if found is None or found[1] is None or found[3] == "*":
        raise InputError("library.remote_no_size", name=shown(answer.url))
    return _Range(int(found[1]), int(found[2]) + 1, int(found[3]))


def _content_range(answer: Answer) -> re.Match[str] | None:
    return _CONTENT_RANGE.fullmatch(answer.headers.get("content-range", "").strip())


def _read_range(answer: Answer, came: _Range, offset: int, into: bytearray) -> None:
    """Append a range that should begin at `offset`.

    The answer is read to its end, so that the connection can be used again.

    Raises:
        Passing: less came than was said.
        InputError: it is another range, or more came.
    """
    size = came.end - came.start
    if came.start != offset or size <= 0 or came.end > came.total:
        raise InputError("library.remote_range", name=shown(answer.url))
    for piece in answer.pieces():
        into += piece
        size -= len(piece)
        if size < 0:
            raise InputError("library.remote_range", name=shown(answer.url))
    if size:
        raise Passing("the answer was shorter than it said")
