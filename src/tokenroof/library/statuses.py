"""What a server's status means: worth another try, not there, or no."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tokenroof.errors import InputError, NotFound
from tokenroof.library.addresses import shown
from tokenroof.library.terms import Passing

if TYPE_CHECKING:
    import httpx2

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_FORBIDDEN = frozenset({401, 403})
_MISSING = frozenset({404, 410})


class Refused(InputError):
    """The server does not let us.

    Attributes:
        code: its own word for the reason, as the Hub gives one (`X-Error-Code`).
        said: its own sentence (`X-Error-Message`).
    """

    code = ""
    said = ""


class Absent(NotFound):
    """The server has nothing of that name.

    Attributes:
        code: its own word for what is missing, as the Hub gives one (`X-Error-Code`).
    """

    code = ""


def check_status(response: httpx2.Response, url: str) -> None:
    """Go on only with an answer that holds what was asked for, or says how long it is.

    Raises:
        Passing: it may be another one if it is asked for again.
        Absent: there is nothing of that name.
        Refused: it is there and not for us.
        InputError: something else.
    """
    status, name = response.status_code, shown(url)
    if status in _PASSING:
        pause = _retry_after(response.headers.get("retry-after"))
        raise Passing(f"HTTP {status}", pause, status=status)
    code = response.headers.get("x-error-code", "")
    if status in _FORBIDDEN:
        refused = Refused("library.remote_forbidden", name=name, status=status)
        refused.code, refused.said = code, response.headers.get("x-error-message", "")
        raise refused
    if status in _MISSING:
        absent = Absent("library.remote_not_found", name=name)
        absent.code = code
        raise absent
    if status >= 300 and status != 416:
        raise InputError("library.remote_status", name=name, status=status)


def _retry_after(text: str | None) -> float | None:
    """Seconds that a server asks to wait; a date is not worth a parser here."""
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
