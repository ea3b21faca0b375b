"""Durations as Go prints them: ``1h2m3.5s``, ``2m27.98s``, ``559.6ms``, ``891.933µs``, ``0s``."""

from __future__ import annotations

import re

from tokenroof.importing.figures import number

_SECONDS = {
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,  # the micro sign, U+00B5
    "μs": 1e-6,  # the letter mu, U+03BC
    "ns": 1e-9,
}
_PART = re.compile(r"(\d{1,20}(?:[.,]\d{1,20})?)(ms|us|µs|μs|ns|h|m|s)", re.ASCII)
_WHOLE = re.compile(rf"(?:{_PART.pattern}){{1,7}}", re.ASCII)


def duration(text: str) -> float | None:
    """Seconds; None where it is no duration, or a negative one. ``0s`` is 0.0."""
    text = text.strip()
    if not _WHOLE.fullmatch(text):
        return None
    parts = ((number(amount), _SECONDS[unit]) for amount, unit in _PART.findall(text))
    return sum(amount * unit for amount, unit in parts if amount is not None)
