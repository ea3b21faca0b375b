"""A connection on which nobody waits forever.

Time limits of sockets hold for one read each, so that a server that sends a byte a minute is never
late. Here one deadline holds for whatever is read, headers included.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tokenroof.engines.http_errors import Limit

PIECE_BYTES = 2**16
"""The most that is read at once."""

_SENT_BYTES = 2**20
"""Of a file, so much is sent at once."""

now = time.perf_counter
"""The clock of all stamps: monotonic, and the same in every thread."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait. They are generous: prompts are long, and a person can press Ctrl-C.

    Attributes:
        connect_seconds: until the connection stands.
        first_token_seconds: from the request to its first token.
        between_tokens_seconds: from a token to the next.
        total_seconds: from the request to the end of the answer.
        answer_seconds: for a whole answer that is no stream.
    """

    connect_seconds: float = 5.0
    first_token_seconds: float = 3600.0
    between_tokens_seconds: float = 600.0
    total_seconds: float = 6 * 3600.0
    answer_seconds: float = 30.0


class Deadline:
    """The moment by which the next byte has to be there, and which limit that moment is."""

    def __init__(self, total: tuple[Limit, float], first: float, between: float) -> None:
        self._name, self._total_seconds = total
        self._first_seconds, self._between_seconds = first, between
        self.at = float("inf")
        self.reached: tuple[Limit, float] = total

    @classmethod
    def stream(cls, limits: Limits) -> Deadline:
        """For an answer that comes token by token."""
        total: tuple[Limit, float] = ("total", limits.total_seconds)
        return cls(total, limits.first_token_seconds, limits.between_tokens_seconds)

    @classmethod
    def answer(cls, seconds: float) -> Deadline:
        """For an answer that is wanted as a whole."""
        return cls(("answer", seconds), float("inf"), float("inf"))

    def begin(self, at: float) -> None:
        """The request goes out."""
        self._end = at + self._total_seconds
        self._set(at + self._first_seconds, "first_token", self._first_seconds)

    def token(self, at: float) -> None:
        """A token came."""
        self._set(at + self._between_seconds, "between_tokens", self._between_seconds)

    def _set(self, at: float, limit: Limit, seconds: float) -> None:
        if at < self._end:
            self.at, self.reached = at, (limit, seconds)
        else:
            self.at, self.reached = self._end, (self._name, self._total_seconds)


class Connection(http.client.HTTPConnection):
    """A connection whose every read ends at the deadline, however the bytes trickle."""

    def __init__(self, url: str, limits: Limits, deadline: Deadline) -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        default = http.client.HTTPS_PORT if self._secure else http.client.HTTP_PORT
        super().__init__(parts.hostname or "", parts.port or default, blocksize=_SENT_BYTES)
        self._limits = limits
        self._deadline = deadline
        self.received_bytes = 0

    def connect(self) -> None:
        """Connect to the first of the host's addresses that answers, within the limit."""
        until = now() + self._limits.connect_seconds
        problem: OSError | None = None
        for family, kind, protocol, _name, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            plain = socket.socket(family, kind, protocol)
            try:
                plain.settimeout(max(until - now(), 0.001))
                plain.connect(address)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                # The reading end is ours (`_Socket`), and that is all http.client asks of it.
                self.sock = _Socket(self._secured(plain), self)
            except OSError as error:
                plain.close()
                problem = problem or error
            else:
                return
        raise problem or OSError("no address")

    def remaining(self) -> float:
        """Seconds until the deadline.

        Raises:
            TimeoutError: there are none left.
        """
        seconds = self._deadline.at - now()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def _secured(self, plain: socket.socket) -> socket.socket:
        if not self._secure:
            return plain
        import ssl

        return ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)


class _Socket:
    """As much of a socket as `http.client` uses, under a deadline."""

    def __init__(self, inner: socket.socket, connection: Connection) -> None:
        self._inner = inner
        self._connection = connection

    def sendall(self, data: bytes) -> None:
        self._inner.settimeout(self._connection.remaining())
        self._inner.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._inner, self._connection), PIECE_BYTES)

    def close(self) -> None:
        self._inner.close()


class _Reading(io.RawIOBase):
    """The reading end."""

    def __init__(self, inner: socket.socket, connection: Connection) -> None:
        self._inner = inner
        self._connection = connection
        self._raw = inner.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._inner.settimeout(self._connection.remaining())
        count = self._raw.readinto(buffer)
        self._connection.received_bytes += count or 0
        return count or 0

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()
