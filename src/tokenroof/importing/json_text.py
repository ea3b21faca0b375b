"""JSON objects in a text: one a line, over many lines, in arrays, and cut off in the middle.

An array is read object by object, since a run that was killed leaves it without its end. An object
that another one follows at the beginning of a line was cut; so was one that nothing follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tokenroof.importing.collector import Collector
from tokenroof.importing.text import MOST_CHARACTERS

_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]')
_BETWEEN = frozenset("[], \t")

Handler = Callable[[int, dict[str, Any]], None]


class Objects:
    """The objects of one paste, each given to `handle` with its line when it is whole."""

    def __init__(self, collector: Collector, handle: Handler) -> None:
        self._collector = collector
        self._handle = handle
        self._depth = 0
        self._from = 0
        self._parts: list[str] = []
        self._length = 0
        self._lists: list[int] = []

    @property
    def is_open(self) -> bool:
        """Whether an object has begun and not ended."""
        return self._depth > 0

    def take(self, line: int, text: str) -> bool:
        """Take a line that belongs to an object, or begins one."""
        if self._depth and text.startswith(("{", "[")):
            self._cut()
        if not self._depth:
            front = text.strip()
            if front.startswith("{") and front.endswith("}"):
                found = _object(front)
                if found is not None:
                    self._handle(line, found)
                    return True
            elif not front.startswith(("{", "[", "]", ",")) or not _BETWEEN.issuperset(
                front.partition("{")[0]
            ):
                return False
        self._scan(line, text)
        return True

    def close(self) -> None:
        """Nothing follows."""
        if self._depth:
            self._cut()
        elif self._lists:
            self._collector.refuse(self._lists[0], "importing.open_list")

    def _scan(self, line: int, text: str) -> None:
        start = 0
        for mark in _MARK.finditer(text):
            if mark[0] == "{":
                if not self._depth:
                    self._from, start = line, mark.start()
                self._depth += 1
            elif not self._depth:
                if mark[0] == "[":
                    self._lists = [line]
                elif mark[0] == "]":
                    self._lists = []
            elif mark[0] == "}":
                self._depth -= 1
                if not self._depth:
                    self._parts.append(text[start : mark.end()])
                    self._whole()
        if self._depth:
            self._parts.append(text[start:])
            self._length += len(text) - start
            if self._length > MOST_CHARACTERS:
                self._cut()

    def _whole(self) -> None:
        found = _object("\n".join(self._parts))
        self._parts, self._length = [], 0
        if found is None:
            self._collector.refuse(self._from, "importing.not_json")
        else:
            self._handle(self._from, found)

    def _cut(self) -> None:
        self._depth, self._parts, self._length = 0, [], 0
        self._collector.refuse(self._from, "importing.cut_object")


def _object(text: str) -> dict[str, Any] | None:
    """An object; figures that JSON does not know (NaN, Infinity) are null."""
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
