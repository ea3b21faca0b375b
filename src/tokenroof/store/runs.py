"""Reading runs back: from a file, from a folder, from whatever a person names.

A line that cannot be read never hides those around it: it is left out and named. A file without
a single readable line is refused, and so is a line of a newer schema, whose meaning this version
cannot know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tokenroof.errors import NotFound, RecordError
from tokenroof.notices import Notice
from tokenroof.records import RUN_SCHEMA, Run

RUNS_NAME = "runs.jsonl"

MAX_LINE_BYTES = 16 * 2**20
"""A run is about one kilobyte. A longer line than this is not one, and is not kept in memory."""

_NOTICES_SHOWN = 20
"""Of a file of another kind every line is unreadable; naming the first ones is enough."""

_decoder = msgspec.json.Decoder(Run)


class _Peek(msgspec.Struct):
    schema: str


@dataclass(frozen=True, slots=True)
class RunsRead:
    """Runs in the order they were written, and what had to be left out."""

    runs: list[Run]
    notices: list[Notice]


def load_runs(path: Path | str) -> list[Run]:
    """The runs of a file, or of a folder that holds some. See `read_runs`."""
    return read_runs(path).runs


def read_runs(path: Path | str) -> RunsRead:
    """The runs of a file, or of a folder (its ``runs.jsonl``, else all its ``*.jsonl``).

    A run that is there twice is one run: a copy, or the last run of a campaign, which is written
    again with the conditions that are known at its end only.

    Raises:
        NotFound: nothing is there.
        RecordError: it cannot be read as runs, or a newer tokenroof wrote it.
    """
    notices: list[Notice] = []
    runs: dict[str, Run] = {}
    for run in _every_line(path, notices):
        before = runs.setdefault(run.id, run)
        if run.conditions is not None and before is not run:
            runs[run.id] = msgspec.structs.replace(before, conditions=run.conditions)
    return RunsRead(list(runs.values()), notices)


def each_run(path: Path | str, notices: list[Notice]) -> Iterator[Run]:
    """The runs one by one, so that a large file takes no memory but for their ids. Conditions that
    were written again are not among them: see `read_runs`.

    Args:
        path: a file or a folder, as for `read_runs`.
        notices: what had to be left out is added here.

    Raises:
        NotFound: nothing is there.
        RecordError: it cannot be read as runs, or a newer tokenroof wrote it.
    """
    seen: set[str] = set()
    for run in _every_line(path, notices):
        if run.id not in seen:
            seen.add(run.id)
            yield run


def _every_line(path: Path | str, notices: list[Notice]) -> Iterator[Run]:
    for file in _files(Path(path)):
        yield from _read_file(file, notices)


def _files(place: Path) -> list[Path]:
    try:
        if place.is_dir():
            main = place / RUNS_NAME
            files = [main] if main.is_file() else sorted(place.glob("*.jsonl"))
            if not files:
                raise NotFound("store.no_runs_in_folder", path=place)
            return files
        exists = place.exists()
    except OSError as problem:  # a name that no file system takes
        raise RecordError("store.not_readable", path=place, reason=_reason(problem)) from problem
    if not exists:
        raise NotFound("store.no_such_file", path=place)
    return [place]


def _read_file(path: Path, notices: list[Notice]) -> Iterator[Run]:
    bad: list[Notice] = []
    good = 0
    for number, line, whole in _lines(path):
        if not line.strip():
            continue
        try:
            run = _decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
            _refuse_newer(path, number, line)
            if not whole:
                bad.append(Notice("store.torn_line", {"path": str(path)}))
            else:
                values = {"path": str(path), "line": number, "reason": _reason(problem)}
                bad.append(Notice("store.unreadable_line", values))
            continue
        good += 1
        yield run
    if bad and not good and bad[0].message == "store.unreadable_line":
        raise RecordError("store.not_runs", **bad[0].values)
    notices.extend(bad[:_NOTICES_SHOWN])


def _decode(line: bytes) -> Run:
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"over {MAX_LINE_BYTES} bytes")
    return _decoder.decode(line)


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Line number, line, and whether its end was there. Over-long lines come cut, just over."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                whole = line.endswith(b"\n")
                yield number, line, whole or len(line) > MAX_LINE_BYTES
                while not whole and (rest := file.readline(MAX_LINE_BYTES)):
                    whole = rest.endswith(b"\n")
    except OSError as problem:
        raise RecordError("store.not_readable", path=path, reason=_reason(problem)) from problem


def _refuse_newer(path: Path, number: int, line: bytes) -> None:
    try:
        schema = msgspec.json.decode(line, type=_Peek).schema
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return
    family, _, version = schema.partition("/")
    known_family, _, known = RUN_SCHEMA.partition("/")
    if family == known_family and version.isdecimal() and int(version) > int(known):
        raise RecordError(
            "store.newer_schema", path=path, line=number, schema=schema, known=RUN_SCHEMA
        )


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return str(problem) or type(problem).__name__
