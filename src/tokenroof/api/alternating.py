"""`bench --against`: two conditions measured now, in turns, and compared.

A machine changes while it is measured: it warms up, clocks fall, another job begins. Two campaigns
one after the other would put that down to the second condition. So blocks of three rounds are run
in turns, A B, then B A, and so on, which takes a drift that is even out of the difference. Each
block loads its model anew and warms up, as every session of a campaign does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenroof.api.benching import carry_out
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


@dataclass(frozen=True, slots=True)
class _With:
    """What every block is measured with."""

    watch_queue: str | None
    device: Device | None
    observer: CampaignObserver | None
    command: Sequence[str]


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
    first = prepare(model, asked)
    # B runs the lengths and the context of A, whatever its own would have been.
    same = BenchOptions(lengths=first.plan.lengths, context=first.plan.settings.context)
    second = prepare(other or model, BenchOptions(**{**asked, **same, **changes}))
    shown = ", ".join(f"{name}={value}" for name, value in changes.items())
    sides = (
        _Side(first, Path(str(model)).name),
        _Side(second, " ".join(filter(None, [Path(str(other or "")).name, shown])) or "B"),
    )
    rounds = asked.get("rounds") or steady_runs(share_of(2 * len(first.plan.lengths)))
    budget = asked.get("budget_seconds", 2 * DEFAULT_BUDGET_SECONDS)
    clock = clock or SystemClock()
    with_ = _With(watch_queue, device, observer, command)
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


def _measure(side: _Side, rounds: int, with_: _With) -> None:
    """Bring a side to so many rounds."""
    plan = msgspec.structs.replace(
        side.prepared.plan, rounds=rounds, max_rounds=rounds, budget_seconds=None
    )
    if side.campaign is not None:
        journal = Journal()
        record = journal.campaign(side.campaign)
        before = record.plan | {"rounds": rounds, "max_rounds": rounds}
        journal.save_campaign(msgspec.structs.replace(record, plan=before))
        plan = msgspec.structs.replace(plan, engine=str(before["engine"]))
    result = carry_out(
        plan,
        side.prepared.subject,
        side.campaign,
        with_.watch_queue,
        with_.device,
        with_.observer,
        (),
        with_.command,
    )
    side.campaign, side.runs = result.campaign.id, result.runs
