"""From runs to what they show.

Each phase has its own limit. Prefill multiplies every weight that it reads with thousands of
tokens, and is limited by arithmetic; decode multiplies each with one, and is limited by how fast
weights and cache can be read: achieved bandwidth = bytes read per token / time per token, and its
share of the device's peak (MBU) is also the share of the ceiling in tokens per second. A decode
figure belongs to the mean depth of its steps, and so do its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tokenroof.analysis import grouping, sentences
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
    DecodePoint,
    ExcludedRun,
    Peak,
    Series,
    Wait,
)
from tokenroof.analysis.steadiness import unsteady
from tokenroof.analysis.waiting import wait
from tokenroof.notices import Notice
from tokenroof.records import Flag, Run

DEFAULT_ANSWER = 500
"""Tokens of the answer in the waits that are given when nobody asked for any."""


def analyse(
    runs: Iterable[Run],
    costs: Mapping[str, ModelCosts] | None = None,
    *,
    peaks: Sequence[Peak] = (),
    conditions: Conditions | None = None,
    asks: Sequence[Ask] = (),
) -> Analysis:
    """Everything that these runs show.

    Args:
        runs: of any models, engines and devices; unlike ones are kept apart.
        costs: what a token reads and computes, by the model's digest or name.
        peaks: what the devices could do at most; the first that fits a run's device holds.
        conditions: what surrounded the runs.
        asks: prompts and answers to work out the wait for; without any, an answer of 500 tokens
            to the shortest and to the longest prompt.
    """
    everything = tuple(runs)
    groups = grouping.series_of(everything)
    names = grouping.labels(groups)
    series = tuple(
        _series(group, label, costs or {}, peaks, asks)
        for group, label in zip(groups, names, strict=True)
    )
    excluded = tuple(
        _excluded(run, label)
        for group, label in zip(groups, names, strict=True)
        for run in group
        if run.excluded is not None
    )
    contended = sum(_contended(run) for run in everything)
    return Analysis(
        runs_total=len(everything),
        runs_excluded=len(excluded),
        runs_contended=contended,
        lead=_lead(everything, series, contended),
        series=series,
        excluded=excluded,
        conditions=conditions or Conditions(),
    )


def _lead(runs: Sequence[Run], series: Sequence[Series], contended: int) -> tuple[Notice, ...]:
    if not runs:
        return (Notice("analysis.no_runs"),)
    found = []
    if contended:
        values = {"count": contended, "total": len(runs)}
        counts = any(_contended(run) and run.excluded is None for run in runs)
        message = "analysis.contended" if counts else "analysis.contended_excluded"
        found.append(Notice(message, values))
    if not any(each.sentences for each in series):
        found.append(Notice("analysis.nothing_counted", {"total": len(runs)}))
    return tuple(found)


def _contended(run: Run) -> bool:
    return "contended" in run.flags or run.excluded == "contended"


def _excluded(run: Run, label: str) -> ExcludedRun:
    assert run.excluded is not None
    return ExcludedRun(
        id=run.id,
        started=run.started,
        series=label,
        prompt_tokens=run.prompt.tokens,
        reason=run.excluded,
        prefill_tokens_per_second=run.prefill_tokens_per_second,
        decode_tokens_per_second=run.decode_tokens_per_second,
    )


def _series(
    runs: grouping.SeriesRuns,
    label: str,
    costs: Mapping[str, ModelCosts],
    peaks: Sequence[Peak],
    asks: Sequence[Ask],
) -> Series:
    head = runs[0]
    cost = costs.get(head.model.digest or "") or costs.get(head.model.name or "")
    peak = next((each for each in peaks if each.device in (None, head.device)), None)
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
        sentences.share_of_ceiling(decode, peak),
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
        is_moe=cost.is_moe if cost else None,
        cost_source=cost.source if isinstance(cost, StatedCosts) else None,
        peak=peak,
        first_started=dates[0] if dates else None,
        last_started=dates[-1] if dates else None,
        runs_total=len(runs),
        runs_excluded=sum(run.excluded is not None for run in runs),
        runs_contended=sum(_contended(run) for run in runs),
        prefill=prefill,
        decode=decode,
        compute_ratio=ratio,
        line=line,
        curve=curve,
        waits=_waits(asks, curve, decode),
        sentences=tuple(each for each in spoken if each is not None),
        notices=(
            *(peak.notices if peak else ()),
            *unsteady(by_prompt, by_answer),
            *(line_notices if any(point.read_bytes for point in decode) else ()),
            *(curve_notices if prefill else ()),
            *_flagged(runs),
        ),
    )


def _waits(
    asks: Sequence[Ask], curve: Curve | None, decode: Sequence[DecodePoint]
) -> tuple[Wait, ...]:
    if curve is None:
        return ()
    if not asks:
        ends = {round(curve.shortest_tokens), round(curve.longest_tokens)}
        asks = [Ask(prompt_tokens=end, output_tokens=DEFAULT_ANSWER) for end in sorted(ends)]
    found = [wait(ask, curve, decode) for ask in asks]
    return tuple(each for each in found if each is not None)


def _flagged(runs: Sequence[Run]) -> list[Notice]:
    counts: dict[Flag, int] = {}
    for run in runs:
        for flag in run.flags if run.excluded is None else ():
            counts[flag] = counts.get(flag, 0) + 1
    return [
        Notice(FLAG_MESSAGES[flag], {"count": count, "total": len(runs)})
        for flag, count in sorted(counts.items())
    ]
