"""Runs, one after another, as times by condition, length and phase: nothing else is kept of them.

A length is what was asked for, since prompts hit it to 2 % only. Where nobody asked, as in a log,
it is what was read, and lengths within 2 % of one another are one. Decode belongs to the tokens
that the context held before the answer. What is compared is time per token.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from tokenroof.comparing.conditions import conditions_of
from tokenroof.comparing.records import Phase
from tokenroof.records import Aggregate, Run

SAME_LENGTH = 0.02
_FEW_TOKENS = 2


class Length(NamedTuple):
    """Where a time belongs.

    Attributes:
        phase: which of the two.
        tokens: of the prompt; for decode all that the context held. -1 where nobody says.
        depth: tokens before the prompt; for decode they are among the others.
        is_asked: whether this length was asked for, and not only met.
        answer: the length of the answer that was asked for, which places a figure of decode.
    """

    phase: Phase
    tokens: int
    depth: int
    is_asked: bool
    answer: int = 0


@dataclass(slots=True)
class Stated:
    """A mean that somebody stated, in seconds per token, and its deviation in the same unit."""

    mean: float
    deviation: float | None
    runs: int | None


@dataclass(slots=True)
class Sample:
    """The times of one cell: of single runs, and means that stand for several each."""

    times: array[float] = field(default_factory=lambda: array("d"))
    stated: list[Stated] = field(default_factory=list)
    unsteady: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.times or self.stated)


@dataclass(slots=True)
class Group:
    """Runs under one set of conditions."""

    conditions: dict[str, str | None]
    flags: set[str] = field(default_factory=set)
    samples: dict[Length, Sample] = field(default_factory=dict)


@dataclass(slots=True)
class Side:
    """All runs of one side."""

    groups: list[Group]
    runs: int = 0
    excluded: int = 0
    contended: int = 0
    ids: set[str] = field(default_factory=set)


def side_of(runs: Iterable[Run]) -> Side:
    """The times of these runs. Excluded runs are counted and left out."""
    groups: dict[bytes, Group] = {}
    side = Side([])
    encode = msgspec.json.Encoder(order="deterministic").encode
    for run in runs:
        side.runs += 1
        if run.excluded is not None:
            side.excluded += 1
            continue
        side.contended += "contended" in run.flags
        side.ids.add(run.id)
        key = encode((run.model, run.engine, run.device, run.settings, run.workload.cached))
        group = groups.get(key)
        if group is None:
            group = groups[key] = Group(conditions_of(run))
        group.flags.update(run.flags)
        add_run(group, run)
    # Weight bytes and the like are part of the key, but no condition: such groups are one.
    merged: dict[tuple[tuple[str, str | None], ...], Group] = {}
    for group in groups.values():
        _merge(merged.setdefault(tuple(group.conditions.items()), Group(group.conditions)), group)
    side.groups = list(merged.values())
    return side


def joined(samples: Mapping[Length, Sample], others: Iterable[Length]) -> dict[Length, Sample]:
    """The samples with lengths that nobody asked for brought to their neighbours'.

    Args:
        samples: of one side.
        others: the lengths of the other side.
    """
    places = sorted({*samples, *others})
    found: dict[Length, Sample] = {}
    for length, sample in samples.items():
        into = length if length.is_asked else _neighbour(length, places)
        _merge_sample(found.setdefault(into, Sample()), sample)
    return found


def _neighbour(length: Length, places: list[Length]) -> Length:
    """The length that one which was met belongs to: an asked one, or the first of its kind."""
    if length.tokens < 0:
        return length
    near = [
        each
        for each in places
        if (each.phase, each.depth) == (length.phase, length.depth)
        and abs(each.tokens - length.tokens) <= SAME_LENGTH * length.tokens + _FEW_TOKENS
    ]
    asked = [each for each in near if each.is_asked]
    return min(asked, key=lambda each: abs(each.tokens - length.tokens)) if asked else near[0]


def add_run(group: Group, run: Run) -> None:
    """Put the times of a run where they belong."""
    prefill, decode = run.prefill_tokens_per_second, run.decode_tokens_per_second
    target, depth = run.workload.prompt_target, run.workload.depth
    tokens, cached = run.prompt.tokens, run.prompt.cached or 0
    is_asked = target is not None
    if prefill is not None and prefill > 0 and tokens is not None:
        read = target if target is not None else tokens - cached
        at = depth if is_asked else depth + cached
        _put(group, Length("prefill", read, at, is_asked), 1 / prefill, run)
    known = target if target is not None else tokens
    if decode is not None and decode > 0:
        # A log may not say what was read before: then it is a length of its own.
        before = -1 if known is None else depth + known
        answer = (run.workload.output_target or 0) if is_asked else 0
        _put(group, Length("decode", before, 0, is_asked, answer), 1 / decode, run)


def _put(group: Group, length: Length, time: float, run: Run) -> None:
    sample = group.samples.setdefault(length, Sample())
    if run.aggregate is None:
        sample.times.append(time)
    elif "unsteady" in run.flags:
        sample.unsteady += 1
    else:
        sample.stated.append(_stated(time, length.phase, run, run.aggregate))


def _stated(time: float, phase: Phase, run: Run, aggregate: Aggregate) -> Stated:
    whole = run.prompt.seconds if phase == "prefill" else run.output.seconds
    deviation = aggregate.stddev_seconds
    share = None if deviation is None or not whole else deviation / whole
    return Stated(time, None if share is None else share * time, aggregate.of)


def _merge(into: Group, group: Group) -> None:
    into.flags |= group.flags
    for length, sample in group.samples.items():
        _merge_sample(into.samples.setdefault(length, Sample()), sample)


def _merge_sample(into: Sample, sample: Sample) -> None:
    into.times.extend(sample.times)
    into.stated.extend(sample.stated)
    into.unsteady += sample.unsteady
