"""What llama-server's native answer says, in its versions.

`timings` are the server's own. Its prompt clock runs until the first token is chosen, and only
then begins its clock for the answer: n tokens span n - 1 steps, whatever rate the version prints
(those before August 2026 divided n by the same time). Times are kept, rates are not.

Counts: `tokens_evaluated` is the whole prompt, `timings.prompt_n` the part that was read,
`timings.cache_n` the part that came from a cache; `tokens_cached` is something else, the cells in
use afterwards. While the prompt is read, events bear `prompt_progress`, and a token 0 that is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tokenroof.engines.base import Reply, Request, Step
from tokenroof.engines.counters import Counters, plain
from tokenroof.engines.http_stream import Frame
from tokenroof.records import Flag

_MS = 1000

_LATE_SHARE = 0.02
_LATE_SECONDS = 0.05
"""A part of a run may be longer than the whole by this much, as two clocks differ."""

_QUEUE_SHARE = 0.2
_QUEUE_SECONDS = 0.5
"""Time before the first token that the prompt does not explain, beyond what tokenising takes:
another request was before ours."""


@dataclass
class Answer:
    """An answer that is coming in. `last` is its last event once that was there."""

    request: Request
    sent_at: float
    first_token_at: float | None = None
    ended_at: float | None = None
    tokens: int = 0
    last: dict[str, Any] = field(default_factory=dict)

    def take(self, event: dict[str, Any], frame: Frame) -> Iterator[Step]:
        """One event of it; what a person who waits may be told."""
        if event.get("stop") is True:
            self.last, self.ended_at = event, frame.at
            return
        progress = event.get("prompt_progress")
        if isinstance(progress, dict):
            counters = Counters(progress)
            done, total = counters.count("processed"), counters.count("total", 1)
            if done is not None and total is not None:
                yield Step(phase="prefill", done=min(done, total), total=total)
            return
        if self.first_token_at is None:
            self.first_token_at = frame.at
        self.tokens = Counters(event).count("tokens_predicted", 1) or self.tokens + 1
        total = self.request.output_tokens
        yield Step(phase="decode", done=min(self.tokens, total), total=total)

    def reply(self, client_cpu_seconds: float) -> Reply:
        """What it says, once it is complete."""
        assert self.ended_at is not None
        wall = self.ended_at - self.sent_at
        timings, whole = Counters(self.last.get("timings")), Counters(self.last)
        prompt_tokens, cached = _prompt(timings, whole)
        prompt_seconds = _part(timings, "prompt_ms", wall)
        tokens = timings.count("predicted_n") if timings.has("predicted_n") else None
        tokens = whole.count("tokens_predicted") if tokens is None else tokens
        if self.request.output_tokens == 0:
            tokens = 0  # it always chooses one, for which nothing was computed
        steps = None if tokens is None else max(tokens - 1, 0)
        output_seconds = 0.0 if steps == 0 else _part(timings, "predicted_ms", wall)
        first = self.first_token_at
        ttft = None if first is None else first - self.sent_at
        unexplained = None if ttft is None or prompt_seconds is None else ttft - prompt_seconds
        flags: set[Flag] = set()
        if not isinstance(self.last.get("timings"), dict):
            flags.add("timing_disabled")
        if self.last.get("truncated") is True:
            flags.add("truncated")
        if timings.has("draft_n") and timings.count("draft_n"):
            flags.add("speculative")
        # A queue is before the prompt, so it is in our time and not in the server's.
        usual = _QUEUE_SECONDS + _QUEUE_SHARE * (prompt_seconds or 0.0)
        if unexplained is not None and unexplained > usual:
            flags.add("contended")
        return Reply(
            prompt_tokens=prompt_tokens,
            prompt_cached=cached,
            prompt_seconds=prompt_seconds,
            output_tokens=tokens,
            output_steps=steps,
            output_seconds=output_seconds,
            wall_seconds=wall,
            ttft_seconds=ttft,
            flags=tuple(sorted(flags)),
            raw={
                "timings": plain(self.last.get("timings")),
                "stop_type": plain(self.last.get("stop_type")),
                "unusable_counters": timings.unusable | whole.unusable,
                "unexplained_seconds": unexplained,
                "tokens_per_pass": _tokens_per_pass(timings),
                "client_cpu_seconds": client_cpu_seconds,
                "client_cpu_seconds_per_token": client_cpu_seconds / max(tokens or 0, 1),
            },
        )


def _prompt(timings: Counters, whole: Counters) -> tuple[int | None, int | None]:
    """Tokens of the prompt, and those of them that were not read."""
    all_of_it = whole.count("tokens_evaluated") if whole.has("tokens_evaluated") else None
    read = timings.count("prompt_n") if timings.has("prompt_n") else None
    cached = timings.count("cache_n") if timings.has("cache_n") else None
    if cached is None and all_of_it is not None and read is not None:
        cached = max(all_of_it - read, 0)
    if all_of_it is None and cached is not None and read is not None:
        all_of_it = cached + read
    return all_of_it, cached


def _part(timings: Counters, name: str, wall_seconds: float) -> float | None:
    """A span that is a part of the run."""
    seconds = timings.seconds(name, _MS)
    if seconds is not None and seconds > wall_seconds * (1 + _LATE_SHARE) + _LATE_SECONDS:
        timings.unused(name)
        return None
    return seconds


def _tokens_per_pass(timings: Counters) -> float | None:
    """Tokens for each time that the weights were read; None where nothing was drafted.

    The first token comes out of the prompt's pass. Each further pass makes one token and those of
    the drafted ones that it accepts.
    """
    if not (timings.has("draft_n") and timings.has("draft_n_accepted")):
        return None
    tokens, accepted = timings.count("predicted_n", 2), timings.count("draft_n_accepted")
    if tokens is None or accepted is None or accepted >= tokens - 1:
        return None
    return (tokens - 1) / (tokens - 1 - accepted)
