"""Timing blocks in the logs of llama.cpp, llama-server and whatever is built on them.

    prompt eval time =     988,24 ms /     9 tokens (  109,80 ms per token, ...)
           eval time =    2226,40 ms /   127 runs   (   17,53 ms per token, ...)

A program says "runs": decode steps after the first token, which came out of the prompt. The server
says "tokens", the first one included, over the time of the others. Its prompt line counts what was
read; what came from a cache follows from the tokens that the slot holds at the end, which are the
prompt and the answer but its last token. 0.00 ms for many tokens means that no times were taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import number, span
from tokenroof.importing.loader_lines import Loader
from tokenroof.records import Flag, Output, Prompt, RunEngine

_FIGURE = r"[-+]?[\d.,]{1,30}|-?inf|-?nan"
_TIME = re.compile(
    r"(?:^|[\s:|])(?P<name>prompt eval|eval|total|load|sampling|sample) time\s{0,20}=\s{0,40}"
    rf"(?P<ms>{_FIGURE}) ms(?:\s{{0,9}}/\s{{0,20}}(?P<count>\d{{1,12}}) (?P<unit>runs?|tokens?))?",
    re.ASCII,
)
_TASK = re.compile(r"\btask (?P<task>\d{1,12}) ", re.ASCII)
_HELD = re.compile(
    r"stop processing: n_(?:tokens|past) = (?P<held>\d{1,12}), truncated = (?P<cut>\d)"
)
_DRAFTED = re.compile(r"draft acceptance[^=]{0,20}=.{0,40}\(\s{0,20}(?P<good>\d{1,12}) accepted")

_MOST_OPEN = 256
"""Tasks that a server works on at once; no server has so many slots."""


@dataclass
class _Block:
    line: int
    program: str
    times: dict[str, tuple[float | None, int | None]] = field(default_factory=dict)
    counts_steps: bool = False
    held: int | None = None
    is_cut: bool = False
    accepted: int | None = None
    printed_nothing: bool = False


class Blocks:
    """The blocks of one log, by task: a server works on several at once."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._loader = Loader()
        self._open: dict[str, _Block] = {}
        self._headed = ""
        self._from = 0
        self._made = 0

    def take(self, line: int, text: str) -> bool:
        """Take a line of a block, or of the loading before it."""
        text = text[:1000]
        if " time" in text and (match := _TIME.search(text)):
            self._time(line, text, match)
            return True
        if "stop processing" in text and (match := _HELD.search(text)):
            self._release(text, int(match["held"]), match["cut"] != "0")
            return True
        if "draft acceptance" in text and (match := _DRAFTED.search(text)):
            block = self._open.get(_task(text))
            if block is not None:
                block.accepted = int(match["good"])
            return True
        if "print_timing" in text:
            self._headed = _task(text)  # older servers print the block's lines below this one
            return True
        if self._loader.take(text):
            self._from = line
            return True
        return False

    def close(self) -> None:
        """The log ends; one that only loaded a model says where it lies."""
        for task in list(self._open):
            self._finish(task)
        if self._loader.has_model and not self._made:
            self._add(_Block(self._from, "llama.cpp"))

    def _time(self, line: int, text: str, match: re.Match[str]) -> None:
        task, name = _task(text) or self._headed, match["name"]
        block = self._open.get(task)
        if block is not None and (name in block.times or (name == "load" and block.times)):
            self._finish(task)
            block = None
        if block is None:
            if len(self._open) >= _MOST_OPEN:
                self._finish(next(iter(self._open)))
            block = self._open[task] = _Block(line, "llama-server" if task else "llama.cpp")
            self._collector.end_of_text()
        milliseconds = number(match["ms"])
        count = None if match["count"] is None else int(match["count"])
        block.times[name] = (milliseconds, count)
        if name == "eval" and count is not None:
            block.counts_steps = match["unit"].startswith("run")
            block.program = "llama.cpp" if block.counts_steps else "llama-server"
        if name in {"eval", "prompt eval"} and milliseconds == 0 and (count or 0) > 1:
            block.printed_nothing = True

    def _release(self, text: str, held: int, is_cut: bool) -> None:
        block = self._open.get(_task(text))
        if block is not None:
            block.held, block.is_cut = held, is_cut
            self._finish(_task(text))

    def _finish(self, task: str) -> None:
        block = self._open.pop(task)
        if block.times.keys() & {"eval", "prompt eval"}:
            self._add(block)

    def _add(self, block: _Block) -> None:
        self._made += 1
        read_ms, read = block.times.get("prompt eval", (None, None))
        eval_ms, counted = block.times.get("eval", (None, None))
        tokens, steps = _answer(counted, block.counts_steps, eval_ms)
        prompt, cached = _prompt(read, tokens, block.held)
        place = self._loader.place()
        flags: set[Flag] = set()
        if block.printed_nothing:
            flags.add("timing_disabled")
        if read_ms is not None and read_ms < 0:
            flags.add("prefill_implausible")
        if block.is_cut:
            flags.add("truncated")
        if block.accepted is not None:
            flags.add("speculative")
        if place == "mixed":
            flags.add("partial_offload")
        raw: dict[str, Any] = self._loader.raw()
        if block.accepted is not None:
            raw["accepted_drafts"] = block.accepted
        self._collector.add(
            block.line,
            source=block.program,
            model=self._loader.model(),
            engine=RunEngine(name=block.program, version=self._loader.version, place=place),
            device=self._loader.device(),
            settings=self._loader.settings(),
            prompt=Prompt(tokens=prompt, cached=cached, seconds=span(read_ms, 1e3)),
            output=Output(
                tokens=tokens, steps=steps, seconds=span(eval_ms, 1e3) if steps else None
            ),
            load_seconds=span(block.times.get("load", (None, None))[0], 1e3),
            wall_seconds=span(block.times.get("total", (None, None))[0], 1e3),
            flags=tuple(sorted(flags)),
            raw=raw,
        )


def _task(text: str) -> str:
    match = _TASK.search(text)
    return "" if match is None else match["task"]


def _answer(
    counted: int | None, counts_steps: bool, milliseconds: float | None
) -> tuple[int | None, int | None]:
    """Tokens of the answer, and the steps that its time spans."""
    if counted is None or (counts_steps and counted == 1 and not milliseconds):
        return None, None  # a program prints 1 where there was none
    return (counted + 1, counted) if counts_steps else (counted, max(counted - 1, 0))


def _prompt(
    read: int | None, tokens: int | None, held: int | None
) -> tuple[int | None, int | None]:
    """Tokens of the whole prompt, and those of them that came from a cache, where that is told."""
    if held is None or read is None or not tokens:
        return read, None
    whole = held - tokens + 1
    return (whole, whole - read) if whole >= read else (read, None)
