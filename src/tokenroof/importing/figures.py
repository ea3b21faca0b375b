"""Figures as people and programs write them, taken for true only as far as they can be.

Tools have printed zero durations, negative rates, NaN and infinity, with commas for points and
commas between thousands. What cannot be a figure is None, never 0.
"""

from __future__ import annotations

import math
import re
from typing import Any

from tokenroof.safetext import printable

MOST_TOKENS = 10**9
_MOST_SECONDS = 10**7
_SHOWN_CHARACTERS = 300

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_PLAIN = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,4})?", re.ASCII)


def number(text: str) -> float | None:
    """A figure with a point or a comma for its fraction, with or without thousands apart."""
    text = text.strip().strip("*`_ ")
    if "," in text:
        decimal_comma = text.rfind(",") > text.rfind(".")
        if decimal_comma and not _THOUSANDS.fullmatch(text):
            text = text.replace(".", "").replace(",", ".")
        else:
            text = text.replace(",", "")
    if not _PLAIN.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def finite(value: object) -> float | None:
    """A number of a document; text in it is read as a number too, as CSV has nothing else."""
    if isinstance(value, str):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def whole(value: object, least: int = 0) -> int | None:
    """A count of tokens, layers or threads."""
    found = finite(value)
    if found is None or found != int(found) or not least <= found <= MOST_TOKENS:
        return None
    return int(found)


def span(value: object, per_second: float = 1) -> float | None:
    """A span that is longer than nothing, in seconds; `value` has `per_second` units a second."""
    found = finite(value)
    if found is None:
        return None
    seconds = found / per_second
    return seconds if 0 < seconds < _MOST_SECONDS else None


def seconds_at(steps: int | None, rate: object) -> float | None:
    """How long so many steps took at a printed rate; None where the rate cannot be one."""
    found = finite(rate)
    return None if not steps or found is None or found <= 0 else span(steps / found)


def scalar(value: object) -> Any:
    """A single value as a record may keep it; None for what is not single."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int | float | str):
        return printable(str(value)[: 2 * _SHOWN_CHARACTERS], _SHOWN_CHARACTERS)
    return None


def scalars(values: object, most: int = 100) -> dict[str, Any]:
    """The single values of a document, by name."""
    if not isinstance(values, dict):
        return {}
    pairs = list(values.items())[:most]
    return {
        printable(str(name), 80): kept
        for name, value in pairs
        if (kept := scalar(value)) is not None
    }
