"""`inspect`, and opening a model by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenroof.library import open_header
from tokenroof.model import Inspection, Model, build_model, inspection


def open_model(name: str | Path) -> Model:
    """The model of a name; only its header is read.

    Raises:
        UsageError: the name means nothing, or several things.
        InputError: no such file, or one that cannot be read as a model.
    """
    return build_model(open_header(str(name)))


def inspect(
    model: str | Path,
    *,
    depth: int | Sequence[int] = (),
    context: int | Sequence[int] = (),
    ubatch: int = 512,
    kv_type: str | tuple[str, str] = "f16",
    tensors: bool = False,
) -> Inspection:
    """What is really in a model file, and what one decoded token reads of it.

    Args:
        model: a file, any part of a split set, or a folder with one model.
        depth: tokens in the context, for each of which the cache that is read is told.
        context: contexts, for each of which the cache that is allocated is told.
        ubatch: tokens of a micro-batch.
        kv_type: type of the cache, or of keys and values.
        tensors: whether to list every tensor.

    Raises:
        UsageError: the name, a number or a cache type cannot be.
        InputError: no such file, or one that cannot be read as a model.
    """
    type_k, type_v = (kv_type, kv_type) if isinstance(kv_type, str) else kv_type
    return inspection(
        open_model(model),
        _several(depth),
        _several(context),
        ubatch=ubatch,
        type_k=type_k,
        type_v=type_v,
        tensors=tensors,
    )


def _several(numbers: int | Sequence[int]) -> Sequence[int]:
    return (numbers,) if isinstance(numbers, int) else numbers
