"""Whether the machine became slower or faster while it was measured.

Each run is divided by the median of its own length; then the first third of the campaign is held
against the last. Lengths are interleaved, so a difference belongs to the time of day, not to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.measure.stopping import PHASES, Phase, seconds_per_token
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.units import percent

_WORTH_SAYING = 0.05
_FEWEST = 9
"""Three runs in each third, so that one stall is not a trend."""


def drift(runs: Sequence[Run], phase: Phase) -> float | None:
    """Time per token in the last third over that in the first, minus 1; None with too few runs."""
    by_length: dict[int | None, list[float]] = {}
    timed = []
    for run in runs:
        seconds = seconds_per_token(run, phase) if _counts(run) else None
        if seconds is not None:
            length = run.workload.prompt_target
            by_length.setdefault(length, []).append(seconds)
            timed.append((length, seconds))
    if len(timed) < _FEWEST:
        return None
    middle = {length: median(values) for length, values in by_length.items()}
    relative = [seconds / middle[length] for length, seconds in timed]
    third = len(relative) // 3
    return median(relative[-third:]) / median(relative[:third]) - 1


def _counts(run: Run) -> bool:
    return run.excluded is None and not run.workload.cached


def drift_notices(runs: Sequence[Run]) -> list[Notice]:
    """One notice for each phase that drifted by more than a twentieth."""
    notices = []
    for phase in PHASES:
        change = drift(runs, phase)
        if change is not None and abs(change) > _WORTH_SAYING:
            values = {"phase": phase, "percent": percent(abs(change))}
            message = "measure.drift_slower" if change > 0 else "measure.drift_faster"
            notices.append(Notice(message, values))
    return notices
