"""Counts of tokens and spans of time as people type them.

A count is one, several, or a sweep in llama-bench's syntax:

    512             one
    4k              4,096: contexts are counted in 1,024s
    0,512,4k        several
    512-2048+512    512, 1024, 1536, 2048
    4k-32k*2        4096, 8192, 16384, 32768
    1-4             1, 2, 3, 4

A sweep ends with the last value that is not above its second number, as in llama-bench. A span is
in seconds, or says its unit: `90`, `90s`, `10m`, `1h`.
"""

from __future__ import annotations

import re

from tokenroof.errors import UsageError
from tokenroof.safetext import printable

MOST_VALUES = 1000
"""More are a slip of the fingers: each of them would be measured several times."""

_COUNT = r"(\d+)([kKmM]?)"
MOST_TOKENS = 2**53
"""What JSON's readers keep to the last digit; nothing that is counted here comes near."""

_ONE = re.compile(_COUNT, re.ASCII)
_SWEEP = re.compile(rf"{_COUNT}(?:-{_COUNT}(?:([+*]){_COUNT})?)?", re.ASCII)
_SPAN = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*(s|m|min|h)?", re.ASCII)
_SECONDS = {None: 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_FACTOR = {"": 1, "k": 1024, "m": 1024**2}


def seconds(text: str) -> float | None:
    """A span of time; None where the text is none."""
    match = _SPAN.fullmatch(text.strip().lower())
    return float(match[1]) * _SECONDS[match[2]] if match else None


def count(text: str) -> int | None:
    """One count; None where the text is none.

    Raises:
        UsageError: the count is larger than anything that could be meant.
    """
    match = _ONE.fullmatch(text.strip())
    return _value(match[1], match[2]) if match else None


def sweep(text: str, least: int = 0) -> tuple[int, ...]:
    """All counts of a list of counts and sweeps, in their order, each once.

    Args:
        text: as typed.
        least: the smallest count that means something.

    Raises:
        UsageError: a part is neither, is too small or too large, goes nowhere, or has no end.
    """
    found: dict[int, None] = {}
    for part in text.split(","):
        for value in _part(part.strip(), least):
            found[value] = None
        if len(found) > MOST_VALUES:
            raise UsageError("sweeps.too_many", value=printable(text, 80), most=MOST_VALUES)
    return tuple(found)


def _part(part: str, least: int) -> list[int]:
    match = _SWEEP.fullmatch(part)
    if match is None:
        raise UsageError("sweeps.not_one", value=printable(part, 80), least=least)
    value = _value(match[1], match[2])
    last = value if match[3] is None else _value(match[3], match[4])
    by = 1 if match[6] is None else _value(match[6], match[7])
    if value < least:
        raise UsageError("sweeps.not_one", value=printable(part, 80), least=least)
    values: list[int] = []
    while value <= last and len(values) <= MOST_VALUES:
        values.append(value)
        following = value * by if match[5] == "*" else value + by
        if following <= value < last:
            raise UsageError("sweeps.goes_nowhere", value=printable(part, 80))
        value = max(following, value + 1)
    if not values:
        raise UsageError("sweeps.goes_nowhere", value=printable(part, 80))
    return values


def _value(digits: str, letter: str) -> int:
    # Python refuses to read thousands of digits, and a number beyond the bound is refused anyway.
    value = int(digits[:40]) * _FACTOR[letter.lower()]
    if value > MOST_TOKENS:
        raise UsageError("sweeps.too_large", value=printable(digits + letter, 80))
    return value
