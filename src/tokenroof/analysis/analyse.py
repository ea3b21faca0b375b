"""From runs to what they show.

Each phase has its own limit. Prefill multiplies every weight that it reads with thousands of
tokens, and is limited by arithmetic; decode multiplies each with one, and is limited by how fast
weights and cache can be read: achieved bandwidth = bytes read per token / time per token, and its
share of the device's peak (MBU) is also the share of the ceiling in tokens per second. A decode
figure belongs to the mean depth of its steps, and so do its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from tokenroof.analysis import grouping, sentences
from tokenroof.analysis.contention import SAID_WHILE_MEASURING, contention, is_contended
from tokenroof.analysis.costs import ModelCosts, StatedCosts
from tokenroof.analysis.curve import fit_curve
from tokenroof.analysis.line import fit_line
from tokenroof.analysis.points import compute_ratio, decode_points, prefill_points
from tokenroof.analysis.reasons import FLAG_MESSAGES
from tokenroof.analysis.results import (
    Analysis,
    Ask,
    Conditions,
    Curve,
    ExcludedRun,
    Peak,
    Series,
)
from tokenroof.analysis.steadiness import DRIFT_WHILE_MEASURING, unsteady
from tokenroof.analysis.usage import cached_points, pairs_of, used_points
from tokenroof.analysis.waiting import waits
from tokenroof.notices import Notice
from tokenroof.records import Flag, Run

if TYPE_CHECKING:
    from tokenroof.predict.pace.pace import Pace

ALONE_SAID: frozenset[Flag] = frozenset({"contended"})
"""Said before everything else; with several series also of each, to tell which."""

DEFAULT_ANSWER = 500
"""Tokens of the answer in the waits that are given when nobody asked for any."""


def analyse(
    runs: Iterable[Run],
    costs: Mapping[str, ModelCosts] | None = None,
    *,
    peaks: Sequence[Peak] = (),
    conditions: Conditions | None = None,
    asks: Sequence[Ask] = (),
    predicting: Callable[[Run], Sequence[Pace]] = lambda _: (),
) -> Analysis:
    """Everything that these runs show.

    Args:
        runs: of any models, engines and devices; unlike ones are kept apart.
        costs: what a token reads and computes, by the model's digest or name.
        peaks: what the devices could do at most; the first that fits a run's device holds.
        conditions: what surrounded the runs.
        asks: prompts and answers to work out the wait for; without any, an answer of 500 tokens
            to the shortest and to the longest prompt.
        predicting: what predicts the model of a series, by its first run, on its device; it
            answers of the waits what was not measured.
    """
    everything = tuple(runs)
    groups = grouping.series_of(everything)
    names = grouping.labels(groups)
    given = _Given(
        costs or {}, peaks, asks, predicting, pairs_of(everything), alone=len(groups) == 1
    )
    series = tuple(_series(group, label, given) for group, label in zip(groups, names, strict=True))
    excluded = tuple(
        _excluded(run, label)
        for group, label in zip(groups, names, strict=True)
        for run in group
        if run.excluded is not None
    )
    lead = _lead(everything, series)
    return Analysis(
        runs_total=len(everything),
        runs_excluded=len(excluded),
        runs_contended=sum(map(is_contended, everything)),
        lead=lead,
        series=series,
        excluded=excluded,
        conditions=_untold(conditions or Conditions(), lead),
    )


def _lead(runs: Sequence[Run], series: Sequence[Series]) -> tuple[Notice, ...]:
    if not runs:
        return (Notice("analysis.no_runs"),)
    found = contention(runs)
    if not any(each.sentences for each in series):
        found.append(Notice("analysis.nothing_counted", {"total": len(runs)}))
    return tuple(found)


def _untold(conditions: Conditions, lead: Sequence[Notice]) -> Conditions:
    """The conditions without what the analysis says itself, of all runs and by one rule."""
    told = set(DRIFT_WHILE_MEASURING)
    if any(each.message.startswith("analysis.contended") for each in lead):
        told |= SAID_WHILE_MEASURING
    kept = tuple(each for each in conditions.notices if each.message not in told)
    return msgspec.structs.replace(conditions, notices=kept)


def _excluded(run: Run, label: str) -> ExcludedRun:
    assert run.excluded is not None
    return ExcludedRun(
        id=run.id,
        started=run.started,
        series=label,
        prompt_tokens=run.prompt.tokens,
        reason=run.excluded,
        detail=run.error,
        prefill_tokens_per_second=run.prefill_tokens_per_second,
        decode_tokens_per_second=run.decode_tokens_per_second,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What all series are analysed with. `alone`: there is but one of them."""

    costs: Mapping[str, ModelCosts]
    peaks: Sequence[Peak]
    asks: Sequence[Ask]
    predicting: Callable[[Run], Sequence[Pace]]
    pairs: Mapping[str, Run]
    alone: bool


def _in_two_places(runs: grouping.SeriesRuns) -> bool:
    """Whether any run that counts had a part of the model on the GPU and a part on the host."""
    return any(
        run.engine.place == "mixed" or "partial_offload" in run.flags
        for run in runs
        if run.excluded is None
    )


def _series(runs: grouping.SeriesRuns, label: str, given: _Given) -> Series:
    head = runs[0]
    costs = given.costs
    cost = costs.get(head.model.digest or "") or costs.get(head.model.name or "")
    peak = next((each for each in given.peaks if each.device in (None, head.device)), None)
    by_prompt = grouping.conditions_of(runs, phase_is_decode=False)
    by_answer = grouping.conditions_of(runs, phase_is_decode=True)
    prefill = prefill_points(by_prompt, cost, peak)
    decode = decode_points(by_answer, cost, peak)
    bandwidth = peak.bandwidth_bytes_per_second if peak else None
    line, line_notices = fit_line(decode, bandwidth)
    curve, curve_notices = fit_curve(prefill)
    ratio = compute_ratio(prefill, decode)
    spoken = (
        sentences.how_fast(label, prefill, decode),
        sentences.what_limits(decode, ratio),
        sentences.share_of_ceiling(decode, peak, in_two_places=_in_two_places(runs)),
    )
    dates = sorted(run.started for run in runs if run.started)
    return Series(
        label=label,
        model=head.model,
        engine=head.engine,
        device=head.device,
        settings=head.settings,
        sources=tuple(sorted({run.source for run in runs})),
        aggregate=head.aggregate is not None,
        is_moe=_is_moe(runs, cost),
        cost_source=_cost_source(runs, cost),
        peak=peak,
        first_started=dates[0] if dates else None,
        last_started=dates[-1] if dates else None,
        runs_total=len(runs),
        runs_excluded=sum(run.excluded is not None for run in runs),
        runs_contended=sum(map(is_contended, runs)),
        prefill=prefill,
        decode=decode,
        compute_ratio=ratio,
        line=line,
        curve=curve,
        waits=waits(given.asks or _usual(curve), runs, cost, given.predicting(head)),
        cached=cached_points(by_prompt, given.pairs),
        used=used_points(by_prompt),
        sentences=tuple(each for each in spoken if each is not None),
        notices=(
            *(peak.notices if peak else ()),
            *unsteady(by_prompt, by_answer),
            *(line_notices if any(point.read_bytes for point in decode) else ()),
            *(curve_notices if prefill else ()),
            *_flagged(runs, without=ALONE_SAID if given.alone else frozenset()),
        ),
    )


def _is_moe(runs: grouping.SeriesRuns, cost: ModelCosts | None) -> bool | None:
    if cost is not None:
        return cost.is_moe
    said = {run.cost.is_moe for run in runs if run.cost is not None}
    return said.pop() if len(said) == 1 else None


def _cost_source(runs: grouping.SeriesRuns, cost: ModelCosts | None) -> str | None:
    if cost is not None:
        return cost.source if isinstance(cost, StatedCosts) else None
    return next((run.cost.source for run in runs if run.cost is not None), None)


def _usual(curve: Curve | None) -> list[Ask]:
    """What is asked where nobody asked: the shortest and the longest prompt."""
    if curve is None:
        return []
    ends = {round(curve.shortest_tokens), round(curve.longest_tokens)}
    return [Ask(prompt_tokens=end, output_tokens=DEFAULT_ANSWER) for end in sorted(ends)]


def _flagged(runs: Sequence[Run], without: Set[Flag]) -> list[Notice]:
    """The findings about runs that count."""
    counts: dict[Flag, int] = {}
    for run in runs:
        for flag in set(run.flags) - without if run.excluded is None else ():
            counts[flag] = counts.get(flag, 0) + 1
    return [
        Notice(FLAG_MESSAGES[flag], {"count": count, "total": len(runs)})
        for flag, count in sorted(counts.items())
    ]
