"""Other people's requests at the server that we measure, where it tells of them.

A server that somebody else uses at the same time is no quiet machine, however idle the rest is.
While a run of ours is under way, one of the requests is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from tokenroof.measure.sensors.base import Reading


@runtime_checkable
class TellsRequests(Protocol):
    """An engine that tells how many requests its server works on; None where it cannot."""

    def other_requests(self) -> int | None:
        """All of them, while none is ours."""


class RequestsSensor:
    """Watches a server that others may use.

    Args:
        name: of the server.
        requests: how many it works on now.
    """

    def __init__(self, name: str, requests: Callable[[], int | None]) -> None:
        self.name = name
        self._requests = requests

    def read(self, *, ours_running: bool) -> Reading:
        """The requests of others now; None where the server does not tell."""
        requests = self._requests()
        if requests is not None and ours_running:
            requests = max(requests - 1, 0)
        return Reading(queued=requests)
