"""From a stream of OpenAI's dialect to a reply, by the best source that it has for each figure.

1. `timings`, llama-server's own: tokens, cached tokens, and the times of both phases.
2. `usage`: tokens and sometimes cached ones. The times are then ours, by when the pieces came.
3. The pieces: at least one token each. Without usage, nothing better is known.

The time between the first piece and the last spans the tokens after the first *piece*. How many
tokens that had is known where every piece comes with usage (vLLM), and where there are as many
pieces as tokens. Otherwise it is taken to have been as large as the others; first pieces are seldom
larger, so the speed is then a lower bound, and flagged as one. Which source it was, `raw` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokenroof.engines.arrivals import Arrivals
from tokenroof.engines.base import Reply, Request
from tokenroof.engines.counters import Counters, plain
from tokenroof.engines.prefills import Prefills
from tokenroof.records import Flag

_MS = 10**3

_QUEUE_SECONDS = 0.5
_QUEUE_SHARE = 0.2
_QUEUE_STEPS = 16
"""The first text may come some steps after the prompt, where a channel begins with hidden marks."""


@dataclass
class Answer:
    """A stream while it is read.

    Attributes:
        arrivals: its pieces.
        usage: the last usage that was told.
        counted: with each piece, how many tokens there were by then; None where not told.
        timings: llama-server's.
        finish: why it ended.
        ended: whether it ended as such streams do.
        fingerprint: what the server says of its build.
    """

    arrivals: Arrivals
    usage: Counters = field(default_factory=lambda: Counters(None))
    counted: list[int | None] = field(default_factory=list)
    timings: Counters = field(default_factory=lambda: Counters(None))
    finish: str | None = None
    ended: bool = False
    fingerprint: str | None = None
    said: dict[str, Any] = field(default_factory=dict)

    def take(self, document: dict[str, Any], at: float) -> bool:
        """Read one event; True if it holds text."""
        for name in ("usage", "timings"):
            if isinstance(document.get(name), dict):
                self.said[name] = document[name]
                setattr(self, name, Counters(document[name]))
        fingerprint = document.get("system_fingerprint")
        self.fingerprint = fingerprint if isinstance(fingerprint, str) else self.fingerprint
        choices = document.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return False
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self.finish, self.ended = finish, True
        if not self.arrivals.add(at, _texts(choice)):
            return False
        told = Counters(document.get("usage"))
        self.counted.append(told.count("completion_tokens", 1))
        return True


@dataclass(frozen=True, slots=True)
class _Output:
    """The answer's tokens and time, and how they are known."""

    tokens: int | None
    steps: int | None
    seconds: float | None
    basis: str
    steps_basis: str
    lower_bound: bool = False


def reply_of(
    request: Request,
    answer: Answer,
    *,
    wall_seconds: float,
    cpu_seconds: float,
    prefills: Prefills,
    context: int | None = None,
) -> Reply:
    """What came of a request. `prefills` learns of it if nothing is odd."""
    flags: set[Flag] = set()
    arrivals = answer.arrivals
    prompt_tokens, cached, prompt_seconds, prompt_basis = _prompt(answer)
    output = _output(answer, request.output_tokens)
    if output.lower_bound:
        flags.add("lower_bound")
    step_seconds = output.seconds / output.steps if output.steps and output.seconds else None
    if prompt_tokens is not None:
        read = prompt_tokens - (cached or 0)
        cut = prefills.is_cut(request.prompt, prompt_tokens, context)
        if cut:
            flags.add("truncated")
        if prompt_seconds is not None and not prefills.is_plausible(
            request.prompt, read, prompt_seconds, step_seconds
        ):
            flags.add("prefill_implausible")
            prompt_seconds = None
        elif not cut and not cached:
            prefills.learn(request.prompt, prompt_tokens, prompt_seconds)
    if output.tokens and not arrivals.at:
        flags.add("empty_output")
    if _is_early(answer, output.tokens, request.output_tokens):
        flags.add("stopped_early")
    if _drafted(answer):
        flags.add("speculative")
    ttft = arrivals.ttft_seconds
    waited = None if ttft is None or prompt_seconds is None else max(ttft - prompt_seconds, 0.0)
    if waited is not None and prompt_seconds is not None:
        usual = _QUEUE_SHARE * prompt_seconds + _QUEUE_STEPS * (step_seconds or 0.0)
        if waited > _QUEUE_SECONDS + usual:
            flags.add("contended")
    return Reply(
        prompt_tokens=prompt_tokens,
        prompt_cached=cached,
        prompt_seconds=prompt_seconds,
        output_tokens=output.tokens,
        output_steps=output.steps,
        output_seconds=output.seconds,
        wall_seconds=wall_seconds,
        ttft_seconds=ttft,
        flags=tuple(sorted(flags)),
        raw={
            **{name: plain(value) for name, value in answer.said.items()},
            "finish_reason": plain(answer.finish),
            "basis": {
                "prompt": prompt_basis,
                "output": output.basis,
                "output_steps": output.steps_basis,
            },
            "unusable_counters": answer.usage.unusable | answer.timings.unusable,
            "unexplained_seconds": waited,
            "chunk_seconds": arrivals.seconds(),
            "characters": arrivals.characters,
            "tokens_per_step": arrivals.tokens_per_step,
            "client_cpu_seconds": cpu_seconds,
            "client_cpu_seconds_per_token": cpu_seconds / max(output.tokens or len(arrivals.at), 1),
        },
    )


def _texts(choice: dict[str, Any]) -> dict[str, object]:
    """The text of a piece, by channel."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return {"text": choice.get("text")}
    texts: dict[str, object] = {
        name: delta.get(name) for name in ("content", "reasoning_content", "reasoning", "refusal")
    }
    # A call of a tool is written token by token as well; its text lies deeper.
    if delta.get("tool_calls"):
        texts["tool_calls"] = str(delta["tool_calls"])
    return texts


def _prompt(answer: Answer) -> tuple[int | None, int | None, float | None, str | None]:
    """Tokens, cached ones, seconds, and where they come from."""
    timings, usage = answer.timings, answer.usage
    if timings.has("prompt_n"):
        read, cached = timings.count("prompt_n"), timings.count("cache_n")
        if read is not None and cached is not None:
            return read + cached, cached, timings.seconds("prompt_ms", _MS), "timings"
    if usage.has("prompt_tokens"):
        details = Counters(answer.said["usage"].get("prompt_tokens_details"))
        cached = details.count("cached_tokens") if details.has("cached_tokens") else None
        return usage.count("prompt_tokens", 1), cached, None, "usage"
    return None, None, None, None


def _output(answer: Answer, asked_tokens: int) -> _Output:
    timings, usage = answer.timings, answer.usage
    if timings.has("predicted_n"):
        tokens = timings.count("predicted_n")
        if tokens in {0, 1}:
            return _Output(tokens, 0, 0.0, "timings", "timings")
        seconds = timings.seconds("predicted_ms", _MS)
        if tokens is not None and seconds is not None:
            return _Output(tokens, tokens - 1, seconds, "timings", "timings")
    pieces, span = len(answer.arrivals.at), answer.arrivals.span_seconds
    tokens = usage.count("completion_tokens") if usage.has("completion_tokens") else None
    if tokens is not None:
        if tokens <= 1:
            return _Output(tokens, 0, 0.0, "usage", "usage")
        steps, basis = _steps(answer, tokens)
        bound = basis == "equal_pieces"
        return _Output(tokens, steps if span else None, span, "usage", basis, bound)
    if not pieces and answer.finish is not None:
        return _Output(0, 0, 0.0, "pieces", "pieces")
    # It may be that every piece is one token. Only where they are as many as were asked for is
    # that certain.
    known = pieces if pieces == asked_tokens else None
    return _Output(known, max(pieces - 1, 0), span or 0.0, "pieces", "pieces", known is None)


def _steps(answer: Answer, tokens: int) -> tuple[int | None, str]:
    """How many tokens came after the first piece, and how that is known."""
    first, last = (answer.counted[0], answer.counted[-1]) if answer.counted else (None, None)
    if first is not None and last is not None and last > first:
        return last - first, "usage_of_every_piece"
    pieces = len(answer.arrivals.at)
    if not pieces:
        return None, "unknown"
    if pieces >= tokens:
        return tokens - 1, "one_token_a_piece"
    return tokens - -(-tokens // pieces), "equal_pieces"


def _is_early(answer: Answer, tokens: int | None, asked_tokens: int) -> bool:
    if tokens is not None:
        return tokens < asked_tokens
    return answer.finish not in {None, "length"}


def _drafted(answer: Answer) -> bool:
    timings = answer.timings
    if timings.has("draft_n") and timings.count("draft_n"):
        return True
    details = Counters(answer.said.get("usage", {}).get("completion_tokens_details"))
    name = "accepted_prediction_tokens"
    return bool(details.has(name) and details.count(name))
