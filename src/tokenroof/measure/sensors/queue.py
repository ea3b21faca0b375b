"""The queue of another program on the same accelerator: ComfyUI's `GET /queue`.

It answers with the jobs that run and those that wait::

    {"queue_running": [...], "queue_pending": [...]}

Only the address that the person gave is asked, over plain HTTP, without following redirects, and
within a few seconds whatever the server does.
"""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from tokenroof.clock import Clock, SystemClock
from tokenroof.errors import EngineError, UsageError
from tokenroof.measure.sensors.base import Reading
from tokenroof.notices import Notice

TIMEOUT_SECONDS = 2.0
"""For connecting, and for each piece of the answer."""

DEADLINE_SECONDS = 4.0
"""For the whole answer: a server that sends a byte a second must not hold us up."""

LARGEST_ANSWER_BYTES = 32 * 2**20
"""Every waiting job is listed with its whole workflow, so answers can be large."""

PIECE_BYTES = 2**16

UNREACHABLE = (OSError, http.client.HTTPException, UnicodeError)
"""The last one is what a host name that cannot be one ends in."""


class QueueSensor:
    """Watches one queue.

    Args:
        url: the server, as `http://127.0.0.1:8188`, or the address of its queue itself.

    Raises:
        UsageError: `url` is not an http address.
    """

    def __init__(self, url: str, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self.name = url
        self._host, self._port, self._path = _address(url)

    def check(self) -> int:
        """The number of jobs now, or a sentence that says why it cannot be had.

        Raises:
            EngineError: nothing answers there, or something that is not such a queue.
        """
        try:
            return self._queued()
        except UNREACHABLE as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise EngineError("quiet.queue_unreachable", url=self.name, reason=reason) from error
        except _NotAQueue as error:
            raise EngineError("quiet.queue_not_one", url=self.name) from error

    def read(self, *, ours_running: bool) -> Reading:
        """The number of jobs now; None with a notice once the server does not answer as before."""
        del ours_running
        try:
            return Reading(queued=self._queued())
        except (*UNREACHABLE, _NotAQueue):
            return Reading(notices=(Notice("quiet.queue_lost", {"url": self.name}),))

    def _queued(self) -> int:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("GET", self._path, headers={"Accept": "application/json"})
            response = connection.getresponse()
            if response.status != http.client.OK:
                raise _NotAQueue
            return _jobs(self._body(response))
        finally:
            connection.close()

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        deadline = self._clock.monotonic() + DEADLINE_SECONDS
        body = bytearray()
        while piece := response.read1(PIECE_BYTES):
            body += piece
            if len(body) > LARGEST_ANSWER_BYTES:
                raise _NotAQueue
            if self._clock.monotonic() > deadline:
                raise TimeoutError
        return bytes(body)


class _NotAQueue(Exception):
    """Something answered, but not as this queue does."""


def _jobs(body: bytes) -> int:
    try:
        answer: Any = json.loads(body)
        running, pending = answer["queue_running"], answer["queue_pending"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _NotAQueue from error
    if not (isinstance(running, list) and isinstance(pending, list)):
        raise _NotAQueue
    return len(running) + len(pending)


def _address(url: str) -> tuple[str, int, str]:
    """Host, port and path of the queue."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError("quiet.queue_url", url=url) from error
    plain = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme != "http" or not host or not plain or parts.username is not None:
        raise UsageError("quiet.queue_url", url=url)
    path = parts.path.rstrip("/")
    return host, port or http.client.HTTP_PORT, path if path.endswith("/queue") else path + "/queue"
