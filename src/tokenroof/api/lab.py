"""`lab`: the whole job. Inspect a model, measure it, say what limits it, write the report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Unpack

from tokenroof.analysis import Analysis
from tokenroof.api.benching import BenchResult, bench, resume_bench
from tokenroof.api.planning import BenchOptions
from tokenroof.api.reporting import Reported, report_of
from tokenroof.api.setup import subject, writing
from tokenroof.clock import SystemClock
from tokenroof.errors import EngineError, InputError
from tokenroof.hardware.device import Device
from tokenroof.measure.campaign import plan_of
from tokenroof.measure.observer import CampaignObserver
from tokenroof.model import Inspection, inspection
from tokenroof.records import Record
from tokenroof.safetext import printable
from tokenroof.store.files import check_writable, make_folder, make_new_folder
from tokenroof.store.journal import Journal, RunsFile
from tokenroof.store.runs import RUNS_NAME

_UNSAFE = re.compile(r"[^\w.-]+")

_NAME_LIMIT = 60


class LabResult(Record, frozen=True, kw_only=True):
    """Everything that came of it: `tokenroof.lab/1`. `files` lie in `folder`, the page first."""

    schema: Literal["tokenroof.lab/1"] = "tokenroof.lab/1"
    inspect: Inspection
    bench: BenchResult
    report: Analysis
    folder: str
    files: tuple[str, ...]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in one language."""
        return {
            "schema": self.schema,
            "inspect": self.inspect.to_dict(language),
            "bench": self.bench.to_dict(language),
            "report": self.report.to_dict(language),
            "folder": self.folder,
            "files": list(self.files),
        }


def lab(
    model: str | Path | None = None,
    *,
    resume: str | None = None,
    parent: Path = Path("lab"),
    language: str = "en",
    watch_queue: str | None = None,
    device: Device | None = None,
    observer: CampaignObserver | None = None,
    command: Sequence[str] = (),
    **options: Unpack[BenchOptions],
) -> LabResult:
    """Inspect a model, measure it here, and write the report into a new folder.

    Args:
        model: as in `bench`.
        resume: a campaign to go on with, instead of a model.
        parent: the folder in which ``<model>-<date>`` is made.
        language: of the report.
        watch_queue: as in `bench`; so are the others.

    Raises:
        TokenroofError: as in `bench`. Where an engine failed after some runs, their report is
            written all the same.
    """
    journal = Journal()
    record = None if resume is None else journal.resumable(resume)
    if record is not None:
        model = plan_of(record).model
    assert model is not None, "a model, or a campaign to resume"
    loaded = subject(model).model
    if loaded is None:
        raise InputError("api.no_header", name=printable(str(model)))
    # Before minutes of measuring, not after them.
    with _own_folder(parent, loaded.name) as folder:
        copy = RunsFile(folder / RUNS_NAME)
        try:
            if record is None:
                measured = bench(
                    model,
                    watch_queue=watch_queue,
                    device=device,
                    observer=observer,
                    sinks=(copy,),
                    command=command,
                    **options,
                )
            else:
                measured = resume_bench(
                    record.id,
                    watch_queue=watch_queue,
                    device=device,
                    observer=observer,
                    sinks=(copy,),
                    command=command,
                )
        except EngineError:
            _write_what_there_is(copy, language)
            raise
        reported = report_of(measured.campaign, measured.runs)
        copy.replace(reported.runs)
        files = write_files(folder, reported, language)
    return LabResult(
        inspect=inspection(loaded),
        bench=measured,
        report=reported.analysis,
        folder=str(folder),
        files=(str(copy.path), *map(str, files)),
    )


def write_files(folder: Path, reported: Reported, language: str) -> tuple[Path, ...]:
    """Page, summary and charts into a folder, which is made.

    Raises:
        OutputError: they cannot be written.
    """
    from tokenroof.report import write_report

    make_folder(folder)
    return write_report(folder, reported.analysis, reported.runs, language)


def new_folder(parent: Path, name: str) -> Path:
    """Make ``<parent>/<name>-<YYYYMMDD-HHMMSS>``; no name leads out of `parent`.

    Raises:
        OutputError: it cannot be made.
    """
    plain = _UNSAFE.sub("-", name)[:_NAME_LIMIT].strip("-._") or "model"
    stamp = SystemClock().now().astimezone().strftime("%Y%m%d-%H%M%S")
    return make_new_folder(parent / f"{plain}-{stamp}")


@contextmanager
def _own_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder that can be written to; if nothing comes into it, it goes away again."""
    was_there = parent.exists()
    folder = None
    try:
        with writing(parent, "api.lab_not_writable"):
            folder = new_folder(parent, name)
            check_writable(folder)
        yield folder
    finally:
        # Only empty folders can be removed like this.
        with contextlib.suppress(OSError):
            if folder is not None:
                folder.rmdir()
            if not was_there:
                parent.rmdir()


def _write_what_there_is(copy: RunsFile, language: str) -> None:
    """The report of the runs before an engine failed, where there are any."""
    runs = copy.runs()
    if runs and runs[0].campaign is not None:
        reported = report_of(Journal().campaign(runs[0].campaign), runs)
        copy.replace(reported.runs)
        write_files(copy.path.parent, reported, language)
