"""Counters that a server reports, taken for true only as far as they can be.

Servers leave counters out, and some have said nonsense: zero durations, negative counts, NaN. What
cannot be true is None here, and told in `unusable`; it is never 0, and never a reason to lose the
rest of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenroof.importing.figures import scalar, span, whole
from tokenroof.safetext import printable


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
        found = whole(self._number(name), least)
        if found is None:
            self.unused(name)
        return found

    def seconds(self, name: str, per_second: int) -> float | None:
        """A span that is longer than nothing, in seconds.

        Args:
            name: of the counter.
            per_second: how many of its units a second has.
        """
        found = span(self._number(name), per_second)
        if found is None:
            self.unused(name)
        return found

    def unused(self, name: str) -> None:
        """Put down that a counter could not be used."""
        self.unusable[name] = plain(self._said.get(name))

    def _number(self, name: str) -> object:
        """What was said, but for text: a server that quotes its numbers is not understood."""
        value = self._said.get(name)
        return None if isinstance(value, str) else value


def plain(value: object) -> Any:
    """A value as a record may keep it: nothing that JSON cannot hold, nothing without end."""
    if isinstance(value, dict):
        return {printable(str(name), 80): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return scalar(value)
