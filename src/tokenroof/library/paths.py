"""A name that is a path: a file, any part of a split set, or a folder that holds one model."""

from __future__ import annotations

import itertools
from pathlib import Path

from tokenroof.errors import AmbiguousName, InputError, NotFound
from tokenroof.library.looking import entries, is_file
from tokenroof.library.splits import models_among, one_of_each, set_of
from tokenroof.safetext import printable

_LISTED_AT_MOST = 10_000
"""A folder is never listed further than this to look for a similar name."""


def find(name: str) -> Path | None:
    """The file that a path means; None where nothing is.

    A part of a split set that is missing means the parts that are there.

    Raises:
        AmbiguousName: a folder holds several models; the error lists them.
        NotFound: a folder holds none.
        InputError: it is there, but is neither a file nor a folder, or may not be looked at.
    """
    path = Path(name)
    try:
        if path.is_dir():
            return _only_model_in(path)
        if path.is_file():
            return path
        there = path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("library.unreadable", name=printable(name), reason=reason) from error
    if there:
        raise InputError("library.not_a_file", name=printable(name))
    return _other_part(path)


def _other_part(path: Path) -> Path | None:
    """Another part of the set of a part that is missing: what is read of it names the gap."""
    if set_of(path.name) is None:
        return None
    beside = (entry for entry in entries(path.parent) if set_of(entry.name) == set_of(path.name))
    return next(filter(is_file, beside), None)


def models_in(folder: Path) -> list[Path]:
    """The models of a folder in the order of their names, a split set once.

    Raises:
        InputError: the folder may not be listed.
    """
    return [folder / name for name in one_of_each(_files(folder))]


def names_beside(path: Path) -> list[str]:
    """What lies where a path leads, that it could have meant."""
    try:
        there = _listed(path.parent)
        folders = [entry.name for entry in there if entry.is_dir()]
        return [*folders, *one_of_each(entry.name for entry in there if entry.is_file())]
    except (InputError, OSError, ValueError):
        return []


def _only_model_in(folder: Path) -> Path:
    models = models_among(_files(folder))
    if not models:
        raise NotFound("library.empty_folder", folder=printable(str(folder)))
    if len(models) > 1:
        candidates = [printable(str(folder / name)) for name in models]
        raise AmbiguousName(
            "library.several_models",
            folder=printable(str(folder)),
            count=len(candidates),
            candidates=", ".join(candidates),
        )
    return folder / models[0]


def _files(folder: Path) -> list[str]:
    return [entry.name for entry in _listed(folder) if entry.is_file()]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(itertools.islice(folder.iterdir(), _LISTED_AT_MOST))
    except OSError as error:
        raise InputError(
            "library.unreadable", name=printable(str(folder)), reason=error.strerror or str(error)
        ) from error
