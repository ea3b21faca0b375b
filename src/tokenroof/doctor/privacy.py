"""What may not leave in a page that people paste into issues: names of persons and machines."""

from __future__ import annotations

import getpass
import platform
import re
from pathlib import Path
from typing import Any

from tokenroof.doctor.records import Private
from tokenroof.notices import Notice

_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]*://)([^\s/'\"]+)", re.IGNORECASE)
_ANYBODYS = re.compile(
    r"(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|github\.com|HOST)(?::\d+)?", re.IGNORECASE
)
"""Addresses that tell of nobody: this machine by what all call it, and what our sentences name."""
_SOMEONES_FOLDER = re.compile(r"((?:/home|/Users|[A-Za-z]:\\Users)[/\\])[^/\\\s'\":]+")


def shareable(text: str) -> str:
    """A text with the person's folder as `~`, other persons' and machines' without their names."""
    text = _ADDRESS.sub(lambda found: found[1] + _nobodys(found[2]), text)
    home = str(Path.home())
    if len(home) > 1:
        text = text.replace(home, "~")
    return _SOMEONES_FOLDER.sub(r"\1…", text)


def _nobodys(place: str) -> str:
    """Host and port of an address; a name and password before them are always left out."""
    place = place.rpartition("@")[2]
    if _ANYBODYS.fullmatch(place):
        return place
    port = re.search(r":\d+$", place)
    return "…" + (port[0] if port else "")


def shareable_notice(notice: Notice) -> Notice:
    """A notice whose values are shareable."""
    values: dict[str, Any] = {
        name: shareable(value) if isinstance(value, str) else value
        for name, value in notice.values.items()
    }
    return Notice(notice.message, values, notice.where)


def private_facts() -> Private:
    """What is left out otherwise."""
    try:
        user: str | None = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = None
    return Private(host=platform.node() or None, user=user, home=str(Path.home()))
