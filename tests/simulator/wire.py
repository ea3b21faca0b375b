"""The sending end: paces, cuts, dies and stalls as it is told, and writes down what it did."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from simulator.script import Script


@dataclass(frozen=True)
class Sent:
    """One chunk of an answer's body: when sending it began, and what it was."""

    at: float
    data: bytes


@dataclass
class Exchange:
    """A request and its answer, as the server saw them; moments are of `time.perf_counter`."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    received_at: float
    sent: list[Sent] = field(default_factory=list)
    hung_up_at: float | None = None
    done: threading.Event = field(default_factory=threading.Event)


class Died(Exception):
    """The connection was ended, as the script says."""


class Wire:
    """One connection, for one answer."""

    def __init__(self, connection: socket.socket, exchange: Exchange) -> None:
        self.script = Script()
        self._connection = connection
        self._exchange = exchange
        self._bytes = 0
        self._kept = b""
        self._last = exchange.received_at
        self.released = threading.Event()

    def document(self, value: Any, status: int = 200) -> None:
        """A JSON document as the whole answer."""
        self.answer(json.dumps(value).encode(), status, {"Content-Type": "application/json"})

    def answer(self, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        """A body of known length."""
        self._head(status, {"Content-Length": str(len(body)), **headers})
        self._exchange.sent.append(Sent(time.perf_counter(), body))
        self._write(body)

    def begin(self, content_type: str) -> None:
        """The headers of an answer that comes in chunks."""
        self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})

    def send(self, data: bytes, wait_seconds: float = 0.0, *, more: bool = False) -> None:
        """One chunk, so long after the one before; with `more`, at one moment with the next."""
        self.wait(wait_seconds)
        self._exchange.sent.append(Sent(time.perf_counter(), data))
        self._kept += data
        if not more:
            self._flush()

    def hold(self, released: threading.Event) -> None:
        """Send nothing before it is said to, or the simulator ends."""
        self._flush()
        while not (released.wait(0.01) or self.released.is_set()):
            pass
        self._last = time.perf_counter()

    def wait(self, seconds: float) -> None:
        """Let time pass, counted from when the last wait ended: what sending takes is in it."""
        until = self._last + seconds
        while (left := until - time.perf_counter()) > 0:
            time.sleep(left)
        self._last = max(until, self._last)

    def end(self) -> None:
        """The end of an answer in chunks."""
        self._flush()
        self._write(b"0\r\n\r\n")

    def stall(self) -> None:
        """Nothing, until the other side hangs up or the simulator ends."""
        self._flush()
        while not self.released.is_set():
            ready, _, _ = select.select([self._connection], [], [], 0.01)
            if ready and not self._peek():
                self.hung_up()
                return

    def hung_up(self) -> None:
        if self._exchange.hung_up_at is None:
            self._exchange.hung_up_at = time.perf_counter()

    def _peek(self) -> bytes:
        try:
            return self._connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return b""

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "?"
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
        self._write("\r\n".join([*lines, "Connection: close", "", ""]).encode())

    def _flush(self) -> None:
        data, self._kept = self._kept, b""
        size = self.script.piece_bytes or len(data)
        for start in range(0, len(data), size or 1):
            piece = data[start : start + size]
            self._write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def _write(self, data: bytes) -> None:
        limit = self.script.die_after_bytes
        dying = limit is not None and self._bytes + len(data) > limit
        if limit is not None and dying:
            data = data[: limit - self._bytes]
        try:
            self._connection.sendall(data)
        except OSError:
            self.hung_up()
            raise Died from None
        self._bytes += len(data)
        if dying:
            self._abort()
            raise Died

    def _abort(self) -> None:
        """End as a process ends that was killed: the other side reads what came, then no more."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
