"""`bench --against`: two conditions measured now, in turns, and compared.

A machine changes while it is measured: it warms up, clocks fall, another job begins. Two campaigns
one after the other would put that down to the second condition. So blocks of three rounds are run
in turns, A B, then B A, and so on, which takes a drift that is even out of the difference. Each
block loads its model anew and warms up, as every session of a campaign does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenroof.api.benching import With, carry_out, refuse_unfit
from tokenroof.api.planning import BenchOptions, Prepared, prepare
from tokenroof.clock import Clock, SystemClock
from tokenroof.comparing import Comparison, compare_runs
from tokenroof.comparing.detectable import steady_runs
from tokenroof.comparing.ratio import share_of
from tokenroof.measure.plan import DEFAULT_BUDGET_SECONDS, MIN_ROUNDS
from tokenroof.records import Run
from tokenroof.store.journal import Journal

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.measure.observer import CampaignObserver

BLOCK_ROUNDS = MIN_ROUNDS


@dataclass
class _Side:
    """One condition, and its campaign once it has begun."""

    prepared: Prepared
    name: str
    campaign: str | None = None
    runs: tuple[Run, ...] = ()

    @property
    def label(self) -> str:
        """What the comparison calls it: its campaign is a side of `compare` as well."""
        return f"{self.name} ({(self.campaign or '')[:13]})"


def bench_against(
    model: str | Path,
    other: str | Path | None,
    changes: BenchOptions,
    *,
    watch_queue: str | None = None,
    device: Device | None = None,
    observer: CampaignObserver | None = None,
    command: Sequence[str] = (),
    options: BenchOptions | None = None,
    clock: Clock | None = None,
) -> Comparison:
    """Measure a model under two conditions in turns, and compare them.

    Args:
        model: what is measured; A.
        other: another model for B; None for the same.
        changes: what is different in B.
        watch_queue: as in `bench`; so are `device`, `observer` and `command`.
        options: of both. `rounds` is what each side gets, by default as many as outlive a stall;
            `budget_seconds` is for both together, and no pair of blocks begins after it.
        clock: for the budget.

    Raises:
        TokenroofError: as in `bench`.
    """
    asked = options or BenchOptions()
    first = _watching(prepare(model, asked), watch_queue)
    # B runs the lengths and the context of A, whatever its own would have been.
    same = BenchOptions(lengths=first.plan.lengths, context=first.plan.settings.context)
    second = _watching(
        prepare(other or model, BenchOptions(**{**asked, **same, **changes})), watch_queue
    )
    shown = ", ".join(f"{name}={_written(value)}" for name, value in changes.items())
    sides = (
        _Side(first, Path(str(model)).name),
        _Side(second, " ".join(filter(None, [Path(str(other or "")).name, shown])) or "B"),
    )
    rounds = asked.get("rounds") or steady_runs(share_of(2 * len(first.plan.lengths)))
    budget = asked.get("budget_seconds", 2 * DEFAULT_BUDGET_SECONDS)
    clock = clock or SystemClock()
    with_ = With(device, observer, command=command)
    for side in sides:
        refuse_unfit(side.prepared.plan, side.prepared.subject)
    begun, done = clock.monotonic(), 0
    while done < rounds:
        if done and budget is not None and clock.monotonic() - begun > budget:
            break
        done = min(done + BLOCK_ROUNDS, rounds)
        order = sides if done // BLOCK_ROUNDS % 2 else sides[::-1]
        for side in order:
            _measure(side, done, with_)
    a, b = sides
    return compare_runs(a.runs, b.runs, names=(a.label, b.label), allow=True)


def _written(value: object) -> str:
    """A value as it is typed on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(dict.fromkeys(value)) if isinstance(value, tuple) else str(value)


def _watching(prepared: Prepared, queue: str | None) -> Prepared:
    return replace(prepared, plan=msgspec.structs.replace(prepared.plan, watch_queue=queue))


def _measure(side: _Side, rounds: int, with_: With) -> None:
    """Bring a side to so many rounds."""
    plan = msgspec.structs.replace(
        side.prepared.plan, rounds=rounds, max_rounds=rounds, budget_seconds=None
    )
    record = None
    if side.campaign is not None:
        journal = Journal()
        record = journal.campaign(side.campaign)
        before = record.plan | {"rounds": rounds, "max_rounds": rounds}
        record = msgspec.structs.replace(record, plan=before)
        journal.save_campaign(record)
        plan = msgspec.structs.replace(plan, engine=str(before["engine"]))
    result = carry_out(plan, side.prepared.subject, with_, resumed=record)
    side.campaign, side.runs = result.campaign.id, result.runs
