"""`models`: what this machine has, or what there is, and what one token of each costs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tokenroof.errors import InputError, UsageError
from tokenroof.inventory import Listing
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.inventory.listing import Progress


def list_models(
    folders: Iterable[str | Path] = (),
    *,
    bandwidth: float | None = None,
    memory: float | None = None,
    on: str | None = None,
    catalogue: str | None = None,
    progress: Progress | None = None,
) -> Listing:
    """Every model that a program on this machine knows: Ollama, LM Studio, llama.cpp, the Hub.

    Args:
        folders: looked into as well, and below them.
        bandwidth: of a device's memory, in GB/s: adds the ceiling of each model.
        memory: of that device, in GB: adds whether each model fits.
        on: instead of a bandwidth, a device whose figures are known; as in `estimate`.
        catalogue: words to look for among the models that are nowhere yet, which are listed
            instead; an empty text lists them all.
        progress: told how many of the files that have to be read were read.

    Raises:
        UsageError: a figure cannot be, or the device is unknown.
        InputError: a folder is none.
        NotFound: no model of the catalogue bears such a name; the error lists the closest three.
    """
    from tokenroof.inventory import list_models as listed, search_catalogue

    if on is not None and bandwidth is not None:
        raise UsageError("predict.device_twice")
    if memory is not None and bandwidth is None and on is None:
        raise UsageError("inventory.memory_alone")
    paths = [Path(folder) for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise InputError("inventory.no_folder", folder=printable(str(path)))
    device = _device(on, bandwidth, memory)
    if catalogue is not None:
        if paths:
            raise UsageError("inventory.folders_and_catalogue")
        return search_catalogue(catalogue, device=device)
    return listed(paths, device=device, progress=progress)


def _device(on: str | None, bandwidth: float | None, memory: float | None) -> Device | None:
    """What the models are held against; None where nobody said."""
    from tokenroof.hardware.device import given_device, with_figures

    if on is None:
        return None if bandwidth is None else given_device(bandwidth, memory, None)
    if on.strip().lower() == "here":
        from tokenroof.api.estimating import measured_here

        return with_figures(measured_here(), memory, None)
    from tokenroof.hardware.device_text import named_device

    return named_device(on, None, memory)
