"""`import`: figures that were measured elsewhere, as runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from msgspec import structs

from tokenroof.errors import InputError, NotFound
from tokenroof.importing import Imported, import_file, import_stream
from tokenroof.records import Run
from tokenroof.safetext import printable
from tokenroof.store.journal import Journal
from tokenroof.store.runs import RUNS_NAME, each_run
from tokenroof.units import GB

_SUFFIXES = {
    *("", ".md", ".txt", ".log", ".out", ".csv", ".json", ".jsonl", ".ndjson", ".sql", ".sse"),
    *(".html", ".htm"),
}
"""Of files that may hold figures; a folder has pictures and programs in it as well."""


def import_figures(
    sources: Iterable[str | Path] = (),
    *,
    paste: BinaryIO | None = None,
    bandwidth: float | None = None,
) -> Imported:
    """The runs in files, in folders, and in a paste. Nothing is kept; see `keep`.

    Args:
        sources: files, and folders: a folder's ``runs.jsonl``, else all text files below it.
        paste: a stream of bytes, read before the files.
        bandwidth: of the memory of the device that ran them, in GB/s.

    Raises:
        NotFound: there is no such file, or none in a folder.
        InputError: a file cannot be read.
    """
    per_second = None if bandwidth is None else bandwidth * GB
    parts = [] if paste is None else [import_stream(paste, None, per_second)]
    files = [file for source in sources for file in _files(Path(source))]
    parts += [_imported(file, per_second) for file in files]
    runs: dict[str, Run] = {}
    for part in parts:
        for run in part.runs:
            runs.setdefault(run.id, run)
    return Imported(
        runs=tuple(runs.values()),
        refused=tuple(each for part in parts for each in part.refused),
        notices=tuple(each for part in parts for each in part.notices),
    )


def keep(imported: Imported, journal: Journal | None = None) -> tuple[Imported, int]:
    """Let the runs join the journal, under an id that is made of them.

    Runs that are there already, and those of a campaign of ours, stand under the id that they have.

    Returns:
        The import as it was kept, its `campaign` the one id that all of its runs stand under, if
        they do; and how many of its runs were not there before.

    Raises:
        OutputError: they cannot be written.
    """
    campaign: str | None = _campaign(imported.runs)
    runs = tuple(
        structs.replace(run, campaign=campaign) if run.campaign is None else run
        for run in imported.runs
    )
    journal = journal or Journal()
    new = journal.append_all(runs)
    if new < len(runs):
        runs = tuple(_as_they_stand(runs, journal))
    campaigns = {run.campaign for run in runs}
    campaign = campaigns.pop() if len(campaigns) == 1 else None
    return structs.replace(imported, campaign=campaign, runs=runs), new


def _as_they_stand(runs: tuple[Run, ...], journal: Journal) -> Iterator[Run]:
    """The runs under the ids that they have in the journal."""
    wanted = {run.id for run in runs}
    there = {run.id: run.campaign for run in each_run(journal.path, []) if run.id in wanted}
    for run in runs:
        yield structs.replace(run, campaign=there.get(run.id, run.campaign))


def _imported(file: Path, per_second: float | None) -> Imported:
    try:
        return import_file(file, per_second)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        path = printable(str(file))
        raise InputError("importing.not_readable", path=path, reason=reason) from problem


def _files(place: Path) -> Iterator[Path]:
    shown = printable(str(place))
    if place.is_file():
        yield place
    elif place.is_dir():
        main = place / RUNS_NAME
        found = [main] if main.is_file() else sorted(filter(_may_hold_figures, place.rglob("*")))
        if not found:
            raise NotFound("importing.empty_folder", path=shown)
        yield from found
    else:
        raise NotFound("importing.no_such_file", path=shown)


def _may_hold_figures(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES and path.is_file() and not path.name.startswith(".")


def _campaign(runs: Iterable[Run]) -> str:
    digest = hashlib.sha256("".join(sorted(run.id for run in runs)).encode()).digest()[:16]
    value = int.from_bytes(digest, "big")
    value = value & ~(0xF << 76) | 8 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    return str(UUID(int=value))
