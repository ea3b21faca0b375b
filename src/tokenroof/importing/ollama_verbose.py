"""What `ollama run --verbose` prints after an answer.

A line is left out where its count is zero, and by some versions where the prompt was cached. The
lines always come in one order, so one that comes too early begins another run. `eval duration`
starts with the first token: it spans one step fewer than the tokens that `eval rate` divides by.
"""

from __future__ import annotations

import re

from tokenroof.importing.collector import Collector
from tokenroof.importing.durations import duration
from tokenroof.importing.figures import number, seconds_at, whole
from tokenroof.records import Flag, Output, Prompt, RunEngine, RunModel

NAME = "ollama"

_ORDER = (
    "total duration",
    "load duration",
    "prompt eval count",
    "prompt eval cached count",
    "prompt eval duration",
    "prompt eval rate",
    "eval count",
    "eval duration",
    "eval rate",
)
_LINE = re.compile(
    r"\s{0,40}(?P<name>(?:total|load) duration|(?:prompt )?eval (?:duration|rate|count)"
    r"|prompt (?:eval )?cached(?: count)?|(?:prompt eval )?cached (?:count|tokens)):"
    r"\s{1,40}(?P<value>\S{1,60})(?:\s.{0,60})?"
)
_CALLED = re.compile(r".{0,200}?\bollama\s+run\s+(?:--?\w\S*\s+){0,8}(?P<model>[\w./:-]{1,200})")


class Blocks:
    """The blocks of one paste."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._model: str | None = None
        self._from = 0
        self._said: dict[str, str] = {}

    def take(self, line: int, text: str) -> bool:
        """Take a line of a block, or the command that named the model."""
        match = _LINE.fullmatch(text)
        if match is None:
            if "ollama" in text and (called := _CALLED.match(text)):
                self.close()
                self._model = called["model"]
                return True
            return False
        name = "prompt eval cached count" if "cached" in match["name"] else match["name"]
        if self._said and _ORDER.index(name) <= max(map(_ORDER.index, self._said)):
            self.close()
        if not self._said:
            self._collector.end_of_text()
            self._from = line
        self._said[name] = match["value"]
        return True

    def close(self) -> None:
        """The block is complete."""
        if not self._said:
            return
        said, self._said = self._said, {}
        tokens = whole(said.get("prompt eval count"), 1)
        cached = whole(said.get("prompt eval cached count"))
        output = whole(said.get("eval count"), 1)
        steps = None if output is None else output - 1
        flags: list[Flag] = [] if tokens is not None else ["prefill_may_be_cached"]
        self._collector.add(
            self._from,
            source=NAME,
            model=RunModel(name=self._model),
            engine=RunEngine(name=NAME),
            prompt=Prompt(
                tokens=tokens,
                cached=cached,
                seconds=_time(said.get("prompt eval duration"))
                or seconds_at((tokens or 0) - (cached or 0), _rate(said.get("prompt eval rate"))),
            ),
            output=Output(
                tokens=output,
                steps=steps,
                seconds=_time(said.get("eval duration"))
                or seconds_at(output, _rate(said.get("eval rate"))),
            ),
            load_seconds=_time(said.get("load duration")),
            wall_seconds=_time(said.get("total duration")),
            flags=tuple(flags),
            raw={"ollama_verbose": said},
        )


def _time(text: str | None) -> float | None:
    return (duration(text) or None) if text is not None else None


def _rate(text: str | None) -> float | None:
    return None if text is None else number(text)
