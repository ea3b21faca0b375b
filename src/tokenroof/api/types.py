"""`inspect --types`: a model in every file type that llama-quantize makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tokenroof.api.estimating import measured_here
from tokenroof.library import open_blueprint

if TYPE_CHECKING:
    from tokenroof.inventory import TypeTable


def list_types(
    model: str | Path,
    device: str | None = None,
    *,
    bandwidth: float | None = None,
    memory: float | None = None,
) -> TypeTable:
    """How large a model would be in each type, what a token reads, and how fast that is at most.

    Args:
        model: a name of the catalogue, or a ``config.json`` as Hugging Face's.
        device: adds ceilings and verdicts; as in `estimate`.
        bandwidth: of the device's memory, in GB/s, instead of `device`.
        memory: of the device, in GB, instead of what is known of it.

    Raises:
        NotFound: nothing bears that name; the error lists the closest three.
        UsageError: the name means a file, or the device is unknown.
        InputError: a config cannot be read, or no recipe follows from it.
    """
    from tokenroof.inventory import type_table
    from tokenroof.predict.cases import Case

    place = Case(device=device, bandwidth=bandwidth, memory=memory)
    return type_table(
        open_blueprint(str(model)), None if place == Case() else place, here=measured_here
    )
