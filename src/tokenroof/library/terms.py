"""What a remote model may cost, who may hear a secret, and what is worth another try."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tokenroof.library.addresses import origin


@dataclass(frozen=True)
class Limits:
    """What reading one model may cost.

    Attributes:
        seconds: in all, pauses and all parts of a split set included.
        idle_seconds: without a byte.
        bytes: in all. The largest headers known have 30 MB.
        attempts: for one request.
        redirects: for one request.
    """

    seconds: float = 60.0
    idle_seconds: float = 10.0
    bytes: int = 96 * 2**20
    attempts: int = 4
    redirects: int = 5


@dataclass(frozen=True)
class Token:
    """A secret, the one origin that may hear it, and where it was found."""

    origin: str
    secret: str = field(repr=False)
    where: str = ""

    def headers(self, url: str) -> dict[str, str]:
        """What to send along to a URL: nothing, unless it is the token's own, over https."""
        if urlsplit(url).scheme == "https" and origin(url) == self.origin:
            return {"Authorization": f"Bearer {self.secret}"}
        return {}


class Passing(Exception):
    """Something went wrong that may not go wrong again."""

    def __init__(
        self, reason: str, pause_seconds: float | None = None, *, status: int | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause_seconds = pause_seconds
        self.status = status
