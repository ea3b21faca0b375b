"""Looking at places that other programs own: what may not be looked at is not there."""

from __future__ import annotations

import itertools
from pathlib import Path

MOST_ENTRIES = 10_000


def is_file(path: Path) -> bool:
    """Whether a file is there to be read."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def entries(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where it cannot be listed."""
    try:
        return sorted(itertools.islice(folder.iterdir(), MOST_ENTRIES))
    except (OSError, ValueError):
        return []


def start_of(path: Path, most_bytes: int) -> bytes:
    """The beginning of a file; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most_bytes)
    except (OSError, ValueError):
        return b""
