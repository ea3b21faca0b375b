"""`models`: what this machine has, or what there is, and what one token of each costs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tokenroof.errors import InputError, UsageError
from tokenroof.inventory import Listing
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.inventory.listing import Progress


def list_models(
    folders: Iterable[str | Path] = (),
    *,
    bandwidth: float | None = None,
    memory: float | None = None,
    catalogue: str | None = None,
    progress: Progress | None = None,
) -> Listing:
    """Every model that a program on this machine knows: Ollama, LM Studio, llama.cpp, the Hub.

    Args:
        folders: looked into as well, and below them.
        bandwidth: of a device's memory, in GB/s: adds the ceiling of each model.
        memory: of that device, in GB: adds whether each model fits.
        catalogue: words to look for among the models that are nowhere yet, which are listed
            instead; an empty text lists them all.
        progress: told how many of the files that have to be read were read.

    Raises:
        UsageError: a figure cannot be.
        InputError: a folder is none.
        NotFound: no model of the catalogue bears such a name; the error lists the closest three.
    """
    from tokenroof.hardware.device import given_device
    from tokenroof.inventory import list_models as listed, search_catalogue

    if memory is not None and bandwidth is None:
        raise UsageError("inventory.memory_alone")
    paths = [Path(folder) for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise InputError("inventory.no_folder", folder=printable(str(path)))
    device = None if bandwidth is None else given_device(bandwidth, memory, None)
    if catalogue is not None:
        if paths:
            raise UsageError("inventory.folders_and_catalogue")
        return search_catalogue(catalogue, device=device)
    return listed(paths, device=device, progress=progress)
