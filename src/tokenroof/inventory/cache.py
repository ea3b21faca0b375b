"""Rows that were made before, for files that have not changed since.

One small JSON file in the system's place for caches. A row is good as long as every file that it
was made of has its size and its time; a cache of another version of tokenroof, or one that cannot
be read, is as good as none. Losing it costs time, never truth.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from tokenroof import __version__
from tokenroof.errors import OutputError
from tokenroof.inventory.records import ModelRow
from tokenroof.store.files import make_folder, write_whole_file

_FORMAT = 2
_MOST_BYTES = 64 * 2**20


class _Stamp(msgspec.Struct, frozen=True, array_like=True):
    """A file, as it was."""

    path: str
    size: int
    modified_ns: int


class _Entry(msgspec.Struct):
    files: list[_Stamp]
    row: ModelRow


class _Content(msgspec.Struct):
    format: int = 0
    version: str = ""
    entries: dict[str, _Entry] = {}


class RowCache:
    """The rows of one cache file."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or cache_folder() / "models.json"
        self._entries = _read(self._path)
        self._changed = False

    def get(self, path: Path) -> ModelRow | None:
        """The row of a model by its first file; None if it is not known or has changed."""
        entry = self._entries.get(_key(path))
        if entry is None or any(_stamp(each.path) != each for each in entry.files):
            return None
        return entry.row

    def put(self, path: Path, row: ModelRow, files: tuple[Path, ...]) -> None:
        """Keep a row that was made of some files, as they are now."""
        stamps = [_stamp(os.path.abspath(file)) for file in files]  # noqa: PTH100 - as in `_key`
        known = [stamp for stamp in stamps if stamp is not None]
        if known and len(known) == len(stamps):
            self._entries[_key(path)] = _Entry(known, row)
            self._changed = True

    def save(self) -> None:
        """Write what is new. A cache that cannot be written is none, and no error."""
        if not self._changed:
            return
        # What has gone since is forgotten, so that the file does not grow for ever.
        entries = {
            key: entry
            for key, entry in self._entries.items()
            if all(_stamp(each.path) == each for each in entry.files)
        }
        with contextlib.suppress(OutputError, msgspec.MsgspecError, UnicodeEncodeError):
            data = msgspec.json.encode(_Content(_FORMAT, __version__, entries))
            make_folder(self._path.parent)
            write_whole_file(self._path, data)
            self._changed = False


def cache_folder() -> Path:
    """Where caches lie: ``TOKENROOF_CACHE``, else the system's place for them."""
    chosen = os.environ.get("TOKENROOF_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("tokenroof", appauthor=False))


def _read(path: Path) -> dict[str, _Entry]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        content = msgspec.json.decode(data[:_MOST_BYTES], type=_Content)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError):
        return {}
    current = content.format == _FORMAT and content.version == __version__
    return content.entries if current else {}


def _key(path: Path) -> str:
    """A path as it is from everywhere: the same words mean another file in another folder."""
    return ascii(os.path.abspath(path))  # noqa: PTH100 - Path has nothing that follows no links


def _stamp(path: str) -> _Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - the list is long, and Path costs more than stat
    except (OSError, ValueError):
        return None
    return _Stamp(path, found.st_size, found.st_mtime_ns)
