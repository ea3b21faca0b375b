"""`report`: what measured runs show, from the journal or from a file of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tokenroof.analysis import Analysis, Conditions, Peak, analyse
from tokenroof.api.models import open_model
from tokenroof.api.setup import BandwidthKnown, run_model
from tokenroof.errors import NotFound, TokenroofError
from tokenroof.hardware.device import Device, ceiling_bandwidth
from tokenroof.measure.campaign import plan_of
from tokenroof.model import Model
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.store.journal import CampaignRecord, Journal
from tokenroof.store.runs import read_runs


@dataclass(frozen=True, slots=True)
class Reported:
    """Runs and what they show. `campaign` is None where they are not of one known campaign."""

    runs: tuple[Run, ...]
    analysis: Analysis
    campaign: CampaignRecord | None

    @property
    def name(self) -> str:
        """What to call it: its model, or `runs` where there are several."""
        models = {run.model.name for run in self.runs}
        return (models.pop() if len(models) == 1 else None) or "runs"


def report(source: str | Path | None = None, *, device: Device | None = None) -> Reported:
    """What measured runs show.

    Args:
        source: a file of runs, a folder that holds one, the id of a campaign or its beginning;
            None for the latest campaign that has runs.
        device: what held the layers, where its bandwidth is known from elsewhere.

    Raises:
        NotFound: there is nothing of that name, or nothing was measured yet.
        AmbiguousName: the beginning of an id that fits several campaigns.
        RecordError: it cannot be read as runs.
    """
    journal = Journal()
    if source is None:
        return _of_campaign(journal, _latest(journal), device)
    if isinstance(source, Path) or Path(source).exists() or not _may_be_id(source):
        read = read_runs(Path(source))
        record = _campaign_of(journal, read.runs)
        return _reported(tuple(read.runs), record, read.notices, device)
    return _of_campaign(journal, journal.campaign(source), device)


def report_of(record: CampaignRecord, runs: Sequence[Run]) -> Reported:
    """What the runs of a campaign show that was just measured."""
    return _reported(tuple(runs), record, (), None)


def _may_be_id(name: str) -> bool:
    """Whether it looks like an id or its beginning, which are hexadecimal with dashes."""
    return bool(name) and set(name.lower()) <= set("0123456789abcdef-")


def _latest(journal: Journal) -> CampaignRecord:
    measured = {run.campaign for run in journal.runs()}
    for record in journal.campaigns():
        if record.id in measured:
            return record
    raise NotFound("api.nothing_measured", folder=journal.folder)


def _of_campaign(journal: Journal, record: CampaignRecord, device: Device | None) -> Reported:
    read = journal.read()
    runs = tuple(run for run in read.runs if run.campaign == record.id)
    return _reported(runs, record, read.notices, device)


def _campaign_of(journal: Journal, runs: Sequence[Run]) -> CampaignRecord | None:
    """The one campaign that all these runs belong to, where this person's journal knows it."""
    ids = {run.campaign for run in runs}
    if len(ids) != 1:
        return None
    (id_,) = ids
    try:
        return None if id_ is None else journal.campaign(id_)
    except TokenroofError:
        return None


def _reported(
    runs: tuple[Run, ...],
    record: CampaignRecord | None,
    notices: Sequence[Notice],
    device: Device | None,
) -> Reported:
    model = None if record is None else _model_of(record)
    costs = {} if record is None or model is None else {_key(record): model}
    conditions = Conditions(notices=tuple(notices))
    if record is not None:
        conditions = Conditions(
            command=record.command,
            machine=record.machine,
            versions=record.versions,
            notices=(*notices, *record.notices),
        )
    if device is None and record is not None:
        device = _stored_device(record)
    peaks = () if record is None and device is None else (_peak(device, runs),)
    return Reported(runs, analyse(runs, costs, peaks=peaks, conditions=conditions), record)


def _key(record: CampaignRecord) -> str:
    return record.model.digest or record.model.name or ""


def _model_of(record: CampaignRecord) -> Model | None:
    """The model that was measured; None where its file is gone, or is another one by now."""
    try:
        model = open_model(plan_of(record).model)
        same = run_model(model).digest == record.model.digest
    except TokenroofError:
        return None
    return model if same else None


def _stored_device(record: CampaignRecord) -> Device | None:
    """The device whose bandwidth was measured or given when the campaign was made."""
    try:
        known = msgspec.convert(record.bandwidth, BandwidthKnown | None)
    except msgspec.ValidationError:
        return None
    return None if known is None else known.device


def _peak(device: Device | None, runs: Sequence[Run]) -> Peak:
    """The bandwidth that bounds the runs, or why there is none."""
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
