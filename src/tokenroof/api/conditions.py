"""What surrounded the runs, written into them and read out of them.

A file of runs is carried to other machines, where neither the journal nor the model's file is. So
each run says what it read and computed, the first run of a campaign what surrounded it all, and
the last one, written once more, what was known of that only at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tokenroof.analysis import Conditions, Peak
from tokenroof.analysis.costs import ModelCosts, cost_of
from tokenroof.api.setup import BandwidthKnown, stored_bandwidth
from tokenroof.hardware.bandwidth import ReadBandwidth
from tokenroof.hardware.device import Device, ceiling_bandwidth
from tokenroof.notices import Notice
from tokenroof.records import BandwidthMeasured, MemoryBandwidth, Run, RunConditions
from tokenroof.store.journal import CampaignRecord


class Completer:
    """Writes into runs, as they come, what they cost and, once, what surrounds them.

    Args:
        model: whose cost it is; None where only a server knows it.
        conditions: of the campaign.
    """

    def __init__(self, model: ModelCosts | None, conditions: RunConditions) -> None:
        self._model = model
        self._conditions: RunConditions | None = conditions

    def __call__(self, run: Run) -> Run:
        """The run with all that it needs to be understood elsewhere."""
        conditions, self._conditions = self._conditions, None
        cost = None if self._model is None else cost_of(run, self._model)
        return msgspec.structs.replace(run, cost=cost, conditions=conditions)


def conditions_of(record: CampaignRecord) -> RunConditions:
    """The conditions of a campaign that the journal holds."""
    return RunConditions(
        command=record.command,
        machine=record.machine,
        versions=record.versions,
        bandwidth=memory_bandwidth(stored_bandwidth(record)),
        notices=record.notices,
    )


def memory_bandwidth(known: BandwidthKnown | None) -> MemoryBandwidth | None:
    """What is stored of a bandwidth, in the words of a run; None where there is no figure."""
    if known is None:
        return None
    device = known.device
    if device.bandwidth_bytes_per_second is None or device.bandwidth_basis is None:
        return None
    return MemoryBandwidth(
        bytes_per_second=device.bandwidth_bytes_per_second,
        basis=device.bandwidth_basis,
        name=device.name,
        place=device.place,
        measured=tuple(map(_measured, known.measured)),
    )


def _measured(read: ReadBandwidth) -> BandwidthMeasured:
    repeats = {loop.name: len(loop.bytes_per_second) for loop in read.loops}
    return BandwidthMeasured(
        best_bytes_per_second=read.best_bytes_per_second,
        median_bytes_per_second=read.median_bytes_per_second,
        lowest_bytes_per_second=read.lowest_bytes_per_second,
        repeats=repeats.get(read.loop, 1),
        threads=read.threads,
    )


def with_conditions(runs: Sequence[Run], record: CampaignRecord) -> tuple[Run, ...]:
    """The campaign's runs, the first of them with all that is known of it by now."""
    found, told = [], False
    for run in runs:
        conditions = run.conditions
        if run.campaign == record.id:
            conditions = None if told else conditions_of(record)
            told = True
        found.append(msgspec.structs.replace(run, conditions=conditions))
    return tuple(found)


def stated(runs: Iterable[Run]) -> dict[str | None, RunConditions]:
    """The conditions of each campaign, as its runs state them.

    A campaign states them at its beginning, at its end and where it was resumed: the last ones
    hold, and the larger bandwidth, since a disturbance only ever makes one smaller.
    """
    found: dict[str | None, RunConditions] = {}
    for run in runs:
        if run.conditions is None:
            continue
        before, now = found.get(run.campaign), run.conditions
        if before is not None:
            bandwidth = _better(before.bandwidth, now.bandwidth)
            notices = tuple(_distinct((*before.notices, *now.notices)))
            now = msgspec.structs.replace(now, bandwidth=bandwidth, notices=notices)
        found[run.campaign] = now
    return found


def _better(before: MemoryBandwidth | None, now: MemoryBandwidth | None) -> MemoryBandwidth | None:
    if before is None or now is None or (before.basis, now.basis) != ("measured", "measured"):
        return now or before
    best = max(before, now, key=lambda each: each.bytes_per_second)
    earlier = [each for each in before.measured if each not in now.measured]
    return msgspec.structs.replace(best, measured=(*earlier, *now.measured))


def shared(every: Iterable[RunConditions], notices: Sequence[Notice] = ()) -> Conditions:
    """What holds for all of some campaigns, for the report.

    Args:
        every: the conditions of each.
        notices: what was found when the runs were read.
    """
    all_ = list(every)
    commands = list(dict.fromkeys(each.command for each in all_))
    first = all_[0] if all_ else RunConditions()
    return Conditions(
        command=commands[0] if len(commands) == 1 else (),
        machine={
            key: value
            for key, value in first.machine.items()
            if all(each.machine.get(key) == value for each in all_)
        },
        versions={
            key: value
            for key, value in first.versions.items()
            if all(each.versions.get(key) == value for each in all_)
        },
        notices=tuple(_distinct((*notices, *(n for each in all_ for n in each.notices)))),
        remarks=tuple(dict.fromkeys(remark for each in all_ for remark in each.remarks)),
    )


def _distinct(notices: Iterable[Notice]) -> list[Notice]:
    found: list[Notice] = []
    for notice in notices:
        if notice not in found:
            found.append(notice)
    return found


def peaks_of(runs: Sequence[Run], conditions: dict[str | None, RunConditions]) -> tuple[Peak, ...]:
    """What bounds the runs of each campaign.

    A peak belongs to a device, and is looked for by it. Where all runs are of one campaign, they
    share one whatever they call their device.
    """
    if set(conditions) == {run.campaign for run in runs} and len(conditions) == 1:
        (only,) = conditions.values()
        return () if only.bandwidth is None else (_peak(only.bandwidth, runs),)
    found: dict[str, Peak] = {}
    for campaign, each in conditions.items():
        if each.bandwidth is None:
            continue
        own = [run for run in runs if run.campaign == campaign]
        for device in dict.fromkeys(run.device for run in own if run.device is not None):
            peak = _peak(each.bandwidth, [run for run in own if run.device == device])
            peak = msgspec.structs.replace(peak, device=device)
            before = found.get(device)
            if before is None or _height(peak) > _height(before):
                found[device] = peak
    return tuple(found.values())


def _height(peak: Peak) -> float:
    return peak.bandwidth_bytes_per_second or 0.0


def _peak(bandwidth: MemoryBandwidth, runs: Sequence[Run]) -> Peak:
    if bandwidth.device is None and bandwidth.basis != "public":
        device = Device(
            name=bandwidth.name or "?",
            source="",
            place=bandwidth.place,
            bandwidth_bytes_per_second=bandwidth.bytes_per_second,
            bandwidth_basis=bandwidth.basis,
        )
        peak = peak_of(device, runs)
        if peak.bandwidth_bytes_per_second is None:
            return peak
    return Peak(
        device=bandwidth.device,
        bandwidth_bytes_per_second=bandwidth.bytes_per_second,
        bandwidth_basis=bandwidth.basis,
        bandwidth_source=bandwidth.name,
        bandwidth_measured=bandwidth.measured,
    )


def peak_of(device: Device | None, runs: Sequence[Run]) -> Peak:
    """The bandwidth of a device where it bounds these runs, or why it does not."""
    places = {run.engine.place for run in runs}
    ceiling = ceiling_bandwidth(device, places.pop() if len(places) == 1 else None)
    if device is None or ceiling.bytes_per_second is None or ceiling.basis is None:
        return Peak(notices=ceiling.notices)
    return Peak(
        bandwidth_bytes_per_second=ceiling.bytes_per_second,
        bandwidth_basis=ceiling.basis,
        bandwidth_source=device.name,
        flop_per_second=device.flop_per_second,
        notices=ceiling.notices,
    )
