"""How far a campaign file has been carried out: one row a combination.

    <data folder>/batches/<id>.json

The id follows from what the file asks for, so that the same file goes on where it stopped, and a
changed one begins anew. The measurements themselves are campaigns of the journal.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from tokenroof.errors import UsageError
from tokenroof.records import Record
from tokenroof.store.files import make_folder, write_whole_file
from tokenroof.store.lock import held

RowState = Literal["waiting", "running", "finished", "failed"]


class BatchRow(Record, frozen=True, kw_only=True):
    """One combination: what distinguishes it, its campaign once it has one, why it failed."""

    combination: dict[str, Any]
    state: RowState = "waiting"
    campaign: str | None = None
    error: str | None = None


class BatchRecord(Record, frozen=True, kw_only=True):
    """A campaign file on its way: `tokenroof.batch/1`."""

    id: str
    file: str
    started: str
    rows: tuple[BatchRow, ...]
    schema: Literal["tokenroof.batch/1"] = "tokenroof.batch/1"
    finished: str | None = None

    def with_row(self, index: int, row: BatchRow) -> BatchRecord:
        """The same with another row in one place."""
        rows = (*self.rows[:index], row, *self.rows[index + 1 :])
        return msgspec.structs.replace(self, rows=rows)


class Batches:
    """Those of one data folder."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "batches"

    def find(self, id_: str) -> BatchRecord | None:
        """The record of an id; None where there is none that can be read."""
        try:
            return msgspec.json.decode(self._path(id_).read_bytes(), type=BatchRecord)
        except (OSError, msgspec.MsgspecError):
            return None

    def save(self, record: BatchRecord) -> None:
        """Write a record over the one before.

        Raises:
            OutputError: it cannot be written.
        """
        make_folder(self._folder)
        plain = msgspec.json.format(msgspec.json.encode(record), indent=1)
        write_whole_file(self._path(record.id), plain + b"\n")

    @contextlib.contextmanager
    def carrying_out(self, id_: str, file: str) -> Iterator[None]:
        """Keep others from carrying out the same while the block does; `file` is what it is called.

        Raises:
            UsageError: another process does so.
            OutputError: the folder cannot be made.
        """
        make_folder(self._folder)
        with held(self._path(id_).with_suffix(".lock")) as ours:
            if not ours:
                raise UsageError("store.batch_runs", file=file)
            yield

    def _path(self, id_: str) -> Path:
        return self._folder / f"{id_}.json"
