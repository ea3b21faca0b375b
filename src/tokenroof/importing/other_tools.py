"""Lines under an answer: LM Studio's, text-generation-webui's, and those of llama-cli's chats.

LM Studio prints the rate of decode and the time to the first token, in its window, and as a block
of names and values in its command line (`lms chat --stats`). text-generation-webui prints a
rate over the whole request, reading included: it is no rate of decode and never stored as one.
"""

from __future__ import annotations

import re
from typing import Any

from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import number, seconds_at, span, whole
from tokenroof.records import Aggregate, Output, Prompt, RunEngine, RunModel

_FIGURE = r"(?P<value>\d[\d.,]{0,20})"
_PIECES = (
    ("rate", re.compile(rf"{_FIGURE}\s?(?:tok/sec|tok/s|tokens/s|t/s)", re.ASCII)),
    ("tokens", re.compile(rf"{_FIGURE} tokens", re.ASCII)),
    ("first", re.compile(rf"{_FIGURE}\s?s(?:ec)? to first token", re.ASCII)),
    ("stop", re.compile(r"Stop reason: (?P<value>.{1,60})")),
)
_OF_LLAMA_CLI = re.compile(
    r"\[ Prompt: (?P<prompt>[\d.,]{1,20}) t/s \| Generation: (?P<output>[\d.,]{1,20}) t/s \]"
)

_MARKS = ("tok", "Stop reason", "t/s", "Tok", "Stop Reason", "Prediction Stats:")

_STATS = "Prediction Stats:"
_NAMED = re.compile(
    r"(?:.{0,60}\s)?(?P<name>Stop Reason|Tokens/Second|Time to First Token|Prompt Tokens|"
    r"Predicted Tokens|Total Tokens): (?P<value>[\w.,]{1,40}?)s?"
)
_SHORT = {
    "Tokens/Second": "rate",
    "Predicted Tokens": "tokens",
    "Time to First Token": "first",
    "Prompt Tokens": "prompt",
    "Stop Reason": "stop",
    "Total Tokens": "total",
}
_LONGEST = 1000

_WHOLE_REQUEST = re.compile(
    r".{0,60}Output generated in (?P<seconds>[\d.,]{1,20}) seconds \((?P<rate>[\d.,]{1,20}) "
    r"tokens/s, (?P<tokens>\d{1,9}) tokens(?:, context (?P<context>\d{1,9}))?.{0,80}",
    re.ASCII,
)


class OtherTools:
    """The lines of one paste."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._said: dict[str, str] = {}
        self._named = False
        self._from = 0

    def take(self, line: int, text: str) -> bool:
        """Take a line of either program."""
        if len(text) > _LONGEST or not any(mark in text for mark in _MARKS):
            return False
        if self._whole(line, text) or self._in_block(line, text):
            return True
        pieces = [each.strip() for each in re.split("[•·|]", text) if each.strip()]
        found = [_piece(each) for each in pieces]
        known = [each for each in found if each is not None]
        if not pieces or len(known) != len(found) or (not self._said and known[0][0] != "rate"):
            return False
        for name, value in known:
            if name in self._said:
                self.close()
            if not self._said:
                self._collector.end_of_text()
                self._from = line
            self._said[name] = value
        return True

    def _whole(self, line: int, text: str) -> bool:
        """Take a line that says all that there is."""
        if "Output generated in" in text and (match := _WHOLE_REQUEST.fullmatch(text)):
            self._request(line, match)
        elif "Generation" in text and (match := _OF_LLAMA_CLI.fullmatch(text.strip())):
            self._rates(line, match)
        else:
            return False
        return True

    def _in_block(self, line: int, text: str) -> bool:
        """Take a line of what `lms` prints: a title, and names with values."""
        text = text.rstrip()
        if text.endswith(_STATS):
            self.close()
            self._collector.end_of_text()
            self._from, self._named = line, True
            return True
        if self._named and (named := _NAMED.fullmatch(text)):
            self._said[_SHORT[named["name"]]] = named["value"]
            return True
        return False

    def close(self) -> None:
        """LM Studio's block is complete."""
        self._named = False
        if not self._said:
            return
        said, self._said = self._said, {}
        tokens = whole(number(said.get("tokens", "")), 1)
        first = number(said.get("first", ""))
        steps, aggregate = _steps(tokens)
        seconds = seconds_at(steps, number(said["rate"])) if "rate" in said else None
        raw: dict[str, Any] = {"lm_studio": said}
        self._collector.add(
            self._from,
            source="lm-studio",
            model=RunModel(name=None),
            engine=RunEngine(name="lm-studio"),
            prompt=Prompt(tokens=whole(number(said.get("prompt", "")), 1)),
            output=Output(tokens=tokens, steps=steps if seconds else None, seconds=seconds),
            ttft_seconds=span(first),
            aggregate=aggregate if seconds else None,
            raw=raw,
        )

    def _rates(self, line: int, match: re.Match[str]) -> None:
        steps, aggregate = _steps(None)
        seconds = seconds_at(steps, number(match["output"]))
        if seconds is None:
            self._collector.refuse(line, "importing.no_time")
            return
        self._collector.add(
            line,
            source="llama.cpp",
            model=RunModel(name=None),
            engine=RunEngine(name="llama.cpp"),
            output=Output(steps=steps, seconds=seconds),
            aggregate=aggregate,
            raw={"llama_cli": {name: number(rate) for name, rate in match.groupdict().items()}},
        )

    def _request(self, line: int, match: re.Match[str]) -> None:
        context = match["context"]
        self._collector.add(
            line,
            source="text-generation-webui",
            model=RunModel(name=None),
            engine=RunEngine(name="text-generation-webui"),
            prompt=Prompt(tokens=None if context is None else int(context)),
            output=Output(tokens=int(match["tokens"])),
            wall_seconds=span(number(match["seconds"])),
            flags=("end_to_end_rate",),
            raw={"text_generation_webui": match[0].strip()[:200]},
        )


def _steps(tokens: int | None) -> tuple[int, Aggregate | None]:
    """Over how many steps a rate of decode is a time: where nobody counted them, it is the mean
    of one. A rate of reading is none then: what it is worth depends on how long the prompt was.
    """
    return (1, Aggregate()) if tokens is None else (tokens, None)


def _piece(text: str) -> tuple[str, str] | None:
    for name, pattern in _PIECES:
        match = pattern.fullmatch(text)
        if match is not None:
            return name, match["value"]
    return None
