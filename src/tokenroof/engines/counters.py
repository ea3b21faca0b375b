"""Counters that a server reports, taken for true only as far as they can be.

Servers leave counters out, and some have said nonsense: zero durations, negative counts, NaN. What
cannot be true is None here, and told in `unusable`; it is never 0, and never a reason to lose the
rest of a run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard

from tokenroof.safetext import printable

MOST_TOKENS = 10**9
_MOST_SECONDS = 10**7
_SHOWN_CHARACTERS = 300


class Counters:
    """The counters of one answer.

    Args:
        said: the document, or the part of it, that holds them.

    Attributes:
        unusable: those that were wanted and could not be used, with what was said instead.
    """

    def __init__(self, said: object) -> None:
        self._said: Mapping[str, Any] = said if isinstance(said, dict) else {}
        self.unusable: dict[str, Any] = {}

    def has(self, name: str) -> bool:
        """Whether a counter is there and not null."""
        return self._said.get(name) is not None

    def count(self, name: str, least: int = 0) -> int | None:
        """A whole number of tokens."""
        value = self._said.get(name)
        # NaN compares with nothing, so it fails here as well.
        if _is_number(value) and least <= value <= MOST_TOKENS and value == int(value):
            return int(value)
        self.unused(name)
        return None

    def seconds(self, name: str, per_second: int) -> float | None:
        """A span that is longer than nothing, in seconds.

        Args:
            name: of the counter.
            per_second: how many of its units a second has.
        """
        value = self._said.get(name)
        seconds = _quotient(value, per_second) if _is_number(value) else None
        if seconds is not None and 0 < seconds < _MOST_SECONDS:
            return seconds
        self.unused(name)
        return None

    def unused(self, name: str) -> None:
        """Put down that a counter could not be used."""
        self.unusable[name] = plain(self._said.get(name))


def plain(value: object) -> Any:
    """A value as a record may keep it: nothing that JSON cannot hold, nothing without end."""
    if isinstance(value, dict):
        return {printable(str(name), 80): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return printable(str(value), _SHOWN_CHARACTERS)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _quotient(value: float, per_second: int) -> float | None:
    try:
        return value / per_second
    except OverflowError:
        return None
