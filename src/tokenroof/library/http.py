"""Requests for one remote model, within one budget of time and bytes.

- http and https only; https never turns into http
- redirects are followed by hand: none may lead to an address inside a network (loopback,
  private, link-local), unless that host is the one that the person named
- a token goes to the origin that it belongs to, over https, and nowhere else
- what fails in passing (a broken connection, 429, 5xx) is tried again a few times, after
  pauses that grow; what will not change (404, 401) is an error at once
- nothing is read beyond what is asked for: the answer is closed where we stop
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from tokenroof import __version__
from tokenroof.clock import Clock, SystemClock
from tokenroof.errors import GGUFError, InputError, UsageError
from tokenroof.library.addresses import addresses, is_inward, is_proxied, shown
from tokenroof.library.statuses import check_status
from tokenroof.library.terms import Limits, Passing, Token
from tokenroof.safetext import printable
from tokenroof.units import size

if TYPE_CHECKING:
    import httpx2

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPING = frozenset({307, 308})
"""Redirects that keep the method; a question that is sent along is not made another one."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_LONGEST_PAUSE_SECONDS = 8.0


class Answer:
    """What a server answered, its body still on the way."""

    def __init__(self, web: Web, response: httpx2.Response, url: str) -> None:
        self._web = web
        self._response = response
        self.url = url
        self.status = response.status_code
        self.headers = response.headers

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes, undecoded.

        Raises:
            Passing: the connection broke.
            InputError: the budget is used up.
        """
        import httpx2

        try:
            for piece in self._response.iter_raw():
                self._web.count(len(piece))
                yield piece
        except httpx2.TransportError as error:
            raise Passing(_reason(error)) from error

    def whole(self, most_bytes: int) -> bytes:
        """The body, if it is not longer than that.

        Raises:
            Passing: the connection broke.
            InputError: it is longer, or the budget is used up.
        """
        body = bytearray()
        for piece in self.pieces():
            body += piece
            if len(body) > most_bytes:
                raise InputError(
                    "library.remote_too_long", name=shown(self.url), limit=size(most_bytes)
                )
        return bytes(body)


class Web:
    """A client that counts, one for each model, open in a ``with`` block.

    Each block has its own time; bytes count over all of them.
    """

    def __init__(
        self,
        named: str,
        *,
        token: Token | None = None,
        limits: Limits | None = None,
        clock: Clock | None = None,
        at_commit: Callable[[str, str], str] | None = None,
    ) -> None:
        """Prepare requests.

        Args:
            named: the URL that the person named; its host may be inside a network.
            token: sent to its own origin.
            limits: time and bytes.
            clock: what the limits and pauses are measured with.
            at_commit: where a URL's file lies at a commit. With it, all that is asked for once
                the server has said which commit it serves is asked for at that one.
        """
        self.limits = limits or Limits()
        self._clock = clock or SystemClock()
        self._end = 0.0
        self._named = named
        self._token = token
        self._at_commit = at_commit
        self._client: httpx2.Client | None = None
        self.fetched_bytes = 0
        self.requests = 0
        self.commit: str | None = None
        """The state of its repository that the named host served (`X-Repo-Commit`), if it says."""

    def __enter__(self) -> Web:
        import httpx2

        self._end = self._clock.monotonic() + self.limits.seconds
        agent = f"tokenroof/{__version__}"
        self._client = httpx2.Client(follow_redirects=False, headers={"User-Agent": agent})
        return self

    def __exit__(self, *_: object) -> None:
        assert self._client is not None
        self._client.close()
        self._client = None

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._client is not None

    def count(self, received: int) -> None:
        """Count bytes that came.

        Raises:
            InputError: they are too many, or time is up.
        """
        self.fetched_bytes += received
        if self.fetched_bytes > self.limits.bytes:
            limit = size(self.limits.bytes)
            raise InputError("library.remote_limit", name=shown(self._named), limit=limit)
        self.left_seconds()

    def left_seconds(self) -> float:
        """Time that is left.

        Raises:
            InputError: none is.
        """
        left = self._end - self._clock.monotonic()
        if left <= 0:
            seconds = f"{self.limits.seconds:g}"
            raise InputError("library.remote_deadline", name=shown(self._named), seconds=seconds)
        return left

    def wait(self, attempt: int, failure: Passing) -> None:
        """Pause before the next attempt, or give up.

        Args:
            attempt: how many there were, from 1.
            failure: what went wrong in the last one.

        Raises:
            InputError: there were enough, or the pause would end after the deadline.
        """
        pause = min(0.5 * 2 ** (attempt - 1), _LONGEST_PAUSE_SECONDS)
        if failure.pause_seconds is not None:
            pause = max(pause, failure.pause_seconds)
        if attempt >= self.limits.attempts or pause >= self.left_seconds():
            raise InputError(
                "library.remote_failed",
                name=shown(self._named),
                reason=printable(failure.reason, 200),
                attempts=attempt,
            ) from failure
        self._clock.sleep(pause)

    @contextmanager
    def ask(
        self, url: str, headers: Mapping[str, str], *, method: str = "GET", json: object = None
    ) -> Iterator[Answer]:
        """Send one request and follow where it leads.

        Raises:
            Passing: it may work if it is sent again.
            Absent: the server has nothing of that name.
            InputError: it says no, leads where we do not go, or serves another commit by now.
        """
        if self._at_commit is not None and self.commit is not None:
            url = self._at_commit(url, self.commit)
        for _ in range(self.limits.redirects + 1):
            response = self._send(method, url, headers, json)
            try:
                self._check_commit(response, url)
                target = response.headers.get("location", "")
                followed = _REDIRECTS if method == "GET" else _KEEPING
                if not target or response.status_code not in followed:
                    check_status(response, url)
                    yield Answer(self, response, url)
                    return
                url = self._next(url, target)
            finally:
                response.close()
        limit = self.limits.redirects
        raise InputError("library.remote_redirects", name=shown(self._named), limit=limit)

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], json: object
    ) -> httpx2.Response:
        import httpx2

        assert self._client is not None
        timeout = httpx2.Timeout(min(self.limits.idle_seconds, self.left_seconds()))
        secret = self._token.headers(url) if self._token else {}
        try:
            request = self._client.build_request(
                method, url, headers={**headers, **secret}, json=json, timeout=timeout
            )
            self.requests += 1
            response = self._client.send(request, stream=True)
        except httpx2.TransportError as error:
            raise Passing(_reason(error)) from error
        except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
            raise UsageError("library.bad_url", name=shown(url)) from error
        try:
            self._check_peer(url, response)
        except BaseException:
            response.close()
            raise
        return response

    def _check_commit(self, response: httpx2.Response, url: str) -> None:
        """All answers of the named host must be of one commit: a push may come between two."""
        said = response.headers.get("x-repo-commit", "").lower()
        if not self._is_named(urlsplit(url).hostname or "") or _COMMIT.fullmatch(said) is None:
            return
        if self.commit is not None and said != self.commit:
            raise GGUFError("gguf.changed", path=shown(self._named))
        self.commit = said

    def _next(self, url: str, target: str) -> str:
        """Where a redirect leads, if we go there."""
        try:
            target = urljoin(url, target)
            parts = urlsplit(target)
            host, port = parts.hostname, parts.port or 0
        except ValueError:
            host, port, parts = None, 0, urlsplit("")
        downgrade = urlsplit(url).scheme == "https" and parts.scheme != "https"
        if parts.scheme not in ("http", "https") or not host or downgrade:
            raise InputError("library.remote_scheme", name=shown(self._named), target=shown(target))
        if not self._is_named(host) and not is_proxied(target):
            try:
                found = addresses(host, port)
            except (OSError, UnicodeError) as error:
                raise Passing(_reason(error)) from error
            for address in found:
                self._check_outward(address, target)
        # A user and a password in it would be someone's own, not this person's.
        bare = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, bare, parts.path, parts.query, ""))

    def _check_peer(self, url: str, response: httpx2.Response) -> None:
        """Look at who really answered: a name may mean another address a moment later."""
        host = urlsplit(url).hostname or ""
        stream = response.extensions.get("network_stream")
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        if peer and not self._is_named(host) and not is_proxied(url):
            self._check_outward(str(peer[0]), url)

    def _check_outward(self, address: str, url: str) -> None:
        if is_inward(address):
            raise InputError("library.remote_inward", name=shown(self._named), target=shown(url))

    def _is_named(self, host: str) -> bool:
        named = urlsplit(self._named).hostname or ""
        return host.lower().rstrip(".") == named.lower().rstrip(".")


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
