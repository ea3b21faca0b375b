"""Figures that cannot be true, or that say less than they seem to, by what stands beside them.

A prompt's reading passes over every weight at least once, as one step of decode does, and computes
with every token: it cannot take less than half a step, nor be a thousand times faster a token. A
cache can: it counts tokens that were not read. So can a repeat of the same prompt, which then is
several times faster than its first reading. Such a time keeps its place in the record, and gives
no rate.

An answer that is far shorter than its neighbours ended early, and its few steps hold more of what
surrounds them. A deviation of a quarter of the mean says that the repeats are no sample of one
thing. A rate of decode times the bytes that a token reads is a bandwidth (`ceilings`); where it is
above that of the device, or of any device that was built, the rate is not what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from msgspec import structs

from tokenroof import units
from tokenroof.importing.ceilings import (
    FASTEST_DECODE,
    FASTEST_MEMORY_BYTES_PER_SECOND,
    bytes_per_second_given,
    bytes_per_second_needed,
)
from tokenroof.importing.remarks import SHORT_ANSWER_TOKENS, is_single, remarks, shown
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Flag, Run

SHORT_PROMPT_TOKENS = 100
"""Below, what a request costs whatever its length is most of the time (100 to 200 tokens)."""

LEAST_STEPS = 0.5
MOST_STEPS_PER_TOKEN = 1000.0
FASTEST_PREFILL = 2e6
"""Tokens a second: 1e15 operations a second on a model of 250 million weights."""

_CLOCKS_TELL_TOKENS = 64
"""Fewer tokens take less than what a clock and a request cost."""

FASTER_THAN_FIRST = 2.0

SHORT_ANSWER_SHARE = 0.25

RELOAD_SECONDS = 1.0
RELOAD_TIMES = 5.0
_RELOAD_FLOOR_SECONDS = 0.25

UNSTEADY_SHARE = 0.25

_QUEUE_SECONDS, _QUEUE_SHARE = 0.5, 0.2
"""Time that no counter explains, beyond what tokenising takes."""

_MOST_NOTICES = 200
"""Remarks leave room for the reasons of flags."""


Found = tuple[int, Flag, dict[str, Any]]
"""Which run, what was found, and the values of the sentence that says why."""

_WHY: dict[Flag, str] = {
    "above_ceiling": "importing.why_above_ceiling",
    "contended": "importing.why_contended",
    "prefill_implausible": "importing.why_prefill_implausible",
    "prefill_may_be_cached": "importing.why_prefill_may_be_cached",
    "prefill_too_short": "importing.why_prefill_too_short",
    "reloaded": "importing.why_reloaded",
    "stopped_early": "importing.why_stopped_early",
    "unsteady": "importing.why_unsteady",
}


def judge(
    runs: Sequence[Run], bandwidth_bytes_per_second: float | None = None
) -> tuple[list[Run], list[tuple[int, Notice]]]:
    """The runs with their flags, and why, by the place of each run."""
    judged = list(runs)
    reasons = list(islice(remarks(runs), _MOST_NOTICES // 2))
    rules: tuple[Callable[[], Iterable[Found]], ...] = (
        lambda: _alone(judged, bandwidth_bytes_per_second),
        lambda: _repeats(judged),
        lambda: _reloads(judged),
        lambda: _short_answers(judged),
    )
    for rule in rules:
        for place, flag, values in list(rule()):
            if flag not in judged[place].flags:
                judged[place] = _flagged(judged[place], flag)
                if len(reasons) < _MOST_NOTICES:
                    reasons.append((place, Notice(_why(flag, values), values)))
    return judged, reasons


def _why(flag: Flag, values: dict[str, Any]) -> str:
    is_any_model = flag == "above_ceiling" and "needed" not in values
    return "importing.why_too_fast" if is_any_model else _WHY[flag]


def _flagged(run: Run, flag: Flag) -> Run:
    run = structs.replace(run, flags=tuple(sorted({*run.flags, flag})))
    if flag == "prefill_implausible":
        return structs.replace(run, prompt=structs.replace(run.prompt, seconds=None))
    if flag == "stopped_early" and run.excluded is None:
        return structs.replace(run, excluded="stopped_early")
    return run


def _alone(runs: Sequence[Run], bandwidth: float | None) -> Iterable[Found]:
    """What a run shows by itself."""
    for place, run in enumerate(runs):
        for flag, values in (*_prefill(run), *_waiting(run), *_spread(run)):
            yield place, flag, values
        needed = bytes_per_second_needed(run)
        most = bandwidth or bytes_per_second_given(run.device) or FASTEST_MEMORY_BYTES_PER_SECOND
        if needed is not None and needed > most:
            values = {"needed": units.bandwidth(needed), "most": units.bandwidth(most)}
            yield place, "above_ceiling", values
        elif (rate := run.decode_tokens_per_second or 0.0) > FASTEST_DECODE:
            yield place, "above_ceiling", {"rate": units.rate(rate)}


def _prefill(run: Run) -> Iterable[tuple[Flag, dict[str, Any]]]:
    seconds, tokens = run.prompt.seconds, run.prompt.tokens
    if seconds is None or tokens is None:
        return
    read = tokens - (run.prompt.cached or 0)
    step = 1 / rate if (rate := run.decode_tokens_per_second) else 0.0
    values = {"tokens": units.count(read), "seconds": shown(seconds)}
    if read < SHORT_PROMPT_TOKENS and is_single(run):
        yield "prefill_too_short", values | {"least": SHORT_PROMPT_TOKENS}
    is_short_of_a_pass = (
        seconds < LEAST_STEPS * step or read * step > MOST_STEPS_PER_TOKEN * seconds
    )
    is_cached_perhaps = run.prompt.cached is None
    if read > FASTEST_PREFILL * seconds:
        yield "prefill_implausible", values
    elif is_short_of_a_pass and read >= _CLOCKS_TELL_TOKENS:
        yield "prefill_may_be_cached" if is_cached_perhaps else "prefill_implausible", values


def _waiting(run: Run) -> Iterable[tuple[Flag, dict[str, Any]]]:
    """Time that neither loading nor reading nor writing explains: another request was first."""
    read, written, load = run.prompt.seconds, run.output.seconds, run.load_seconds or 0.0
    if read is None:
        return
    unexplained = 0.0
    if run.ttft_seconds is not None:
        unexplained = run.ttft_seconds - load - read
    elif run.wall_seconds is not None and written is not None and run.source == "ollama":
        unexplained = run.wall_seconds - load - read - written
    if unexplained > _QUEUE_SECONDS + _QUEUE_SHARE * read:
        yield "contended", {"seconds": units.duration(unexplained)}


def _spread(run: Run) -> Iterable[tuple[Flag, dict[str, Any]]]:
    deviation = run.aggregate.stddev_seconds if run.aggregate else None
    mean = run.prompt.seconds or run.output.seconds
    if deviation is not None and mean and deviation > UNSTEADY_SHARE * mean:
        yield "unsteady", {"share": units.percent(deviation / mean)}


def _repeats(runs: Sequence[Run]) -> Iterable[Found]:
    """Later readings of a prompt of the same length that are much faster than its first."""
    first: dict[object, float] = {}
    for place, run in enumerate(runs):
        if not is_single(run) or run.prompt.cached is not None or not run.prompt.seconds:
            continue
        rate = (run.prompt.tokens or 0) / run.prompt.seconds
        before = first.setdefault((run.source, run.model.name, run.prompt.tokens), rate)
        if rate > FASTER_THAN_FIRST * before:
            values = {"rate": units.rate(rate), "first": units.rate(before)}
            yield place, "prefill_may_be_cached", values


def _reloads(runs: Sequence[Run]) -> Iterable[Found]:
    """Requests that loaded the model. What a loaded one says is some 50 ms, and normal."""
    loads = {
        place: run.load_seconds
        for place, run in enumerate(runs)
        if run.source == "ollama" and run.load_seconds is not None
    }
    least = min(loads.values(), default=0.0)
    limit = RELOAD_SECONDS
    if len(loads) > 1:
        limit = min(limit, max(RELOAD_TIMES * least, _RELOAD_FLOOR_SECONDS))
    for place, seconds in loads.items():
        if seconds >= limit:
            yield place, "reloaded", {"seconds": units.duration(seconds)}


def _short_answers(runs: Sequence[Run]) -> Iterable[Found]:
    """Answers that ended long before those of the same model beside them."""
    groups: dict[object, list[tuple[int, int]]] = {}
    for place, run in enumerate(runs):
        tokens = run.output.tokens
        if is_single(run) and tokens and run.output.seconds is not None:
            groups.setdefault((run.source, run.model.name), []).append((place, tokens))
    for group in groups.values():
        usual = median([tokens for _, tokens in group])
        for place, tokens in group if len(group) > 2 else ():
            few = tokens < SHORT_ANSWER_TOKENS and 2 * tokens < usual
            if few or tokens < SHORT_ANSWER_SHARE * usual:
                values = {"tokens": units.count(tokens), "usual": units.count(round(usual))}
                yield place, "stopped_early", values
