"""When a length has been measured often enough.

The rule looks at n = 6, 9, 12, ... runs that count. It stops where the half-width of the 95 %
interval of the median is under the wanted share of the median, for prefill and for decode. Looking
several times and stopping at a narrow interval favours intervals that are narrow by luck;
docs/method.md shows by simulation what that costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tokenroof.medians import median, median_interval
from tokenroof.records import Run

Phase = Literal["prefill", "decode"]
PHASES: tuple[Phase, ...] = ("prefill", "decode")

FIRST_LOOK = 6
"""The smallest n that has a 95 % interval of the median."""

LOOK_EVERY = 3


def seconds_per_token(run: Run, phase: Phase) -> float | None:
    """What the rule judges: a time, but one that a prompt of 510 or 515 tokens does not change."""
    prefill = phase == "prefill"
    rate = run.prefill_tokens_per_second if prefill else run.decode_tokens_per_second
    return 1 / rate if rate else None


def counts(run: Run) -> bool:
    """Whether a run is one of the n: not excluded, and with a figure for some phase."""
    return run.excluded is None and any(seconds_per_token(run, phase) for phase in PHASES)


def relative_half_width(runs: Sequence[Run], phase: Phase) -> float | None:
    """Half-width of the 95 % interval over the median; None where there is no interval."""
    values = [value for run in runs if (value := seconds_per_token(run, phase)) is not None]
    interval = median_interval(values)
    return None if interval is None else interval.half_width / median(values)


def next_look(n: int) -> int:
    """The number of runs at which the rule looks next, after n of them."""
    if n < FIRST_LOOK:
        return FIRST_LOOK
    return n + LOOK_EVERY - n % LOOK_EVERY


def is_precise(runs: Sequence[Run], precision: float, rounds: int = 0) -> bool:
    """Whether these runs, in their order, had reached the precision at one of the looks.

    Looks before `rounds` runs do not count: those are made in any case.
    A phase for which the engine gives no figure at all is not waited for.
    """
    counted = [run for run in runs if counts(run)]
    looks = range(FIRST_LOOK, len(counted) + 1, LOOK_EVERY)
    return any(n >= rounds and _precise_at(counted[:n], precision) for n in looks)


def _precise_at(runs: Sequence[Run], precision: float) -> bool:
    for phase in PHASES:
        if any(seconds_per_token(run, phase) for run in runs):
            width = relative_half_width(runs, phase)
            if width is None or width >= precision:
                return False
    return True
