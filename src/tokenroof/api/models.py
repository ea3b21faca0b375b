"""`inspect`, and opening a model by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenroof.library import open_header
from tokenroof.model import Inspection, Model, Setup, build_model, inspection


def open_model(name: str | Path, *, lenient: bool = False) -> Model:
    """The model of a name; only its header is read.

    `lenient` makes a warning of a header that contradicts itself, and describes the file alone.

    Raises:
        UsageError: the name means nothing, or several things.
        InputError: no such file, or one that cannot be read as a model.
    """
    return build_model(open_header(str(name)), lenient=lenient)


def inspect(
    model: str | Path | Model,
    *,
    depth: int | Sequence[int] = (),
    context: int | Sequence[int] = (),
    prompt: int | Sequence[int] = (),
    ubatch: int = 512,
    kv_type: str | tuple[str, str] = "f16",
    parallel: int = 1,
    unified: bool = False,
    swa_full: bool = False,
    tensors: bool = False,
) -> Inspection:
    """What is really in a model file, and what one decoded token reads of it.

    Args:
        model: a file, any part of a split set, a folder with one model, or one that is open.
        depth: tokens in the context, for each of which the cache that is read is told.
        context: contexts, for each of which the cache that is allocated is told.
        prompt: prompts, for each of which is told what reading it takes.
        ubatch: tokens of a micro-batch.
        kv_type: type of the cache, or of keys and values.
        parallel: sequences that the context is for.
        unified: whether they share one cache.
        swa_full: whether sliding layers keep the whole context.
        tensors: whether to list every tensor.

    Raises:
        UsageError: the name, a number or a cache type cannot be.
        InputError: no such file, or one that cannot be read as a model.
    """
    type_k, type_v = (kv_type, kv_type) if isinstance(kv_type, str) else kv_type
    return inspection(
        model if isinstance(model, Model) else open_model(model, lenient=True),
        _several(depth),
        _several(context),
        prompts=_several(prompt),
        setup=Setup(ubatch, type_k, type_v, parallel, unified, swa_full),
        tensors=tensors,
    )


def _several(numbers: int | Sequence[int]) -> Sequence[int]:
    return (numbers,) if isinstance(numbers, int) else numbers
