"""Speaking to a server: one question and one answer, or an answer that comes piece by piece.

The measured path reads with `http.client`, because a client that costs 400 microseconds a token
takes a processor's time away from the engine that it measures. Every wait has an end: one deadline
holds for every byte, so that a server that sends a byte a minute is no way around it.

A frame is one line of JSON, or one event of a server-sent stream. It bears the moment at which its
last byte was there. A frame is not a token: what it holds is for the engine to say, and also that
a token came (`Stream.token`), which is what the limits between tokens are about.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tokenroof.engines import http_errors
from tokenroof.engines.framing import FRAMINGS, Framing
from tokenroof.engines.http_errors import Endpoint, Limit

LARGEST_FRAME_BYTES = 32 * 2**20
"""A last frame may repeat the whole prompt, and nothing is larger than that."""

LARGEST_ANSWER_BYTES = 96 * 2**20
_LARGEST_STREAM_BYTES = 2**30
_PIECE_BYTES = 2**16
_ERROR_BODY_BYTES = 2**16

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


class Frame(NamedTuple):
    """One piece of an answer, and when it was complete on the clock `now`."""

    data: bytes
    at: float

    def document(self) -> Any:
        """What it says, as JSON; None where it is none."""
        return parse(self.data)


def parse(data: bytes) -> Any:
    """A JSON document; None where it is none.

    Text that is no UTF-8 and numbers that no JSON may hold (NaN, 1e999) are read all the same:
    one odd character or counter is no reason to lose a run.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


class Client:
    """Asks one server; each request has a connection of its own.

    Args:
        endpoint: where it is.
        limits: how long to wait.
        api_key: sent to this address and no other: redirects are never followed.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits | None = None, api_key: str | None = None
    ) -> None:
        self.endpoint = endpoint
        self.limits = limits or Limits()
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def get(self, path: str, seconds: float | None = None) -> Any:
        """The JSON document at a path; see `ask`."""
        return self.ask("GET", path, None, seconds)

    def post(self, path: str, body: Mapping[str, Any], seconds: float | None = None) -> Any:
        """The JSON document that answers a body; see `ask`."""
        return self.ask("POST", path, body, seconds)

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float | None = None
    ) -> Any:
        """One question and its whole answer.

        Args:
            method: of HTTP.
            path: below the endpoint's.
            body: to be sent as JSON.
            seconds: for all of it; None for the usual limit.

        Raises:
            EngineError: of the kind that `http_errors` says.
        """
        within = self.limits.answer_seconds if seconds is None else seconds
        with Stream(self, method, path, body, deadline=_Deadline.answer(within)) as stream:
            data = stream.whole(LARGEST_ANSWER_BYTES)
        document = parse(data)
        if document is None:
            raise http_errors.nonsense(self.endpoint, data)
        said = http_errors.said_error(document)
        if said is not None:
            raise http_errors.error_frame(self.endpoint, document)
        return document

    def stream(
        self, path: str, body: Mapping[str, Any], framing: Literal["lines", "events"]
    ) -> Stream:
        """An answer piece by piece, to be used in a `with`.

        Raises:
            EngineError: of the kind that `http_errors` says; so does iterating.
        """
        deadline = _Deadline.stream(self.limits)
        return Stream(self, "POST", path, body, deadline=deadline, framing=FRAMINGS[framing]())

    def headers(self, body: bytes | None) -> dict[str, str]:
        """What goes before a body."""
        given = {"Accept": "*/*", "Connection": "close", **self._headers}
        return given if body is None else given | {"Content-Type": "application/json"}


class Stream:
    """An answer that is under way. See `Client.stream`.

    Attributes:
        sent_at: when the request went out, the connection being there, on the clock `now`.
    """

    def __init__(
        self,
        client: Client,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        deadline: _Deadline,
        framing: Framing | None = None,
    ) -> None:
        self._endpoint = client.endpoint
        self._deadline = deadline
        self._framing = framing
        data = None if body is None else msgspec.json.encode(body)
        target = urlsplit(client.endpoint.url).path.rstrip("/") + path
        self._connection = _Connection(client.endpoint.url, client.limits, deadline)
        self._response: http.client.HTTPResponse | None = None
        try:
            self._connect()
            self.sent_at = now()
            self._cpu_before = time.thread_time()
            deadline.begin(self.sent_at)
            self._request(method, target, data, client.headers(data))
        except BaseException:
            self.close()
            raise

    @property
    def received_bytes(self) -> int:
        """What came so far, headers included."""
        return self._connection.received_bytes

    @property
    def cpu_seconds(self) -> float:
        """Processor time of this thread since the request went out: what we cost ourselves."""
        return time.thread_time() - self._cpu_before

    def token(self, at: float) -> None:
        """A token came with a frame: from now on, the limit between tokens holds."""
        self._deadline.token(at)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, whatever is still to come; a server takes that as a reason to stop."""
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def __iter__(self) -> Iterator[Frame]:
        """The frames, in order."""
        framing = self._framing
        assert framing is not None
        total = 0
        while piece := self._read():
            at = now()
            total += len(piece)
            if total > _LARGEST_STREAM_BYTES:
                raise http_errors.too_large(self._endpoint, _LARGEST_STREAM_BYTES)
            for data in framing.feed(piece):
                yield Frame(data, at)
            if framing.waiting_bytes > LARGEST_FRAME_BYTES:
                raise http_errors.too_large(self._endpoint, LARGEST_FRAME_BYTES)
        at = now()
        for data in framing.end():
            yield Frame(data, at)

    def whole(self, limit_bytes: int) -> bytes:
        """All that is still to come."""
        data = bytearray()
        while piece := self._read():
            data += piece
            if len(data) > limit_bytes:
                raise http_errors.too_large(self._endpoint, limit_bytes)
        return bytes(data)

    def cut(self, why: str = "-") -> Exception:
        """The error for an answer that ended well for HTTP and too early for its meaning."""
        return http_errors.cut(self._endpoint, self.received_bytes, why)

    def _connect(self) -> None:
        try:
            self._connection.connect()
        except (OSError, UnicodeError, ValueError) as error:
            raise http_errors.unreachable(self._endpoint, error) from error

    def _request(
        self, method: str, target: str, data: bytes | None, headers: dict[str, str]
    ) -> None:
        try:
            self._connection.request(method, target, data, headers)
            self._response = self._connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._problem(error) from error
        if self._response.status != HTTPStatus.OK:
            raise self._refusal(self._response)

    def _read(self) -> bytes:
        """What is there, waiting for something if there is nothing; empty at the end."""
        assert self._response is not None
        try:
            piece = self._response.read1(_PIECE_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._problem(error) from error
        if not piece and self._response.length:
            raise self.cut()
        return piece

    def _problem(self, error: Exception) -> Exception:
        if isinstance(error, TimeoutError):
            limit, seconds = self._deadline.reached
            return http_errors.silent(self._endpoint, limit, seconds, self.received_bytes)
        return http_errors.broken(self._endpoint, error, self.received_bytes)

    def _refusal(self, response: http.client.HTTPResponse) -> Exception:
        try:
            body = response.read(_ERROR_BODY_BYTES)
        except (OSError, http.client.HTTPException, ValueError):
            body = b""
        location = response.headers.get("Location")
        return http_errors.status(self._endpoint, response.status, body, location)


class _Deadline:
    """The moment by which the next byte has to be there, and which limit that moment is."""

    def __init__(self, total: tuple[Limit, float], first: float, between: float) -> None:
        self._name, self._total_seconds = total
        self._first_seconds, self._between_seconds = first, between
        self.at = float("inf")
        self.reached: tuple[Limit, float] = total

    @classmethod
    def stream(cls, limits: Limits) -> _Deadline:
        total: tuple[Limit, float] = ("total", limits.total_seconds)
        return cls(total, limits.first_token_seconds, limits.between_tokens_seconds)

    @classmethod
    def answer(cls, seconds: float) -> _Deadline:
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


class _Connection(http.client.HTTPConnection):
    """A connection whose every read ends at the deadline, however the bytes trickle."""

    def __init__(self, url: str, limits: Limits, deadline: _Deadline) -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        default = http.client.HTTPS_PORT if self._secure else http.client.HTTP_PORT
        super().__init__(parts.hostname or "", parts.port or default)
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

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
        self._inner = inner
        self._connection = connection

    def sendall(self, data: bytes) -> None:
        self._inner.settimeout(self._connection.remaining())
        self._inner.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._inner, self._connection), _PIECE_BYTES)

    def close(self) -> None:
        self._inner.close()


class _Reading(io.RawIOBase):
    """The reading end."""

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
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
