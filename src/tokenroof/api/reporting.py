"""`report`: what measured runs show, from the journal or from a file of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenroof.analysis import Analysis, Ask, analyse
from tokenroof.api.conditions import peak_of, peaks_of, shared, stated, with_conditions
from tokenroof.api.models import open_model
from tokenroof.api.report_paces import predicting
from tokenroof.api.setup import run_model
from tokenroof.errors import NotFound, TokenroofError
from tokenroof.hardware.device import Device
from tokenroof.measure.campaign import plan_of
from tokenroof.model import Model
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.store.journal import CampaignRecord, Journal
from tokenroof.store.runs import RunsRead, read_runs

PAGES = {".html", ".htm"}


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
        source: a file of runs, a report.html, a folder that holds runs, the id of a campaign or
            its beginning; None for the latest campaign that has runs.
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
        read = _read(Path(source))
        record = _campaign_of(journal, read.runs)
        return _reported(tuple(read.runs), record, read.notices, device)
    return _of_campaign(journal, journal.campaign(source), device)


def report_of(record: CampaignRecord, runs: Sequence[Run]) -> Reported:
    """What the runs of a campaign show that was just measured."""
    return _reported(tuple(runs), record, (), None)


def _read(path: Path) -> RunsRead:
    """Runs of a file or a folder, or those inside a page."""
    if path.suffix.lower() in PAGES and path.is_file():
        from tokenroof.report.embedded import read_report

        return RunsRead(read_report(path), [])
    return read_runs(path)


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
    costs, model = {}, None
    if record is not None:
        # The journal knows how the campaign ended, which its first run could not.
        runs = with_conditions(runs, record)
        model = _model_of(record)
        costs = {} if model is None else {record.model.digest or record.model.name or "": model}
    conditions = stated(runs)
    peaks = (peak_of(device, runs),) if device is not None else peaks_of(runs, conditions)
    if record is not None and not peaks:
        peaks = (peak_of(None, runs),)
    analysis = analyse(
        runs,
        costs,
        peaks=peaks,
        conditions=shared(conditions.values(), notices),
        asks=[
            Ask(prompt_tokens=prompt, output_tokens=output)
            for each in conditions.values()
            for prompt, output in each.waits
        ],
        predicting=(lambda _: ()) if model is None else predicting(model, peaks),
    )
    return Reported(runs, analysis, record)


def _model_of(record: CampaignRecord) -> Model | None:
    """The model that was measured; None where its file is gone, or is another one by now."""
    try:
        model = open_model(plan_of(record).model)
        same = run_model(model).digest == record.model.digest
    except TokenroofError:
        return None
    return model if same else None
