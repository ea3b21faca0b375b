"""What a simulated server does with one request, and what it says of it.

The figures that a script stands for are arithmetic on its fields and nothing else, so a test can
work them out by hand: reading costs `prefill_seconds_per_token` for each token that is not cached,
and each token after the first costs `gap_seconds`. The server keeps to these times as a machine
can: never early, and late by whatever its scheduler takes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MISSING = object()
"""The value of a counter that is left out."""


@dataclass(frozen=True)
class Script:
    """One answer.

    Attributes:
        prompt_tokens: None: as many as the server's own tokeniser makes of the prompt.
        cached_tokens: of them, those that a cache holds. None: by the prompt before.
        output_tokens: None: as many as were asked for.
        stop: why the answer ends.
        load_seconds: that loading the model takes, before anything else.
        queue_seconds: that a second client's request takes, before this one is begun.
        prefill_seconds_per_token: see above.
        gap_seconds: see above; a sequence has one entry for each token after the first.
        tokens_per_step: tokens that a speculative step yields; 1 is no speculation.
        tokens_per_chunk: tokens that one chunk shows; a sequence has one entry a chunk.
        hidden_tokens: the first so many tokens are never shown (marks of a channel).
        reasoning_tokens: the next so many are thoughts.
        text: what a token reads; it may be longer than ASCII.
        counters: counters by their name in the dialect, in place of the true ones.
        error_after: after so many chunks, an error is sent, and nothing more.
        stall_after: after so many chunks, nothing more is sent, and the connection stays open.
        die_after_bytes: after so many bytes of the answer, headers included, the connection ends.
        hold_after: after so many chunks, nothing more is sent before `released` is set; the times
            of what follows count from then.
        end_after: after so many chunks, the answer ends as if it were complete.
        piece_bytes: the answer goes out in pieces of so many bytes, whatever they cut in two.
        status: of HTTP, with `body` and `headers` in place of an answer.
        replay: a recorded stream in place of an answer, `replay_speed` times as fast as it came.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    stop: str = "length"
    load_seconds: float = 0.0
    queue_seconds: float = 0.0
    prefill_seconds_per_token: float = 20e-6
    gap_seconds: float | Sequence[float] = 0.001
    tokens_per_step: int = 1
    tokens_per_chunk: int | Sequence[int] = 1
    hidden_tokens: int = 0
    reasoning_tokens: int = 0
    text: str = " 7"
    counters: Mapping[str, Any] = field(default_factory=dict)
    error_after: int | None = None
    stall_after: int | None = None
    die_after_bytes: int | None = None
    hold_after: int | None = None
    released: threading.Event = field(default_factory=threading.Event)
    end_after: int | None = None
    piece_bytes: int | None = None
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    replay: str | None = None
    replay_speed: float = 1.0


@dataclass(frozen=True)
class Chunk:
    """What goes out at once: some tokens of one channel, `wait_seconds` after the one before."""

    wait_seconds: float
    tokens: int
    text: str
    reasoning: bool
    produced: int
    """All tokens that were made by then, hidden ones too."""
    decode_seconds: float
    """What the tokens after the first had taken by then."""


@dataclass(frozen=True)
class Generation:
    """A script applied to a request: every figure of it, exactly."""

    script: Script
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    stop: str
    load_seconds: float = 0.0
    truncated: bool = False

    @property
    def read_tokens(self) -> int:
        return self.prompt_tokens - self.cached_tokens

    @property
    def prefill_seconds(self) -> float:
        return self.read_tokens * self.script.prefill_seconds_per_token

    @property
    def decode_seconds(self) -> float:
        return sum(self.gaps())

    @property
    def total_seconds(self) -> float:
        waits = self.load_seconds + self.script.queue_seconds
        return waits + self.prefill_seconds + self.decode_seconds

    @property
    def drafted_tokens(self) -> int:
        return sum(gap == 0.0 for gap in self.gaps()) if self.script.tokens_per_step > 1 else 0

    def gaps(self) -> list[float]:
        """The time of each token after the first. Drafted ones come with the one before."""
        after_first = max(self.output_tokens - 1, 0)
        given, step = self.script.gap_seconds, self.script.tokens_per_step
        if not isinstance(given, float | int):
            return list(given)[:after_first]
        return [given if index % step == 0 else 0.0 for index in range(after_first)]

    def chunks(self) -> list[Chunk]:
        """What is shown, with the time from one chunk to the next; the first after the prompt."""
        script, gaps = self.script, [0.0, *self.gaps()]
        found: list[Chunk] = []
        done = min(script.hidden_tokens, self.output_tokens)
        shown_at = 0.0
        while done < self.output_tokens:
            size = script.tokens_per_chunk
            wanted = size if isinstance(size, int) else size[len(found)]
            reasoning = done < script.hidden_tokens + script.reasoning_tokens
            end = min(done + wanted, self.output_tokens)
            if reasoning:
                end = min(end, script.hidden_tokens + script.reasoning_tokens)
            at = sum(gaps[:end])
            found.append(
                Chunk(at - shown_at, end - done, script.text * (end - done), reasoning, end, at)
            )
            done, shown_at = end, at
        return found
