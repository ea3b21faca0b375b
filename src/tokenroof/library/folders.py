"""Models below a folder: every GGUF file, a split set once, by its first part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tokenroof.library.splits import one_of_each

_DEEPEST = 8
_MOST_FILES = 100_000
"""Looked at in one folder and all below it: a whole disk is not searched by mistake."""


def models_below(folder: Path) -> Iterator[Path]:
    """The models of a folder and the folders in it, in the order of their names.

    Links to folders are not followed, so there is no way round in a circle; folders that may not
    be listed are passed over.
    """
    seen = 0
    root = str(folder)
    for here, below, files in os.walk(root):
        below[:] = sorted(below) if _depth(root, here) < _DEEPEST else []
        seen += len(files)
        if seen > _MOST_FILES:
            return
        for name in one_of_each(files):
            yield Path(here, name)


def _depth(root: str, here: str) -> int:
    return here[len(root) :].count(os.sep)
