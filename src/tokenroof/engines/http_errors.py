"""What can go wrong between us and a server, and which of our errors it is: the one place.

    nothing answers, or no HTTP is spoken there      EngineMissing
    the server says no (4xx, 501, 503)               EngineRefused
    it failed (other 5xx), broke off, fell silent,
    or put an error into an answer that had begun    EngineDied
    it says what is no answer                        EngineError

The distinction matters to a campaign: an engine that said no is still there and goes on, any other
is loaded again. Errors whose `values` have a ``status`` come from an answer with that HTTP status.
"""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

import msgspec

from tokenroof import units
from tokenroof.errors import EngineDied, EngineError, EngineMissing, EngineRefused
from tokenroof.library.addresses import shown
from tokenroof.safetext import printable

_SHOWN_CHARACTERS = 300

Limit = Literal["first_token", "between_tokens", "total", "answer"]

_SILENT = {
    "first_token": "http.no_first_token",
    "between_tokens": "http.no_next_token",
    "total": "http.too_long",
    "answer": "http.no_answer_in_time",
}

_PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is, and what a person has to know if it is not.

    Attributes:
        engine: name of the engine that asks.
        url: scheme, host and port, and the path that all requests begin with.
        source: where the address comes from: a variable, an option, "default".
        start: the command that starts such a server.
    """

    engine: str
    url: str
    source: str
    start: str

    @property
    def shown(self) -> str:
        """The URL as a message may show it."""
        return shown(self.url)

    @property
    def key_variable(self) -> str:
        """The variable that holds the key to it."""
        return f"TOKENROOF_{self.engine}_API_KEY".upper().replace("-", "_")


def unreachable(endpoint: Endpoint, error: Exception) -> EngineMissing:
    """Nothing could be connected to."""
    if isinstance(error, ssl.SSLError):
        return EngineMissing(
            "http.tls",
            engine=endpoint.engine,
            url=endpoint.shown,
            source=endpoint.source,
            why=_reason(error),
        )
    return EngineMissing(
        "http.unreachable",
        engine=endpoint.engine,
        url=endpoint.shown,
        source=endpoint.source,
        why=_reason(error),
        start=endpoint.start,
    )


def broken(endpoint: Endpoint, error: Exception, received_bytes: int) -> EngineError:
    """The connection was there and then failed."""
    if isinstance(error, http.client.HTTPException) and not isinstance(
        error, http.client.IncompleteRead | http.client.RemoteDisconnected
    ):
        return EngineMissing(
            "http.not_http",
            engine=endpoint.engine,
            url=endpoint.shown,
            source=endpoint.source,
            why=_reason(error),
        )
    return cut(endpoint, received_bytes, _reason(error))


def cut(endpoint: Endpoint, received_bytes: int, why: str = "-") -> EngineDied:
    """The answer ended before it was complete."""
    return EngineDied(
        "http.cut",
        engine=endpoint.engine,
        url=endpoint.shown,
        received=units.count(received_bytes),
        why=printable(why, _SHOWN_CHARACTERS),
    )


def silent(endpoint: Endpoint, limit: Limit, seconds: float, received_bytes: int) -> EngineDied:
    """A time limit was reached; which one, is said."""
    return EngineDied(
        _SILENT[limit],
        engine=endpoint.engine,
        url=endpoint.shown,
        duration=units.duration(seconds),
        received=units.count(received_bytes),
    )


def too_large(endpoint: Endpoint, limit_bytes: int) -> EngineError:
    """An answer, or one line of it, has no end."""
    return EngineError(
        "http.too_large",
        engine=endpoint.engine,
        url=endpoint.shown,
        limit=units.binary_size(limit_bytes),
    )


def nonsense(endpoint: Endpoint, body: bytes) -> EngineError:
    """What was answered is no answer: a web page, half a document, something else altogether."""
    if body.lstrip()[:12].lower().startswith(_PAGES):
        return EngineError(
            "http.web_page", engine=endpoint.engine, url=endpoint.shown, body=_shown(body)
        )
    return EngineError(
        "http.nonsense", engine=endpoint.engine, url=endpoint.shown, body=_shown(body) or "-"
    )


def error_frame(endpoint: Endpoint, said: object) -> EngineDied:
    """An answer that began well holds an error."""
    return EngineDied(
        "http.error_frame",
        engine=endpoint.engine,
        url=endpoint.shown,
        why=printable(said_error(said) or str(said), _SHOWN_CHARACTERS),
    )


def status(endpoint: Endpoint, code: int, body: bytes, location: str | None) -> EngineError:
    """An answer whose status is not 200."""
    why = _why(body) or _phrase(code)
    if 300 <= code < 400:
        # Never followed: a secret belongs to the address that it was given for.
        return EngineRefused(
            "http.redirected",
            engine=endpoint.engine,
            url=endpoint.shown,
            target=shown(location or "?"),
            source=endpoint.source,
            status=code,
        )
    if code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return EngineRefused(
            "http.unauthorized",
            engine=endpoint.engine,
            url=endpoint.shown,
            why=why,
            variable=endpoint.key_variable,
            status=code,
        )
    if code < 500 or code in {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.SERVICE_UNAVAILABLE}:
        return EngineRefused(
            "http.refused", engine=endpoint.engine, url=endpoint.shown, why=why, status=code
        )
    return EngineDied(
        "http.failed", engine=endpoint.engine, url=endpoint.shown, why=why, status=code
    )


def said_error(document: object) -> str | None:
    """What an answer says went wrong; None if it says nothing of the kind.

    Ollama writes ``{"error": "..."}``, the others ``{"error": {"message": "...", ...}}``.
    """
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or str(error)
    return str(error) if error else None


def _why(body: bytes) -> str | None:
    """The reason in the body of an answer that is an error, fit to be shown."""
    try:
        said = said_error(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        said = None
    if said is None and not body.lstrip().lower().startswith(_PAGES):
        said = body.decode("utf-8", "replace").strip()
    return printable(said, _SHOWN_CHARACTERS) if said else None


def _phrase(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _reason(error: Exception) -> str:
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return printable(str(said), _SHOWN_CHARACTERS)


def _shown(body: bytes) -> str:
    return printable(body[:_SHOWN_CHARACTERS].decode("utf-8", "replace").strip())
