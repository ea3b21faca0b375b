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
import json
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, BinaryIO, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tokenroof.engines import http_errors
from tokenroof.engines.framing import FRAMINGS, Framing
from tokenroof.engines.http_connection import PIECE_BYTES, Connection, Deadline, Limits, now
from tokenroof.engines.http_errors import Endpoint
from tokenroof.errors import EngineRefused, UsageError

LARGEST_FRAME_BYTES = 32 * 2**20
"""A last frame may repeat the whole prompt, and nothing is larger than that."""

LARGEST_ANSWER_BYTES = 96 * 2**20
_LARGEST_STREAM_BYTES = 2**30
_ERROR_BODY_BYTES = 2**16
_DONE = {HTTPStatus.OK, HTTPStatus.CREATED}


class Upload(NamedTuple):
    """A file as the body of a request, read from where it stands."""

    file: BinaryIO
    size_bytes: int


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
    except RecursionError:
        return None
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

    Raises:
        UsageError: the key holds what no key can hold.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits | None = None, api_key: str | None = None
    ) -> None:
        self.endpoint = endpoint
        self.limits = limits or Limits()
        if api_key and not all("!" <= character <= "~" for character in api_key):
            # Such a key would end the header and begin another; it is not shown, being a secret.
            raise UsageError("http.bad_key", variable=endpoint.key_variable)
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
        with Stream(self, method, path, body, deadline=Deadline.answer(within)) as stream:
            data = stream.whole(LARGEST_ANSWER_BYTES)
        document = parse(data)
        if document is None:
            raise http_errors.nonsense(self.endpoint, data)
        said = http_errors.said_error(document)
        if said is not None:
            raise http_errors.error_frame(self.endpoint, document)
        return document

    def tell(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | Upload | None = None,
        seconds: float | None = None,
    ) -> None:
        """One request whose answer is only that it was done; what it says beyond that is not read.

        Raises:
            EngineError: of the kind that `http_errors` says.
        """
        within = self.limits.answer_seconds if seconds is None else seconds
        Stream(self, method, path, body, deadline=Deadline.answer(within)).close()

    def has(self, path: str) -> bool:
        """Whether there is something at a path.

        Raises:
            EngineError: of the kind that `http_errors` says.
        """
        try:
            self.tell("HEAD", path)
        except EngineRefused as error:
            if error.values.get("status") == HTTPStatus.NOT_FOUND:
                return False
            raise
        return True

    def stream(
        self, path: str, body: Mapping[str, Any], framing: Literal["lines", "events"]
    ) -> Stream:
        """An answer piece by piece, to be used in a `with`.

        Raises:
            EngineError: of the kind that `http_errors` says; so does iterating.
        """
        deadline = Deadline.stream(self.limits)
        return Stream(self, "POST", path, body, deadline=deadline, framing=FRAMINGS[framing]())

    def headers(self, body: bytes | Upload | None) -> dict[str, str]:
        """What goes before a body."""
        given = {"Accept": "*/*", "Connection": "close", **self._headers}
        if isinstance(body, Upload):
            length = {"Content-Length": str(body.size_bytes)}
            return given | length | {"Content-Type": "application/octet-stream"}
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
        body: Mapping[str, Any] | Upload | None,
        *,
        deadline: Deadline,
        framing: Framing | None = None,
    ) -> None:
        self._endpoint = client.endpoint
        self._deadline = deadline
        self._framing = framing
        data = body if body is None or isinstance(body, Upload) else msgspec.json.encode(body)
        target = urlsplit(client.endpoint.url).path.rstrip("/") + path
        self._connection = Connection(client.endpoint.url, client.limits, deadline)
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
        self, method: str, target: str, data: bytes | Upload | None, headers: dict[str, str]
    ) -> None:
        sent = data.file if isinstance(data, Upload) else data
        try:
            self._connection.request(method, target, sent, headers)
            self._response = self._connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._problem(error) from error
        if self._response.status not in _DONE:
            raise self._refusal(self._response)

    def _read(self) -> bytes:
        """What is there, waiting for something if there is nothing; empty at the end."""
        assert self._response is not None
        try:
            piece = self._response.read1(PIECE_BYTES)
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
