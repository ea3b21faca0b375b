"""A campaign file, carried out: one campaign a combination, one after the other.

A combination that fails is a row with the reason in it, and the next one begins. Killed at any
moment, the same file goes on where it stopped: what ended is kept, and the campaign that was under
way is resumed. Once every row has ended, the same file begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from tokenroof.api import setup
from tokenroof.api.benching import bench, resume_bench
from tokenroof.api.campaign_file import CampaignFile, Combination, read_campaign_file
from tokenroof.api.planning import PlanResult, plan_bench
from tokenroof.clock import Clock, SystemClock, stamp
from tokenroof.errors import EngineError, Interrupted, NotFound, OutputError, TokenroofError
from tokenroof.hardware.device import Device
from tokenroof.measure.observer import CampaignObserver, SilentObserver
from tokenroof.measure.plan import Plan
from tokenroof.records import Record
from tokenroof.store.batches import Batches, BatchRecord, BatchRow
from tokenroof.store.journal import Journal

Begun = Callable[[int, int, dict[str, Any]], None]
"""Told when a combination begins: its number, how many there are, what tells it from the others."""


class PlannedRow(Record, frozen=True, kw_only=True):
    """What one combination would do, or why it could not begin."""

    combination: dict[str, Any]
    plan: PlanResult | None = None
    error: str | None = None


class BatchPlan(Record, frozen=True, kw_only=True):
    """What a campaign file would do: `tokenroof.batch-plan/1`."""

    schema: Literal["tokenroof.batch-plan/1"] = "tokenroof.batch-plan/1"
    file: str
    rows: tuple[PlannedRow, ...]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its notices in one language."""
        plain = super().to_dict()
        for written, row in zip(plain["rows"], self.rows, strict=True):
            written["plan"] = None if row.plan is None else row.plan.to_dict(language)
        return plain


def plan_batch(path: Path, *, device: Device | None = None) -> BatchPlan:
    """What the combinations of a campaign file would do.

    Raises:
        NotFound: there is no such file.
        UsageError: it cannot be read as one.
    """
    file = read_campaign_file(path)
    return BatchPlan(
        file=str(path), rows=tuple(_planned(each, device) for each in file.combinations)
    )


def run_batch(
    path: Path,
    *,
    watch_queue: str | None = None,
    device: Device | None = None,
    observer: CampaignObserver | None = None,
    begun: Begun | None = None,
    command: Sequence[str] = (),
) -> BatchRecord:
    """Carry out a campaign file, or go on with it.

    Args:
        path: the file.
        watch_queue: as in `bench`; so are the others.
        begun: is told when a combination begins.

    Raises:
        NotFound: there is no such file.
        UsageError: it cannot be read as one, or another process carries it out.
        EngineError: not one combination could be measured.
        OutputError: a run could not be stored. All before it are.
        Interrupted: Ctrl-C. Every run that ended is stored.
    """
    setup.check_queue(watch_queue)
    file = read_campaign_file(path)
    journal, clock = Journal(), SystemClock()
    batches = Batches(journal.folder)
    with batches.carrying_out(file.id, str(path)):
        record = _begun_or_new(batches, file, path, clock)

        def keep(index: int, row: BatchRow) -> None:
            nonlocal record
            record = record.with_row(index, row)
            batches.save(record)

        for index, combination in enumerate(file.combinations):
            row = record.rows[index]
            if row.state in {"finished", "failed"}:
                continue
            if begun is not None:
                begun(index + 1, len(file.combinations), combination.varied)
            row = msgspec.structs.replace(row, state="running")
            keep(index, row)

            def planned(campaign: str, at: int = index, known: BatchRow = row) -> None:
                keep(at, msgspec.structs.replace(known, campaign=campaign))

            watched = _Begun(observer or SilentObserver(), planned)
            try:
                if row.campaign is not None and _is_kept(journal, row.campaign):
                    resume_bench(
                        row.campaign,
                        watch_queue=watch_queue,
                        device=device,
                        observer=cast("CampaignObserver", watched),
                        command=command,
                    )
                else:
                    bench(
                        combination.model,
                        watch_queue=watch_queue,
                        device=device,
                        observer=cast("CampaignObserver", watched),
                        command=command,
                        **combination.options,
                    )
            except (Interrupted, OutputError):
                raise
            except TokenroofError as problem:
                failed = {"state": "failed", "error": str(problem)}
                keep(index, msgspec.structs.replace(record.rows[index], **failed))
            else:
                keep(index, msgspec.structs.replace(record.rows[index], state="finished"))
        record = msgspec.structs.replace(record, finished=stamp(clock.now()))
        batches.save(record)
        if all(row.state == "failed" for row in record.rows):
            reason = record.rows[-1].error or "?"
            raise EngineError("batch.all_failed", path=str(path), reason=reason)
        return record


def _begun_or_new(batches: Batches, file: CampaignFile, path: Path, clock: Clock) -> BatchRecord:
    record = batches.find(file.id)
    if record is None or record.finished is not None or len(record.rows) != len(file.combinations):
        rows = tuple(BatchRow(combination=each.varied) for each in file.combinations)
        record = BatchRecord(
            id=file.id, file=str(path.absolute()), started=stamp(clock.now()), rows=rows
        )
        batches.save(record)
    return record


def _planned(combination: Combination, device: Device | None) -> PlannedRow:
    try:
        plan = plan_bench(combination.model, device=device, **combination.options)
    except TokenroofError as problem:
        return PlannedRow(combination=combination.varied, error=str(problem))
    return PlannedRow(combination=combination.varied, plan=plan)


def _is_kept(journal: Journal, campaign: str) -> bool:
    try:
        journal.campaign(campaign)
    except NotFound:
        return False
    return True


class _Begun:
    """An observer that also learns the id of the campaign before its first run."""

    def __init__(self, inner: CampaignObserver, begun: Callable[[str], None]) -> None:
        self._inner = inner
        self._begun = begun

    def planned(self, campaign: str, plan: Plan, runs_before: int) -> None:
        """See `CampaignObserver`."""
        self._begun(campaign)
        self._inner.planned(campaign, plan, runs_before)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


__all__ = ["BatchPlan", "CampaignFile", "PlannedRow", "plan_batch", "run_batch"]
