"""Which runs may be taken together.

A series is one model under one set of conditions: the same file, engine, version, backend, flags,
device and settings, and whether tokens were drafted. Records that stand for several runs form
series of their own, since pooling them with single runs would weigh a whole campaign like one run.
Within a series, runs asked for the same length are repeats of one condition.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tokenroof.medians import median
from tokenroof.records import Run
from tokenroof.safetext import printable

SeriesRuns = tuple[Run, ...]

LABEL_LIMIT = 160


def series_of(runs: Iterable[Run]) -> list[SeriesRuns]:
    """Runs by series, in the order in which each first appears.

    Runs whose prompt was to be found in a cache are the second halves of pairs, which the
    campaign compares; they are no repeats of anything.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        if run.workload.cached:
            continue
        groups.setdefault(_series_key(run), []).append(run)
    return [tuple(group) for group in groups.values()]


def _series_key(run: Run) -> str:
    same = [
        run.model.name,
        run.model.digest,
        run.model.file_type,
        run.engine.to_dict(),
        run.device,
        run.settings.to_dict(),
        "speculative" in run.flags,
        run.aggregate is not None,
    ]
    return json.dumps(same, sort_keys=True)


def conditions_of(runs: SeriesRuns, *, phase_is_decode: bool) -> list[SeriesRuns]:
    """Runs of a series by length. An aggregate is a group of its own.

    The length is the one asked for, since prompts hit it to about 2 % only; where nobody asked,
    as in an imported log, it is the length there was. For decode the length of the answer counts
    too: it decides at which mean depth the figure belongs.
    """
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        asked = run.workload.prompt_target
        length = run.prompt.tokens if asked is None else asked
        key: tuple[object, ...] = (length, run.workload.depth)
        if phase_is_decode:
            answer = run.workload.output_target
            key += (run.output.steps if answer is None else answer,)
        if run.aggregate is not None:
            key += (run.id,)
        groups.setdefault(key, []).append(run)
    return [tuple(group) for group in groups.values()]


def prompt_tokens(runs: Sequence[Run]) -> float | None:
    """How long the prompts of one condition were: the same for both phases, so that the figures
    of a run stand in one row even where only one of them is known."""
    counted = [run for run in runs if run.excluded is None] or runs
    known = [run.prompt.tokens for run in counted if run.prompt.tokens is not None]
    return float(median(known)) if known else None


def labels(groups: Sequence[SeriesRuns]) -> list[str]:
    """A name for each series: the model's, and whatever tells it from others of that name.

    Names come from files, so they are made fit to be shown here, once.
    """
    named: dict[str, list[dict[str, str]]] = {}
    for group in groups:
        named.setdefault(_name(group[0]), []).append(_distinctions(group[0]))
    found = []
    for group in groups:
        run = group[0]
        peers, own = named[_name(run)], _distinctions(run)
        telling = [
            value
            for key, value in own.items()
            if value and any(peer.get(key, "") != value for peer in peers)
        ]
        found.append(printable(" · ".join([_name(run), *telling]), LABEL_LIMIT))
    return _numbered(found)


def _name(run: Run) -> str:
    """The model's name; of an imported figure whose model nobody named, where it came from."""
    return run.model.name or run.source


def _distinctions(run: Run) -> dict[str, str]:
    settings = run.settings.to_dict()
    flags = {f"engine.{key}": f"{key}={value}" for key, value in run.engine.flags.items()}
    return {
        "file_type": run.model.file_type or "",
        "digest": (run.model.digest or "").rpartition(":")[2][:8],
        "engine": run.engine.name,
        "version": run.engine.version or "",
        "backend": run.engine.backend or "",
        "device": run.device or "",
        **{key: f"{key}={value}" for key, value in settings.items() if value is not None},
        "speculative": "speculative" if "speculative" in run.flags else "",
        **flags,
        "aggregate": run.aggregate.statistic if run.aggregate else "",
    }


def _numbered(names: list[str]) -> list[str]:
    """Two series never share a label, even where what tells them apart is that one says less."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
