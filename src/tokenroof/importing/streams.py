"""Streams of servers as they were stored: server-sent events, and a JSON object a line.

Events are not tokens: one may hold several, and those that open a message or tell of progress hold
none. Tokens are counted by the server's timings, else by its usage, else by the events with text,
of any channel; that last count is the least there can have been, and is marked so. Nothing in a
stored stream says when an event came.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tokenroof.importing import responses
from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import scalar
from tokenroof.records import Output, Prompt, RunEngine, RunModel

_REASONING = ("reasoning_content", "reasoning", "thinking")
_ANSWER = ("content", "text", "tool_calls", "function_call")
_MOST_OPEN = 256


@dataclass
class _Stream:
    """What is kept of one stream: the last that was said of each thing."""

    line: int
    kind: str
    reasoning: int = 0
    answer: int = 0
    last: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


class Streams:
    """The streams of one paste."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._open: dict[str, _Stream] = {}
        self._unnamed = 0

    def take(self, line: int, text: str) -> bool:
        """Take a line of server-sent events."""
        name, mark, value = text.partition(":")
        if not mark or name not in {"", "data", "event", "id", "retry", "error"}:
            return False
        value = value.strip()
        if name not in {"data", "error"} or not value:
            return True
        if value == "[DONE]":
            self._finish_all()
            return True
        try:
            event = json.loads(value, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            event = None
        if isinstance(event, dict):
            self._event(line, event)
        else:
            self._collector.refuse(line, "importing.not_json")
        return True

    def message(self, line: int, message: dict[str, Any]) -> None:
        """Take one message of Ollama's stream; the last one has the counters."""
        stream = self._stream(line, "ollama", "ollama")
        inner = message.get("message")
        pieces = dict(inner) if isinstance(inner, dict) else {"content": message.get("response")}
        self._count(
            stream, pieces | {"thinking": message.get("thinking") or pieces.get("thinking")}
        )
        if message["done"]:
            del self._open["ollama"]
            whole = message
            if stream.answer + stream.reasoning > 0:
                # The last message of a stream is empty, which is no empty answer.
                whole = {key: each for key, each in message.items() if key not in _TEXTS}
            responses.add_ollama(self._collector, stream.line, whole)
        else:
            stream.last["model"] = message.get("model")

    def close(self) -> None:
        """Nothing follows."""
        self._finish_all()

    def _event(self, line: int, event: dict[str, Any]) -> None:
        if responses.is_ollama(event):
            self.message(line, event)
            return
        error = responses.error_of(event)
        if error is not None:
            self._collector.refuse(line, "importing.server_error", error=error)
            return
        if "choices" in event:
            key = str(event.get("id") or "openai")
            self._openai(self._stream(line, "openai", key), event)
        elif isinstance(event.get("stop"), bool) or "prompt_progress" in event:
            stream = self._stream(line, "native", "native")
            if event.get("stop") is not True:
                if "prompt_progress" not in event:
                    self._count(stream, event)
                return
            del self._open["native"]
            if responses.is_native(event):
                responses.add_native(self._collector, stream.line, event)
            else:
                self._collector.refuse(stream.line, "importing.no_time")
        else:
            self._collector.refuse(line, "importing.unknown_object")

    def _openai(self, stream: _Stream, event: dict[str, Any]) -> None:
        for choice in _dicts(event.get("choices")):
            delta = choice.get("delta")
            self._count(stream, delta if isinstance(delta, dict) else choice)
            if choice.get("finish_reason") is not None:
                stream.last["finish_reason"] = scalar(choice["finish_reason"])
        for name in ("model", "created", "system_fingerprint", "stats"):
            if event.get(name) is not None:
                stream.last[name] = event[name]
        # Timings of a prompt that is still read are overtaken by those of the end.
        for name in ("usage", "timings"):
            if isinstance(event.get(name), dict):
                stream.last[name] = event[name]

    def _count(self, stream: _Stream, pieces: dict[str, Any]) -> None:
        if any(pieces.get(name) for name in _REASONING):
            stream.reasoning += 1
        elif any(pieces.get(name) for name in _ANSWER):
            stream.answer += 1

    def _stream(self, line: int, kind: str, key: str) -> _Stream:
        stream = self._open.get(key)
        if stream is None:
            self._collector.end_of_text()
            if len(self._open) >= _MOST_OPEN:
                self._finish(next(iter(self._open)))
            stream = self._open[key] = _Stream(line, kind)
        return stream

    def _finish_all(self) -> None:
        for key in list(self._open):
            self._finish(key)

    def _finish(self, key: str) -> None:
        stream = self._open.pop(key)
        last, events = stream.last, stream.reasoning + stream.answer
        if stream.kind == "openai" and ("usage" in last or "timings" in last):
            choices = [{"finish_reason": last.get("finish_reason")}]
            responses.add_openai(self._collector, stream.line, {**last, "choices": choices})
        elif events:
            name = "ollama" if stream.kind == "ollama" else "openai-compatible"
            name = "llama-server" if stream.kind == "native" else name
            model = last.get("model")
            self._collector.add(
                stream.line,
                source=name,
                model=RunModel(name=str(scalar(model)) if isinstance(model, str) else None),
                engine=RunEngine(name=name),
                prompt=Prompt(),
                output=Output(tokens=events),
                flags=("lower_bound",),
                raw={
                    "tokens_from": "events",
                    "reasoning_events": stream.reasoning,
                    "answer_events": stream.answer,
                    "finish_reason": last.get("finish_reason"),
                },
            )
        else:
            self._collector.refuse(stream.line, "importing.empty_stream")


_TEXTS = {"response", "message", "thinking"}


def _dicts(values: object) -> Iterator[dict[str, Any]]:
    if isinstance(values, list):
        yield from (each for each in values if isinstance(each, dict))
