"""Every model that some program on this machine knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenroof.library import hub_cache, llamacpp, lmstudio, ollama
from tokenroof.library.folders import models_below
from tokenroof.library.location import Installed
from tokenroof.library.system import System, here

_STORES = (ollama.installed, lmstudio.installed, hub_cache.installed, llamacpp.installed)
"""One for each program that keeps models; a new one is a file with such a function."""


def installed(folders: Iterable[Path] = (), system: System | None = None) -> Iterator[Installed]:
    """Every model of every program's store, then those below the folders given.

    A model that several names mean comes once for each.
    """
    system = system or here()
    for store in _STORES:
        yield from store(system)
    for folder in folders:
        for path in models_below(folder):
            yield Installed(name=str(path), source="path", path=path)
