"""The journal: every run that was ever measured here, and the conditions of each campaign.

    <data folder>/runs.jsonl              one line a run, each on the disk before the next begins
    <data folder>/campaigns/<id>.lock     there while a process carries the campaign out
    <data folder>/campaigns/<id>.json     plan, machine, engine, versions, command line, notices

The data folder is the system's own place for such things; ``TOKENROOF_DATA`` names another.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from tokenroof.errors import AmbiguousName, NotFound, RecordError, UsageError
from tokenroof.notices import Notice
from tokenroof.records import Record, Run, RunModel
from tokenroof.store.files import append_line, make_folder, write_whole_file
from tokenroof.store.lock import held, is_held
from tokenroof.store.runs import RUNS_NAME, RunsRead, each_run, read_runs

_ID = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,63}")
"""An id becomes a file name, so it may hold nothing that leads out of the folder."""


LAST = "last"
"""Instead of an id: the newest campaign that did not finish and is not carried out now."""


class CampaignRecord(Record, frozen=True, kw_only=True):
    """The conditions of one campaign: what must be known to resume it, or to repeat it.

    `plan` is the campaign's plan as plain JSON (the room `measure` knows its meaning);
    `stopped` says for each length which rule ended it.
    """

    id: str
    state: Literal["running", "finished", "interrupted", "failed"]
    started: str
    plan: dict[str, Any]
    model: RunModel
    schema: Literal["tokenroof.campaign/1"] = "tokenroof.campaign/1"
    finished: str | None = None
    engine: dict[str, Any] = {}
    machine: dict[str, Any] = {}
    bandwidth: dict[str, Any] | None = None
    versions: dict[str, str] = {}
    command: tuple[str, ...] = ()
    stopped: dict[str, str] = {}
    notices: tuple[Notice, ...] = ()


class RunSink(Protocol):
    """A place that runs are written to, one by one."""

    def append(self, run: Run) -> None:
        """Keep a run; it is safe when this returns."""

    def runs(self, campaign: str | None = None) -> list[Run]:
        """What is kept there, of one campaign or of all."""


class RunsFile:
    """One ``runs.jsonl``: the journal's own, or the copy that belongs to a report."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, run: Run) -> None:
        """Append a run; it is on the disk when this returns.

        Raises:
            OutputError: disk full, read-only, no such folder. Nothing written before is lost.
        """
        append_line(self.path, msgspec.json.encode(run))

    def append_all(self, runs: Iterable[Run]) -> int:
        """Append those of the runs that are not there yet, all at once, and say how many.

        Raises:
            OutputError: as for `append`.
        """
        there = {run.id for run in each_run(self.path, [])} if self.path.exists() else set()
        lines = [msgspec.json.encode(run) for run in runs if run.id not in there]
        if lines:
            append_line(self.path, b"\n".join(lines))
        return len(lines)

    def replace(self, runs: Iterable[Run]) -> None:
        """Write these runs in place of those that are there.

        Raises:
            OutputError: they were not written; what was there is untouched.
        """
        write_whole_file(self.path, b"".join(msgspec.json.encode(run) + b"\n" for run in runs))

    def read(self) -> RunsRead:
        """All runs and what had to be left out; nothing where there is no file yet."""
        if not self.path.exists():
            return RunsRead([], [])
        return read_runs(self.path)

    def runs(self, campaign: str | None = None) -> list[Run]:
        """The runs of one campaign, or all of them, oldest first."""
        runs = self.read().runs
        return runs if campaign is None else [run for run in runs if run.campaign == campaign]


class Journal(RunsFile):
    """All runs and campaigns of this person on this machine."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder if folder is not None else data_folder()
        super().__init__(self.folder / RUNS_NAME)

    def append(self, run: Run) -> None:
        """Append a run; see `RunsFile.append`."""
        make_folder(self.folder)
        super().append(run)

    def append_all(self, runs: Iterable[Run]) -> int:
        """Append what is new among the runs; see `RunsFile.append_all`."""
        make_folder(self.folder)
        return super().append_all(runs)

    def save_campaign(self, record: CampaignRecord) -> None:
        """Write the conditions of a campaign, over those written before.

        Raises:
            OutputError: they cannot be written.
        """
        path = self._campaign_path(record.id)
        make_folder(path.parent)
        plain = msgspec.json.format(msgspec.json.encode(record), indent=1)
        write_whole_file(path, plain + b"\n")

    def campaign(self, name: str) -> CampaignRecord:
        """The conditions of the campaign with this id, or with this beginning of an id.

        Raises:
            NotFound: there is none.
            AmbiguousName: the beginning fits several.
            RecordError: they cannot be read, or a newer tokenroof wrote them.
        """
        if not _ID.fullmatch(name):
            raise NotFound("store.no_such_campaign", name=name)
        fitting = [id_ for id_ in self._campaign_ids() if id_.startswith(name)]
        if name in fitting:
            fitting = [name]
        if not fitting:
            raise NotFound("store.no_such_campaign", name=name)
        if len(fitting) > 1:
            candidates = ", ".join(fitting)
            raise AmbiguousName("store.ambiguous_campaign", name=name, candidates=candidates)
        return self._read_campaign(fitting[0])

    def resumable(self, name: str) -> CampaignRecord:
        """The campaign of a name, as for `campaign`, or of `LAST`.

        Raises:
            NotFound: there is none.
            AmbiguousName: as for `campaign`.
            RecordError: as for `campaign`.
            UsageError: another process carries it out.
        """
        if name != LAST:
            record = self.campaign(name)
            if is_held(self._lock_path(record.id)):
                raise UsageError("store.campaign_runs", campaign=record.id)
            return record
        running = None
        for record in self.campaigns():
            if record.state == "finished":
                continue
            if not is_held(self._lock_path(record.id)):
                return record
            running = running or record
        if running is not None:
            raise UsageError("store.campaign_runs", campaign=running.id)
        raise NotFound("store.nothing_to_resume")

    @contextlib.contextmanager
    def carrying_out(self, id_: str) -> Iterator[None]:
        """Keep others from resuming a campaign while the block carries it out.

        Raises:
            UsageError: another process does so.
            OutputError: the folder of the campaigns cannot be made.
        """
        path = self._lock_path(id_)
        make_folder(path.parent)
        with held(path) as ours:
            if not ours:
                raise UsageError("store.campaign_runs", campaign=id_)
            yield

    def campaigns(self) -> list[CampaignRecord]:
        """All campaigns that can be read, the newest first."""
        records = []
        for id_ in self._campaign_ids():
            try:
                records.append(self._read_campaign(id_))
            except RecordError:
                continue  # `campaign` says why, to the person who asks for this one
        return records

    def _campaign_path(self, id_: str) -> Path:
        assert _ID.fullmatch(id_), id_
        return self.folder / "campaigns" / f"{id_}.json"

    def _lock_path(self, id_: str) -> Path:
        return self._campaign_path(id_).with_suffix(".lock")

    def _campaign_ids(self) -> list[str]:
        # Ids begin with the time, so their order is the order of the campaigns.
        paths = (self.folder / "campaigns").glob("*.json")
        return sorted((path.stem for path in paths if _ID.fullmatch(path.stem)), reverse=True)

    def _read_campaign(self, id_: str) -> CampaignRecord:
        path = self._campaign_path(id_)
        try:
            return msgspec.json.decode(path.read_bytes(), type=CampaignRecord)
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as problem:
            raise RecordError("store.bad_campaign", path=path, reason=str(problem)) from problem


def data_folder() -> Path:
    """Where the journal lives: ``TOKENROOF_DATA``, else the system's place for user data."""
    chosen = os.environ.get("TOKENROOF_DATA")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("tokenroof", appauthor=False))
