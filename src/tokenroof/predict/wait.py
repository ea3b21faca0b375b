"""How long a person waits for an answer.

    wait = load, if the model is not in memory
         + reading what of the prompt no cache holds
         + the steps of all further tokens, thought or written, each with one more token of cache

The first token comes out of reading the prompt, so n tokens take n - 1 steps. A step is as slow as
the depth that it happens at: the steps are added up one by one, at their own depths, and nothing is
taken to go on at the rate that it began with.

The interval adds the ends of the parts: what makes one part slower than predicted, a device or an
engine that is slower than its kind, makes the others slower too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from tokenroof.notices import Notice
from tokenroof.predict.exchanges import Exchange, exchanges
from tokenroof.predict.pace.pace import Pace, Span, reading_of, steps_of
from tokenroof.predict.records import Turn, Wait, WaitPart, weakest

if TYPE_CHECKING:
    from tokenroof.predict.cases import Case
    from tokenroof.predict.loading import Loading


@dataclass(slots=True)
class _Used:
    """Which paces had a part, in their order, for what they have to say."""

    notices: dict[str, Notice] = field(default_factory=dict)

    def add(self, pace: Pace) -> None:
        for each in pace.notices:
            self.notices.setdefault(repr(each), each)


def wait(
    case: Case, paces: Sequence[Pace], loading: Loading | None = None
) -> tuple[Wait | None, tuple[Notice, ...]]:
    """The wait of a question, and what it rests on beside the row's rates.

    Where it is known only between how many tokens the prompt has, the interval reaches from the
    low end for the fewest to the high end for the most.

    Args:
        case: with prompt and output.
        paces: what is known, strongest first.
        loading: what a cold model takes first; None where that is not known.

    Returns:
        None where no basis knows how long a phase takes.

    Raises:
        UsageError: what is asked contradicts itself.
    """
    found, notices = _wait(case, paces, loading)
    if found is None or case.prompt is None or case.prompt_low is None:
        return found, notices
    fewest, most = min(case.prompt_low, case.prompt), max(case.prompt_high or 0, case.prompt)
    cached = min(case.cached or 0, fewest)
    ends = [
        _wait(msgspec.structs.replace(case, prompt=n, cached=cached), paces, loading)[0]
        for n in (fewest, most)
    ]
    if ends[0] is None or ends[1] is None:
        return None, ()
    return _between(found, ends[0], ends[1]), notices


def _between(found: Wait, least: Wait, most: Wait) -> Wait:
    """The wait, its ends from the waits for the fewest and the most tokens."""
    parts = _parts_between(found.parts, least.parts, most.parts)
    turns = [
        _turn_between(*each) for each in zip(found.turns, least.turns, most.turns, strict=True)
    ]
    return msgspec.structs.replace(
        found,
        parts=parts,
        turns=tuple(turns),
        low=sum(part.low for part in parts),
        high=sum(part.high for part in parts),
        ttft_low=min(found.ttft_low or 0.0, least.ttft_low or 0.0),
        ttft_high=max(found.ttft_high or 0.0, most.ttft_high or 0.0),
    )


def _turn_between(found: Turn, least: Turn, most: Turn) -> Turn:
    parts = _parts_between(found.parts, least.parts, most.parts)
    return msgspec.structs.replace(
        found,
        parts=parts,
        low=sum(part.low for part in parts),
        high=sum(part.high for part in parts),
        ttft_low=min(found.ttft_low, least.ttft_low),
        ttft_high=max(found.ttft_high, most.ttft_high),
    )


def _parts_between(
    found: Sequence[WaitPart], least: Sequence[WaitPart], most: Sequence[WaitPart]
) -> tuple[WaitPart, ...]:
    return tuple(
        msgspec.structs.replace(part, low=min(part.low, low.low), high=max(part.high, high.high))
        for part, low, high in zip(found, least, most, strict=True)
    )


def _wait(
    case: Case, paces: Sequence[Pace], loading: Loading | None = None
) -> tuple[Wait | None, tuple[Notice, ...]]:
    """The wait for a prompt of just so many tokens."""
    if case.prompt is None or case.output is None:
        return None, ()
    used = _Used()
    turns = []
    for number, exchange in enumerate(exchanges(case)):
        is_cold = bool(case.cold) and number == 0
        start = (case.depth or 0) if number == 0 else exchange.held
        parts = _parts(exchange, paces, used, loading if is_cold else None, start)
        if parts is None or (is_cold and loading is None):
            return None, ()
        turns.append(_turn(number + 1, exchange, parts))
    notices = list(used.notices.values())
    if case.cold and loading is not None:
        notices.append(loading.notice)
    if len(turns) > 1 and case.thinking:
        notices.append(Notice("waiting.assumes_thoughts_dropped"))
    return _whole(case, turns, _unreused(case, paces, turns)), tuple(notices)


def _parts(
    exchange: Exchange,
    paces: Sequence[Pace],
    used: _Used,
    loading: Loading | None,
    start: int,
) -> list[WaitPart] | None:
    """What one turn takes; None where a phase is not known."""
    read = _reading(paces, exchange, start, used)
    thought = exchange.thinking
    steps = thought + exchange.output - 1
    written = _steps(paces, exchange.prompt, steps, min(thought, steps), used)
    if read is None or written is None:
        return None
    parts = [_part("prefill", exchange.read, read)]
    if loading is not None:
        parts.insert(0, _part("load", None, loading.span))
    thinking, answer = written
    if thinking is not None:
        parts.append(_part("thinking", thought, thinking))
    if answer is not None:
        parts.append(_part("answer", exchange.output, answer))
    return parts


def _steps(
    paces: Sequence[Pace], depth: int, steps: int, thought: int, used: _Used
) -> tuple[Span | None, Span | None] | None:
    """Steps from a depth on: those of thinking, and those of the answer; None if not known."""
    if not steps:
        return None, None
    import numpy as np

    found = steps_of(paces, np.arange(depth, depth + steps, dtype=np.int64))
    if found is None:
        return None
    for number in np.unique(found.by).tolist():
        used.add(paces[number])

    def added(begin: int, end: int) -> Span | None:
        if begin == end:
            return None
        ends = (found.steps.seconds, found.steps.low, found.steps.high)
        middle, low, high = (math.fsum(each[begin:end].tolist()) for each in ends)
        bases = [paces[number].basis for number in np.unique(found.by[begin:end]).tolist()]
        return Span(middle, low, high, weakest(bases))

    return added(0, thought), added(thought, steps)


def _reading(paces: Sequence[Pace], exchange: Exchange, start: int, used: _Used) -> Span | None:
    """Reading what no cache holds. Where that is told to take longer than reading the whole, by a
    weaker basis, the whole is the better bound: nothing forces an engine to use its cache."""
    found = reading_of(paces, exchange.read, exchange.held)
    whole = reading_of(paces, exchange.prompt - start, start) if exchange.held > start else None
    if found is None or (whole is not None and whole[0].seconds < found[0].seconds):
        found = whole
    if found is None:
        return None
    used.add(found[1])
    if whole is None:
        return found[0]
    low, high = min(found[0].low, whole[0].low), min(found[0].high, whole[0].high)
    return Span(found[0].seconds, low, high, found[0].basis)


def _part(name: str, tokens: int | None, span: Span) -> WaitPart:
    return WaitPart(
        name=name,  # type: ignore[arg-type]
        tokens=tokens,
        seconds=span.seconds,
        low=span.low,
        high=span.high,
        basis=span.basis,
    )


def _turn(number: int, exchange: Exchange, parts: Sequence[WaitPart]) -> Turn:
    first = [part for part in parts if part.name in ("load", "prefill")]
    return Turn(
        number=number,
        cached_tokens=exchange.held,
        read_tokens=exchange.read,
        context_tokens=exchange.end,
        ttft_seconds=sum(part.seconds for part in first),
        ttft_low=sum(part.low for part in first),
        ttft_high=sum(part.high for part in first),
        total_seconds=sum(part.seconds for part in parts),
        low=sum(part.low for part in parts),
        high=sum(part.high for part in parts),
        parts=tuple(parts),
    )


def _whole(case: Case, turns: Sequence[Turn], unreused: float | None) -> Wait:
    """All turns together; what is of the first only, of the first."""
    first = turns[0]
    parts = _together(part for turn in turns for part in turn.parts)
    load = next((part.seconds for part in parts if part.name == "load"), 0.0)
    return Wait(
        load_seconds=load,
        ttft_seconds=first.ttft_seconds,
        ttft_low=first.ttft_low,
        ttft_high=first.ttft_high,
        total_seconds=sum(part.seconds for part in parts),
        low=sum(part.low for part in parts),
        high=sum(part.high for part in parts),
        basis=weakest(part.basis for part in parts),
        prompt_tokens=first.cached_tokens + first.read_tokens - (case.depth or 0),
        cached_tokens=case.cached or 0,
        thinking_tokens=case.thinking or 0,
        output_tokens=case.output or 1,
        parts=parts,
        turns=tuple(turns) if len(turns) > 1 else (),
        unreused_seconds=unreused,
    )


def _together(parts: Iterable[WaitPart]) -> tuple[WaitPart, ...]:
    """Parts of one name as one, in the order in which they come."""
    by_name: dict[str, list[WaitPart]] = {}
    for part in parts:
        by_name.setdefault(part.name, []).append(part)
    found = []
    for group in by_name.values():
        tokens = [part.tokens for part in group if part.tokens is not None]
        found.append(
            WaitPart(
                name=group[0].name,
                tokens=sum(tokens) if tokens else None,
                seconds=sum(part.seconds for part in group),
                low=sum(part.low for part in group),
                high=sum(part.high for part in group),
                basis=weakest(part.basis for part in group),
            )
        )
    return tuple(found)


def _unreused(case: Case, paces: Sequence[Pace], turns: Sequence[Turn]) -> float | None:
    """The whole wait if every prompt were read from its beginning; None where nothing is reused."""
    if not (case.cached or case.depth or len(turns) > 1):
        return None
    total = 0.0
    for turn in turns:
        read = reading_of(paces, turn.cached_tokens + turn.read_tokens, 0)
        if read is None:
            return None
        kept = (part.seconds for part in turn.parts if part.name != "prefill")
        total += read[0].seconds + sum(kept)
    return total
