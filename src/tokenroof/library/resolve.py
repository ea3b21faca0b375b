"""From what a person typed to the model that is meant; never a guess, never a prompt."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tokenroof.closest import closest
from tokenroof.errors import InputError, NotFound, UsageError
from tokenroof.library import paths
from tokenroof.library.location import LocalModel, Location
from tokenroof.library.system import System, here
from tokenroof.notices import Notice
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokenroof.clock import Clock
    from tokenroof.gguf import Header
    from tokenroof.recipes import Blueprint

_CONFIG = re.compile(r"\.json(@[^/@]*)?$", re.IGNORECASE)
"""How the name of a config ends, a file type behind it or not."""

PREFIXES = {
    "ollama://": "ollama_remote",
    "ollama:": "ollama",
    "hf:": "huggingface",
    "lmstudio:": "lmstudio",
    "https://": "remote",
    "http://": "remote",
}
"""How a name begins, and the module of this room that knows the rest; the longest first."""


def locate(name: str, system: System | None = None) -> Location:
    """Where the model that `name` stands for is.

    Args:
        name: a file, any part of a split set, a folder that holds exactly one model; a name that
            begins with one of `PREFIXES`; a plain name that Ollama's store knows; or a model
            that is worked out, see `recipe`: ``NAME@TYPE``, a ``config.json``.
        system: the computer whose stores are looked into; this one by default.

    Raises:
        UsageError: the name is empty or cannot be understood.
        AmbiguousName: it could mean several models; the error lists them.
        NotFound: nothing bears that name; the error lists the closest names.
        InputError: it is there, but cannot be used.
    """
    if not name.strip():
        raise UsageError("library.no_name")
    system = system or here()
    for prefix, module in PREFIXES.items():
        if name.lower().startswith(prefix):
            whole = module == "remote"
            return _locator(module)(name if whole else name[len(prefix) :], system)
    if "://" in name:
        raise UsageError("library.bad_url", name=printable(name, 200))
    return _config(name) or _path(name) or _bare(name, system)


def resolve(name: str, system: System | None = None) -> Path:
    """The file on this machine that `name` stands for; see `locate`.

    Raises:
        InputError: the model is not on this machine; and all that `locate` raises.
    """
    location = locate(name, system)
    if isinstance(location, LocalModel):
        return location.path
    raise InputError("library.not_local", name=location.name)


def open_header(name: str, clock: Clock | None = None, system: System | None = None) -> Header:
    """The header of the model that `name` stands for, wherever it is; see `locate`.

    Raises:
        GGUFError: it cannot be read as a model; and all that `locate` raises.
    """
    return locate(name, system).header(clock)


def open_blueprint(name: str, system: System | None = None) -> Blueprint:
    """What the model that `name` stands for is made of, before a file type is chosen.

    The catalogue knows that of models that are installed as well; a model file has lost it.

    Raises:
        UsageError: the name means a file; and all that `locate` raises.
    """
    from tokenroof.library import recipe

    plain = name.removeprefix("ollama:")
    found: Location | None = None
    if not plain.lower().startswith(tuple(PREFIXES)):
        found = recipe.of_file(plain) or recipe.by_name(plain)
    found = found or locate(name, system)
    if isinstance(found, recipe.RecipeModel):
        return found.blueprint
    raise UsageError("library.no_blueprint", name=printable(name))


def _locator(module: str) -> Callable[[str, System], Location]:
    # Late: most commands name a file, and need neither HTTP nor anyone's store.
    found = import_module(f"tokenroof.library.{module}")
    return cast("Callable[[str, System], Location]", found.locate)


def _config(name: str) -> Location | None:
    """The model of a config on this machine, named with or without a type; None if it is none."""
    if _CONFIG.search(name) is None:
        return None
    from tokenroof.library import recipe

    return recipe.of_file(name)


def _path(name: str) -> Location | None:
    """The model that a path means; None where nothing is."""
    try:
        path = paths.find(name)
    except NotFound:
        # A folder without a model may hold the checkpoint that one is made of.
        from tokenroof.library import recipe

        found = recipe.of_file(name)
        if found is None:
            raise
        return found
    return None if path is None else LocalModel(name=str(path), source="path", path=path)


def _bare(name: str, system: System) -> Location:
    """A model by a plain name, which is no path."""
    if "@" in name:
        from tokenroof.library import recipe

        worked_out = recipe.of_file(name) or recipe.by_name(name)
        if worked_out is not None:
            return worked_out
    if not _is_plainly_a_path(name):
        from tokenroof.library import ollama, recipe

        found = ollama.find(name, system)
        if found is not None:
            values = {"name": printable(name), "full": found.name}
            notice = Notice("library.found_in_ollama", values)
            return replace(found, notices=(notice, *found.notices))
        worked_out = recipe.by_name(name)
        if worked_out is not None:
            return worked_out
    raise _not_found(name, system)


def _is_plainly_a_path(name: str) -> bool:
    """Whether a name can be nothing but a path."""
    return Path(name).is_absolute() or name.startswith((".", "~")) or "\\" in name


def _not_found(name: str, system: System) -> NotFound:
    path, shown = Path(name), printable(name)
    near = closest(path.name, paths.names_beside(path))
    if not _is_plainly_a_path(name):
        from tokenroof.library.installed import installed
        from tokenroof.recipes.catalogue import nearest

        here = (*near, *(model.name for model in installed(system=system)))
        near = nearest(name, here)
    if near:
        return NotFound("library.not_found_but", name=shown, closest=", ".join(near))
    if not path.parent.is_dir():
        return NotFound("library.no_folder", name=shown, folder=printable(str(path.parent)))
    return NotFound("library.not_found", name=shown)
