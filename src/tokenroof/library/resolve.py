"""From what a person typed to the file that is meant; never a guess, never a prompt."""

from __future__ import annotations

import difflib
import itertools
import re
from pathlib import Path

from tokenroof.errors import AmbiguousName, InputError, NotFound, UsageError
from tokenroof.safetext import printable

_SOURCES = ("ollama:", "hf:", "lmstudio:", "https:", "http:")
"""Prefixes of other places where a model can live; they are reserved, so that no file name takes
them over before they work."""

_SPLIT_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)

_LISTED_AT_MOST = 10_000
"""A folder is never listed further than this to look for a similar name."""

_SUGGESTIONS = 3


def resolve(name: str) -> Path:
    """The model file that `name` stands for.

    Args:
        name: a file, any part of a split set, or a folder that holds exactly one model.

    Raises:
        UsageError: the name is empty, or names a source that is not supported yet.
        AmbiguousName: a folder holds several models; the error lists them.
        NotFound: nothing bears that name; the error lists the closest names.
        InputError: it is there, but it is neither a file nor a folder, or may not be looked at.
    """
    if not name.strip():
        raise UsageError("library.no_name")
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
    for source in _SOURCES:
        if name.lower().startswith(source):
            raise UsageError("library.source_not_supported", name=printable(name), source=source)
    raise _not_found(path)


def models_in(folder: Path) -> list[Path]:
    """The models of a folder in the order of their names, a split set once, by its first part.

    Raises:
        InputError: the folder may not be listed.
    """
    return [path for path in _listed(folder) if _is_model(path)]


def _only_model_in(folder: Path) -> Path:
    models = models_in(folder)
    if not models:
        raise NotFound("library.empty_folder", folder=printable(str(folder)))
    if len(models) > 1:
        candidates = [printable(str(path)) for path in models]
        raise AmbiguousName(
            "library.several_models",
            folder=printable(str(folder)),
            count=len(candidates),
            candidates=", ".join(candidates),
        )
    return models[0]


def _is_model(path: Path) -> bool:
    if path.suffix.lower() != ".gguf" or not path.is_file():
        return False
    part = _SPLIT_PART.search(path.name)
    return part is None or int(part[1]) == 1


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(itertools.islice(folder.iterdir(), _LISTED_AT_MOST))
    except OSError as error:
        raise InputError(
            "library.unreadable", name=printable(str(folder)), reason=error.strerror or str(error)
        ) from error


def _not_found(path: Path) -> NotFound:
    name, folder = printable(str(path)), path.parent
    if not folder.is_dir():
        return NotFound("library.no_folder", name=name, folder=printable(str(folder)))
    closest = _closest(path.name, _listed(folder))
    if not closest:
        return NotFound("library.not_found", name=name)
    return NotFound("library.not_found_but", name=name, closest=", ".join(map(printable, closest)))


def _closest(wanted: str, paths: list[Path]) -> list[str]:
    """The names nearest to the one wanted, whatever their case."""
    names = {path.name.lower(): path.name for path in paths if path.is_dir() or _is_model(path)}
    near = difflib.get_close_matches(wanted.lower(), names, n=_SUGGESTIONS, cutoff=0.5)
    return [names[each] for each in near]
