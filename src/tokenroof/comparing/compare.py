"""Two sets of runs side by side: pairs of like conditions, then a verdict for each cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median

from tokenroof.comparing import answers
from tokenroof.comparing.answers import PHASES
from tokenroof.comparing.conditions import Conditions, differences, side_conditions, varying
from tokenroof.comparing.detectable import (
    Z_POWER,
    logs,
    runs_needed,
    smallest_shift,
    standard_error,
)
from tokenroof.comparing.ratio import share_of, shift_intervals
from tokenroof.comparing.records import (
    Cell,
    Comparison,
    Difference,
    Figure,
    Source,
    Verdict,
)
from tokenroof.comparing.samples import Group, Length, Sample, Side, joined, side_of
from tokenroof.comparing.stated import Mean, mean_of, shift_of
from tokenroof.comparing.verdicts import gate_of, verdict_of
from tokenroof.notices import Notice
from tokenroof.records import Run

THRESHOLD = 0.05
"""The difference of time that matters where nobody names one."""

_NAMES_SHOWN = 50


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two groups whose varying conditions agree; `label` names those."""

    a: Group
    b: Group
    label: str | None


@dataclass(frozen=True, slots=True)
class _Open:
    """A cell before the number of cells is known."""

    label: str | None
    length: Length
    a: Sample
    b: Sample


def compare_runs(
    a: Iterable[Run],
    b: Iterable[Run],
    *,
    names: tuple[str, str] = ("A", "B"),
    allow: bool = False,
    threshold: float = THRESHOLD,
    fail_slower: float | None = None,
    strict: bool = False,
    notices: Sequence[Notice] = (),
) -> Comparison:
    """Compare two sets of runs.

    Args:
        a: the runs that are compared with; each is looked at once and not kept.
        b: the runs that are judged.
        names: what the two are called.
        allow: give an answer although conditions differ.
        threshold: the difference of time that matters, as a share.
        fail_slower: judge B by this slow-down, as a share of A's time.
        strict: let "cannot tell" be a "no" of that judgement.
        notices: what was said while the runs were read.
    """
    threshold = threshold if fail_slower is None else fail_slower
    one, other = side_of(a), side_of(b)
    pairs, only_a, only_b, label_by = _pairs(one.groups, other.groups)
    unlike, unstated = _differences(pairs, label_by)
    opened: list[_Open] = []
    for pair in pairs:
        left = joined(pair.a.samples, pair.b.samples)
        right = joined(pair.b.samples, pair.a.samples)
        shared = [each for each in sorted(left.keys() & right.keys()) if left[each] and right[each]]
        opened += [_Open(pair.label, each, left[each], right[each]) for each in shared]
        only_a += [_named(pair.label, each) for each in sorted(left.keys() - right.keys())]
        only_b += [_named(pair.label, each) for each in sorted(right.keys() - left.keys())]
    comparable = bool(opened)
    alike = comparable and not unlike
    cells: tuple[Cell, ...] = ()
    if alike or (allow and comparable):
        alpha = share_of(len(opened))
        opened.sort(key=lambda each: PHASES.index(each.length.phase))
        cells = tuple(_cell(each, alpha, threshold) for each in opened)
    return Comparison(
        a=_source(names[0], one),
        b=_source(names[1], other),
        alike=alike,
        allowed=allow,
        differences=tuple(unlike),
        not_stated=tuple(unstated),
        cells=cells,
        only_a=tuple(only_a[:_NAMES_SHOWN]),
        only_b=tuple(only_b[:_NAMES_SHOWN]),
        threshold=threshold,
        gate=gate_of(cells, fail_slower, strict=strict) if fail_slower is not None else None,
        headline=answers.headline(cells, threshold),
        notices=(*notices, *_remarks(one, other, names)),
    )


def _pairs(
    a: Sequence[Group], b: Sequence[Group]
) -> tuple[list[_Pair], list[str], list[str], tuple[str, ...]]:
    """Groups of both sides that agree in what varies within a side, and those without a peer."""
    by = dict.fromkeys([*varying([g.conditions for g in a]), *varying([g.conditions for g in b])])
    names = tuple(by)
    left = {tuple(group.conditions.get(name) for name in names): group for group in a}
    right = {tuple(group.conditions.get(name) for name in names): group for group in b}
    pairs = [
        _Pair(group, right[key], _label(names, key) if names else None)
        for key, group in left.items()
        if key in right
    ]
    if not pairs and 1 in {len(a), len(b)}:
        # Nothing agrees, and it is plain what would be held against what: its difference is named.
        return _with_the_only_one(a, b, names), [], [], ()
    only_a = [_label(names, key) for key in left if key not in right] if names else []
    only_b = [_label(names, key) for key in right if key not in left] if names else []
    return pairs, only_a, only_b, names


def _with_the_only_one(a: Sequence[Group], b: Sequence[Group], names: Sequence[str]) -> list[_Pair]:
    """Every group of one side with the only one of the other."""
    found = []
    for one, other in product(a, b):
        several = one if len(a) > 1 else other
        key = [several.conditions.get(name) for name in names]
        found.append(_Pair(one, other, _label(names, key)))
    return found


def _label(names: Sequence[str], key: Sequence[str | None]) -> str:
    """What tells a group from its peers: names of models as they are, settings with their names."""
    parts = []
    for name, value in zip(names, key, strict=True):
        if value is not None and name != "digest":
            plain = name in {"model", "type", "engine", "version", "device"}
            parts.append(value if plain else f"{name.removeprefix('flag ')}={value}")
    return " · ".join(parts) or "–"


def _differences(
    pairs: Sequence[_Pair], paired_by: Sequence[str]
) -> tuple[list[Difference], list[Difference]]:
    """Over all pairs, each difference once."""
    unlike: dict[Difference, None] = {}
    unstated: dict[Difference, None] = {}
    for pair in pairs:
        a: Conditions = pair.a.conditions | side_conditions(pair.a.flags)
        b: Conditions = pair.b.conditions | side_conditions(pair.b.flags)
        differ, open_ = differences(a, b, paired_by)
        unlike.update(dict.fromkeys(differ))
        unstated.update(dict.fromkeys(open_))
    return list(unlike), list(unstated)


def _cell(opened: _Open, alpha: float, threshold: float) -> Cell:
    """One cell: of single runs where both sides have some, else of what is stated."""
    a, b = opened.a, opened.b
    if a.times and b.times:
        return _measured(opened, alpha, threshold)
    return _stated(opened, alpha, threshold)


def _measured(opened: _Open, alpha: float, threshold: float) -> Cell:
    a, b = logs(opened.a.times), logs(opened.b.times)
    n, m = len(a), len(b)
    middle_a, middle_b = median(opened.a.times), median(opened.b.times)
    ratio = middle_b / middle_a
    ends = shift_intervals(a, b, alpha)
    low = high = None
    if ends is not None:
        # The interval is of the factor between the two; the ratio of medians is one estimate of
        # it, and on a few runs may lie just outside.
        low, high = min(math.exp(ends[0]), ratio), max(math.exp(ends[1]), ratio)
    error = standard_error(a, b)
    shift = None if error is None else smallest_shift(error, n, m, alpha)
    verdict = verdict_of(low, high, threshold, hides=shift is None)
    needed = None
    if verdict == "cannot_tell":
        needed = runs_needed(error, n, m, alpha, math.log1p(threshold))
    return _made(
        opened,
        figures=(_figure(n, middle_a), _figure(m, middle_b)),
        ends=(low, high),
        verdict=verdict,
        smallest=None if shift is None else math.expm1(shift),
        needed=needed,
        reason=Notice("comparing.too_few") if ends is None else None,
    )


def _stated(opened: _Open, alpha: float, threshold: float) -> Cell:
    a, reason_a = _mean(opened.a)
    b, reason_b = _mean(opened.b)
    reason = reason_a or reason_b
    shift = shift_of(a, b) if reason is None else None
    low = high = smallest = None
    ratio = b.mean / a.mean
    if shift is not None:
        half = shift.half_width(alpha)
        low, high = ratio * math.exp(-half), ratio * math.exp(half)
        smallest = math.expm1(half + Z_POWER * shift.error)
    elif reason is None:
        reason = Notice("comparing.no_uncertainty")
    return _made(
        opened,
        figures=(_figure(a.runs, a.mean), _figure(b.runs, b.mean)),
        ends=(low, high),
        verdict=verdict_of(low, high, threshold),
        smallest=smallest,
        needed=None,
        reason=reason,
        aggregate=True,
    )


def _mean(sample: Sample) -> tuple[Mean, Notice | None]:
    """A side of a cell as one mean. Several stated ones are never pooled: the first is shown."""
    if sample.times:
        return mean_of(sample.times), None
    first = sample.stated[0]
    reason = Notice("comparing.several_stated") if len(sample.stated) > 1 else None
    return Mean(first.mean, first.deviation, first.runs), reason


def _made(
    opened: _Open,
    *,
    figures: tuple[Figure, Figure],
    ends: tuple[float | None, float | None],
    verdict: Verdict,
    smallest: float | None,
    needed: int | None,
    reason: Notice | None,
    aggregate: bool = False,
) -> Cell:
    a, b = figures
    length = opened.length
    return Cell(
        phase=length.phase,
        series=opened.label,
        prompt_tokens=None if length.tokens < 0 else length.tokens,
        answer_tokens=length.answer or None,
        depth=length.depth,
        a=a,
        b=b,
        aggregate=aggregate,
        time_ratio=b.seconds_per_token / a.seconds_per_token,
        time_ratio_low=ends[0],
        time_ratio_high=ends[1],
        verdict=verdict,
        smallest_difference=smallest,
        runs_needed=needed,
        reason=reason,
    )


def _figure(runs: int | None, time: float) -> Figure:
    return Figure(runs=runs, seconds_per_token=time, tokens_per_second=1 / time)


def _named(label: str | None, length: Length) -> str:
    shown = str(length.tokens) if length.tokens >= 0 else "?"
    deep = f" @ {length.depth}" if length.depth else ""
    answer = f" + {length.answer}" if length.answer else ""
    front = f"{label}: " if label else ""
    return f"{front}{length.phase} {shown}{answer}{deep}"


def _source(name: str, side: Side) -> Source:
    return Source(name=name, runs=side.runs, excluded=side.excluded, contended=side.contended)


def _remarks(a: Side, b: Side, names: tuple[str, str]) -> list[Notice]:
    found = []
    if twice := len(a.ids & b.ids):
        found.append(Notice("comparing.on_both_sides", {"count": twice}))
    for side, name in zip((a, b), names, strict=True):
        if side.contended:
            values = {"name": name, "count": side.contended, "total": side.runs}
            found.append(Notice("comparing.contended", values))
        unsteady = sum(each.unsteady for group in side.groups for each in group.samples.values())
        if unsteady:
            found.append(Notice("comparing.unsteady", {"name": name, "count": unsteady}))
    return found
