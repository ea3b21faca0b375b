"""What a reply says about itself: whether the run was the one that was asked for.

A run is excluded for what it was, never for how fast it was: a prompt that came from a cache or
was cut, an answer that ended early, a model that was loaded anew in between.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenroof.engines.base import Reply
from tokenroof.measure.plan import Unit
from tokenroof.measure.prompts import Prompt, misses
from tokenroof.records import Exclusion, Flag

_CACHED_SHARE = 0.01
"""Engines may count the mark that begins every text as cached. More than a share is a hit."""

_COUNTED_SHORT = 0.95
_GUESSED_SHORT = 0.8
"""A prompt that was read to less than this share of what was sent was cut: the first where the
engine itself had counted it before, the second where its length was only guessed."""

SHORT_PROMPT_TOKENS = 128
"""Below this, what a request costs once hides what its tokens cost."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings, and the reason not to count the run; None where there is none."""

    flags: tuple[Flag, ...]
    excluded: Exclusion | None


def judge(unit: Unit, prompt: Prompt, reply: Reply, *, cached: bool = False) -> Verdict:
    """Look at one reply. Where several reasons hold, the first of the list below is given.

    Args:
        unit: what was asked for.
        prompt: what was sent.
        reply: what came of it.
        cached: the prompt was to be found in a cache.
    """
    flags: set[Flag] = set(reply.flags)
    reasons: list[Exclusion] = []
    if _is_truncated(unit, prompt, reply):
        flags.add("truncated")
    if "truncated" in flags:
        reasons.append("truncated")
    if not cached and _is_cached(reply):
        reasons.append("cache_hit")
    if "reloaded" in flags:
        reasons.append("reloaded")
    if reply.output_tokens == 0:
        flags.add("empty_output")
    if reply.output_tokens is not None and reply.output_tokens < unit.output_tokens:
        flags.add("stopped_early")
    if _is_missed(unit, reply) and "truncated" not in flags:
        flags.add("length_missed")
    if "stopped_early" in flags:
        reasons.append("stopped_early")
    read = None if reply.prompt_tokens is None else reply.prompt_tokens - (reply.prompt_cached or 0)
    if read is not None and _is_short(unit, read):
        flags.add("prefill_too_short")
    return Verdict(tuple(sorted(flags)), reasons[0] if reasons else None)


def _is_truncated(unit: Unit, prompt: Prompt, reply: Reply) -> bool:
    if reply.prompt_tokens is None:
        return False
    if prompt.tokens is not None:
        return reply.prompt_tokens < prompt.tokens * _COUNTED_SHORT
    return reply.prompt_tokens < unit.length * _GUESSED_SHORT


def _is_short(unit: Unit, read: int) -> bool:
    """As close to its length as a prompt has to be, it counts as that length."""
    asked = unit.length >= SHORT_PROMPT_TOKENS and not misses(read, unit.length)
    return read < SHORT_PROMPT_TOKENS and not asked


def _is_missed(unit: Unit, reply: Reply) -> bool:
    return reply.prompt_tokens is not None and misses(reply.prompt_tokens, unit.length)


def _is_cached(reply: Reply) -> bool:
    if not reply.prompt_cached:
        return False
    return not reply.prompt_tokens or reply.prompt_cached > reply.prompt_tokens * _CACHED_SHARE
