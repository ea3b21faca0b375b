"""What the names of model files tell: parts of a split set, and projectors."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)


def is_gguf(file: str) -> bool:
    """Whether a file is called like a model."""
    return file.lower().endswith(".gguf")


def set_of(file: str) -> str | None:
    """What all parts of a split set have in common; None for a file that is no part."""
    common, found = _PART.subn(r"-of-\2", file)
    return common if found else None


def one_of_each(files: Iterable[str]) -> list[str]:
    """The models among file names, in order: a split set once, by the first part that is there."""
    models: dict[str, str] = {}
    for file in sorted(files):
        if is_gguf(file):
            models.setdefault(set_of(file) or file, file)
    return list(models.values())


def is_projector(file: str) -> bool:
    """Whether a file is called like a vision or audio projector, which lies beside its model."""
    return "mmproj" in file.replace("\\", "/").rpartition("/")[2].lower()


def models_among(files: Iterable[str]) -> list[str]:
    """As `one_of_each`, without projectors, unless there is nothing else."""
    found = one_of_each(files)
    return [file for file in found if not is_projector(file)] or found
