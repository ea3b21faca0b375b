"""From Ollama's last message to a reply.

The last message has the counters, in nanoseconds. A count of zero is left out, and so are all
counters of some versions. `prompt_eval_count` counts cached tokens too, while
`prompt_eval_duration` is the time of the others; only newer versions tell how many were cached.
`eval_duration` starts with the first token, so that it spans `eval_count` - 1 steps; Ollama's own
rate divides by `eval_count` and is too high by n / (n - 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tokenroof.engines.arrivals import Arrivals
from tokenroof.engines.base import Reply, Request
from tokenroof.engines.counters import Counters, plain
from tokenroof.engines.prefills import Prefills
from tokenroof.records import Flag

_NS = 10**9

_LATE_SHARE = 0.02
_LATE_SECONDS = 0.05
"""A part of a run may be longer than the whole by this much, as two clocks differ."""

_QUEUE_SHARE = 0.2
_QUEUE_SECONDS = 0.5
"""Time that no counter explains, beyond what tokenising takes: another request was before ours."""

_DRAFTING = 1.25
"""Tokens per step above which tokens must have been drafted."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """One answer as it came.

    Attributes:
        last: its last message.
        arrivals: its pieces.
        wall_seconds: from the request to the last message.
        cpu_seconds: what reading it cost ourselves.
    """

    last: dict[str, Any]
    arrivals: Arrivals
    wall_seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which conditions an answer came.

    Attributes:
        context: tokens that the context holds; None where unknown.
        reload_seconds: loading for so long means that the model was not there.
        may_draft: whether this version can draft tokens.
    """

    context: int | None
    reload_seconds: float
    may_draft: bool


def reply_of(request: Request, streamed: Streamed, terms: Terms, prefills: Prefills) -> Reply:
    """What came of a request. `prefills` learns of it if nothing is odd."""
    counters = Counters(streamed.last)
    flags: set[Flag] = set()
    arrivals, wall = streamed.arrivals, streamed.wall_seconds

    output_tokens = _output_tokens(counters, arrivals)
    steps = None if output_tokens is None else max(output_tokens - 1, 0)
    output_seconds = 0.0 if steps == 0 else _part(counters, "eval_duration", wall)
    step_seconds = output_seconds / steps if steps and output_seconds else None

    tokens = counters.count("prompt_eval_count", 1)
    cached = _cached(counters, tokens)
    prompt_seconds = _part(counters, "prompt_eval_duration", wall)
    load_seconds = counters.seconds("load_duration", _NS) if counters.has("load_duration") else None

    cut = tokens is not None and prefills.is_cut(request.prompt, tokens, terms.context)
    doubtful = _doubt(
        tokens,
        cached,
        lambda read: (
            prompt_seconds is None
            or prefills.is_plausible(request.prompt, read, prompt_seconds, step_seconds)
        ),
    )
    if cut:
        flags.add("truncated")
    if doubtful is not None:
        flags.add(doubtful)
    if doubtful == "prefill_implausible":
        prompt_seconds = None
    if load_seconds is not None and load_seconds >= terms.reload_seconds:
        flags.add("reloaded")
    if output_tokens and not arrivals.at:
        flags.add("empty_output")
    if _is_early(streamed.last, output_tokens, request.output_tokens):
        flags.add("stopped_early")
    drafted = arrivals.tokens_per_step if terms.may_draft else None
    if drafted is not None and drafted >= _DRAFTING:
        flags.add("speculative")
    unexplained = _unexplained(counters, load_seconds, prompt_seconds, output_seconds)
    if unexplained is not None and unexplained > _QUEUE_SECONDS + _QUEUE_SHARE * (
        prompt_seconds or 0.0
    ):
        flags.add("contended")
    if tokens is not None and not cut and doubtful is None and not cached:
        prefills.learn(request.prompt, tokens, prompt_seconds)

    socket_seconds = arrivals.ttft_seconds
    loading = load_seconds or 0.0
    return Reply(
        prompt_tokens=tokens,
        prompt_cached=cached,
        prompt_seconds=prompt_seconds,
        output_tokens=output_tokens,
        output_steps=steps,
        output_seconds=output_seconds,
        wall_seconds=wall,
        # Loading is told apart: it is no part of what a prompt costs.
        ttft_seconds=None
        if socket_seconds is None or loading > socket_seconds
        else socket_seconds - loading,
        flags=tuple(sorted(flags)),
        raw={
            "ollama": _kept(streamed.last),
            "engine_tokens_per_second": _own_rate(output_tokens, output_seconds),
            "unusable_counters": counters.unusable,
            "unexplained_seconds": unexplained,
            "ttft_with_load_seconds": socket_seconds,
            "chunk_seconds": arrivals.seconds(),
            "characters": arrivals.characters,
            "tokens_per_step": arrivals.tokens_per_step,
            "client_cpu_seconds": streamed.cpu_seconds,
            "client_cpu_seconds_per_token": streamed.cpu_seconds
            / max(output_tokens or len(arrivals.at), 1),
        },
    )


def _output_tokens(counters: Counters, arrivals: Arrivals) -> int | None:
    # Zero is left out; but where text came, what was left out is not zero.
    if not counters.has("eval_count") and not arrivals.at:
        return 0
    return counters.count("eval_count", 1)


def _cached(counters: Counters, tokens: int | None) -> int | None:
    if not counters.has("prompt_eval_cached_count"):
        return None
    cached = counters.count("prompt_eval_cached_count")
    if cached is None or (tokens is not None and cached > tokens):
        counters.unused("prompt_eval_cached_count")
        return None
    return cached


def _part(counters: Counters, name: str, wall_seconds: float) -> float | None:
    """A span that is a part of the run."""
    seconds = counters.seconds(name, _NS)
    if seconds is not None and seconds > wall_seconds * (1 + _LATE_SHARE) + _LATE_SECONDS:
        counters.unused(name)
        return None
    return seconds


def _doubt(
    tokens: int | None, cached: int | None, is_plausible: Callable[[int], bool]
) -> Flag | None:
    """What is to be said of the prefill; `is_plausible` is asked about what was read."""
    if tokens is None:
        # Versions that leave the count out do so where the whole prompt was cached.
        return "prefill_may_be_cached"
    if is_plausible(tokens - (cached or 0)):
        return None
    return "prefill_may_be_cached" if cached is None else "prefill_implausible"


def _is_early(last: dict[str, Any], output_tokens: int | None, asked_tokens: int) -> bool:
    if output_tokens is not None:
        return output_tokens < asked_tokens
    return last.get("done_reason") not in {None, "length"}


def _unexplained(
    counters: Counters, load: float | None, prompt: float | None, output: float | None
) -> float | None:
    """What is left of the server's own time for the request: tokenising, and waiting its turn."""
    if not counters.has("total_duration"):
        return None
    total = counters.seconds("total_duration", _NS)
    if total is None or prompt is None or output is None:
        return None
    return round(max(total - (load or 0.0) - prompt - output, 0.0), 9)


def _own_rate(tokens: int | None, seconds: float | None) -> float | None:
    """Ollama's own figure: all tokens over the time of one fewer."""
    return tokens / seconds if tokens and seconds else None


def _kept(last: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in last.items() if name not in {"message", "created_at"}}
    found = plain(kept)
    assert isinstance(found, dict)
    return found
