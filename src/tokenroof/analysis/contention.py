"""Whether other work ran beside the runs, and what is known of it.

It is said once, before anything else, since it puts every figure in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.units import percent

SAID_WHILE_MEASURING = frozenset(
    {"measure.contended", "measure.probe_slower", "quiet.busy", "quiet.queue"}
)
"""What a campaign noted of it, run by run; `contention` says it of all runs together."""


def is_contended(run: Run) -> bool:
    """Whether other work was seen beside it."""
    return "contended" in run.flags or run.excluded == "contended"


def contention(runs: Sequence[Run]) -> list[Notice]:
    """How many runs were made beside other work, and what it took: those that count, then those
    that do not."""
    counted = [run for run in runs if is_contended(run) and run.excluded is None]
    excluded = [run for run in runs if is_contended(run) and run.excluded is not None]
    found = []
    if counted:
        message, cause = _cause(counted)
        found.append(Notice(message, {"count": len(counted), "total": len(runs), **cause}))
    if excluded:
        values = {"count": len(excluded), "total": len(runs)}
        found.append(Notice("analysis.contended_excluded", values))
    return found


def _cause(runs: Sequence[Run]) -> tuple[str, dict[str, str]]:
    """What the other work took, by the first of the sources that tells."""
    reasons = [reason for run in runs for reason in _reasons(run)]
    busy = [reason for reason in reasons if reason.get("message") == "quiet.busy"]
    shares = [run.quiet.busy_before for run in runs if run.quiet.busy_before is not None]
    if busy and shares:
        values = {"source": str(_value(busy[0], "source")), "share": percent(max(shares))}
        return "analysis.contended_busy", values
    queue = [reason for reason in reasons if reason.get("message") == "quiet.queue"]
    if queue:
        return "analysis.contended_queue", {"source": str(_value(queue[0], "source"))}
    ratios = [ratio for run in runs if (ratio := _beside(run).get("probe_ratio")) is not None]
    if ratios and min(ratios) < 1:
        return "analysis.contended_probe", {"share": percent(1 - min(ratios))}
    return "analysis.contended", {}


def _beside(run: Run) -> dict[str, Any]:
    beside = run.raw.get("beside")
    return beside if isinstance(beside, dict) else {}


def _reasons(run: Run) -> Iterator[dict[str, Any]]:
    said = _beside(run).get("not_quiet")
    yield from (each for each in said or () if isinstance(each, dict))


def _value(reason: dict[str, Any], name: str) -> object:
    values = reason.get("values")
    return values.get(name, "?") if isinstance(values, dict) else "?"
