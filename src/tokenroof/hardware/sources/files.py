"""Small files that a kernel writes: one value each, or none."""

from __future__ import annotations

from pathlib import Path


def text(path: Path) -> str | None:
    """A file's text without the blanks around it; None where it cannot be read or is empty."""
    # A driver answers some reads with an error, such as those of a GPU that sleeps.
    try:
        found = path.read_text(encoding="utf-8", errors="replace").strip("\0 \t\n")
    except (OSError, ValueError):
        return None
    return found or None


def number(path: Path) -> int | None:
    """A file's whole number, also one written as 0x1002; None where it has none."""
    found = text(path)
    if found is None:
        return None
    try:
        return int(found, 16 if found.lower().startswith("0x") else 10)
    except ValueError:
        return None
