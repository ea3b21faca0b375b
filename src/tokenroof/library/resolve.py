"""From what a person typed to the model that is meant; never a guess, never a prompt."""

from __future__ import annotations

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
            begins with one of `PREFIXES`; or a plain name that Ollama's store knows.
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
    path = paths.find(name)
    if path is not None:
        return LocalModel(name=str(path), source="path", path=path)
    return _bare(name, system)


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


def _locator(module: str) -> Callable[[str, System], Location]:
    # Late: most commands name a file, and need neither HTTP nor anyone's store.
    found = import_module(f"tokenroof.library.{module}")
    return cast("Callable[[str, System], Location]", found.locate)


def _bare(name: str, system: System) -> Location:
    """A model by a plain name, which is no path."""
    if not _is_plainly_a_path(name):
        from tokenroof.library import ollama

        found = ollama.find(name, system)
        if found is not None:
            values = {"name": printable(name), "full": found.name}
            notice = Notice("library.found_in_ollama", values)
            return replace(found, notices=(notice, *found.notices))
    raise _not_found(name, system)


def _is_plainly_a_path(name: str) -> bool:
    """Whether a name can be nothing but a path."""
    return Path(name).is_absolute() or name.startswith((".", "~")) or "\\" in name


def _not_found(name: str, system: System) -> NotFound:
    path, shown = Path(name), printable(name)
    near = closest(path.name, paths.names_beside(path))
    if not _is_plainly_a_path(name):
        from tokenroof.library.installed import installed

        near = closest(name, [*near, *(model.name for model in installed(system=system))])
    if near:
        return NotFound("library.not_found_but", name=shown, closest=", ".join(near))
    if not path.parent.is_dir():
        return NotFound("library.no_folder", name=shown, folder=printable(str(path.parent)))
    return NotFound("library.not_found", name=shown)
