"""One condition over engine versions and dates, and where its speed changed.

What was measured with one version on one day is a session. Each is held against the one before by
the same interval as any other comparison, with a share of the 5 % for each pair of neighbours; a
step is marked where it excludes no change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

from tokenroof.comparing.conditions import ALWAYS, conditions_of
from tokenroof.comparing.detectable import logs
from tokenroof.comparing.ratio import share_of, shift_intervals
from tokenroof.comparing.records import History, Phase, Session
from tokenroof.comparing.samples import Group, Length, add_run
from tokenroof.errors import NotFound
from tokenroof.medians import median_interval
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.safetext import printable

_CHANGES_WITH_VERSIONS = {"version", "backend"}
_SAME = tuple(name for name in ALWAYS if name not in _CHANGES_WITH_VERSIONS)

_Key = tuple[str | None, ...]
_When = tuple[str | None, str | None]
"""Date and version."""


def history_of(
    runs: Iterable[Run],
    *,
    model: str | None = None,
    tokens: int | None = None,
    phase: Phase = "decode",
    notices: Iterable[Notice] = (),
) -> History:
    """The history of the condition that was measured most often.

    Args:
        runs: of any conditions.
        model: take only models whose name holds this text.
        tokens: take only this length of the prompt.
        phase: of which phase.
        notices: what was said while the runs were read.

    Raises:
        NotFound: no run that counts is of such a condition.
    """
    found: dict[tuple[_Key, Length], dict[_When, list[float]]] = {}
    stated = 0
    for run in runs:
        if run.excluded is not None or not _is_meant(run, model):
            continue
        if run.aggregate is not None:
            stated += 1
            continue
        group = Group(conditions_of(run))
        add_run(group, run)
        key = tuple(group.conditions.get(name) for name in _SAME)
        when = ((run.started or "")[:10] or None, group.conditions["version"])
        for length, sample in group.samples.items():
            if length.phase == phase and tokens in {None, length.tokens}:
                found.setdefault((key, length), {}).setdefault(when, []).extend(sample.times)
    if not found:
        raise NotFound("comparing.no_history", phase=phase)
    chosen = max(found, key=lambda each: _weight(found[each]))
    key, length = chosen
    remarks = list(notices)
    if stated:
        remarks.append(Notice("comparing.stated_left_out", {"count": stated}))
    return History(
        label=_label(key),
        phase=phase,
        prompt_tokens=None if length.tokens < 0 else length.tokens,
        depth=length.depth,
        sessions=_sessions(found[chosen]),
        others=len(found) - 1,
        notices=tuple(remarks),
    )


def _is_meant(run: Run, model: str | None) -> bool:
    return model is None or model.lower() in (run.model.name or "").lower()


def _weight(sessions: dict[_When, list[float]]) -> tuple[int, int]:
    return len(sessions), sum(map(len, sessions.values()))


def _sessions(times: dict[_When, list[float]]) -> tuple[Session, ...]:
    ordered = sorted(times, key=lambda when: (when[0] or "", when[1] or ""))
    alpha = share_of(len(ordered) - 1)
    sessions: list[Session] = []
    before: list[float] | None = None
    for when in ordered:
        values = times[when]
        interval = median_interval(values)
        step = None if before is None else _step(before, values, alpha)
        sessions.append(
            Session(
                date=when[0],
                version=when[1],
                runs=len(values),
                seconds_per_token=median(values),
                low_seconds_per_token=interval.low if interval else None,
                high_seconds_per_token=interval.high if interval else None,
                tokens_per_second=1 / median(values),
                step=None if step is None else step[0],
                step_low=None if step is None else step[1],
                step_high=None if step is None else step[2],
            )
        )
        before = values
    return tuple(sessions)


def _step(a: list[float], b: list[float], alpha: float) -> tuple[float, float, float] | None:
    """The change from one session to the next; None where none was found."""
    ends = shift_intervals(logs(a), logs(b), alpha)
    if ends is None or ends[0] <= 0 <= ends[1]:
        return None
    ratio, low, high = median(b) / median(a), math.exp(ends[0]), math.exp(ends[1])
    return ratio, min(low, ratio), max(high, ratio)


def _label(key: _Key) -> str:
    shown = dict(zip(_SAME, key, strict=True))
    parts = [shown[name] for name in ("model", "type", "engine", "device")]
    return printable(" · ".join(part for part in parts if part), 160) or "–"
