"""Model -> `tokenroof.inspect/1`: the figures of a model, put into its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from msgspec import UNSET

from tokenroof.model.cache_bytes import Allocation
from tokenroof.model.components import component
from tokenroof.model.compute import exact_sum
from tokenroof.model.inspected import (
    ComponentBytes,
    Decode,
    ExpertCount,
    GroupBytes,
    Groups,
    Inspection,
    Kv,
    KvAllocated,
    KvRead,
    LayerKept,
    ModelFacts,
    PrefillCost,
    PromptCost,
    TensorRow,
    TypeBytes,
)
from tokenroof.model.ledger import Entry
from tokenroof.model.model import Model
from tokenroof.model.prefill import expected_experts, micro_batch_weight_bytes, prefill

_USUAL_DEPTHS = (4096, 32_768)
_USUAL_PROMPTS = (512, 4096)
_LONGEST_CONTEXT = 2**27
"""Longer ones are no context that a model was trained for."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How the engine is asked to set up its context.

    Attributes:
        ubatch: the micro-batch.
        type_k: type of the keys' cache.
        type_v: type of the values' cache.
        sequences: how many the context is for.
        unified: whether they share one cache.
        swa_full: whether sliding layers keep the whole context.
    """

    ubatch: int = 512
    type_k: str = "f16"
    type_v: str = "f16"
    sequences: int = 1
    unified: bool = False
    swa_full: bool = False


def usual_depths(*models: Model) -> tuple[int, ...]:
    """Depths to show where none was asked for: some usual ones, and the longest of all models."""
    return _up_to(_USUAL_DEPTHS, models)


def usual_prompts(*models: Model) -> tuple[int, ...]:
    """Prompts to show where none was asked for."""
    return _up_to(_USUAL_PROMPTS, models)


def _up_to(numbers: tuple[int, ...], models: tuple[Model, ...]) -> tuple[int, ...]:
    lengths = [model.context_length or 0 for model in models]
    longest = max(length if length <= _LONGEST_CONTEXT else 0 for length in lengths)
    return (*(each for each in numbers if each < longest), longest) if longest else numbers


def inspection(
    model: Model,
    depths: Sequence[int] = (),
    contexts: Sequence[int] = (),
    *,
    prompts: Sequence[int] = (),
    setup: Setup | None = None,
    tensors: bool = False,
) -> Inspection:
    """Inspect a model.

    Args:
        model: which one.
        depths: tokens in the context, for each of which `kv.read` is filled.
        contexts: contexts, for each of which `kv.allocated` is filled.
        prompts: tokens of prompts, for each of which `prefill.prompts` is filled.
        setup: how the engine sets up its context.
        tensors: whether to list every tensor.

    Raises:
        UsageError: a number is not positive, or llama.cpp keeps no such cache for the model.
    """
    setup = setup or Setup()
    experts = model.experts
    return Inspection(
        model=_facts(model),
        groups=_groups(model.ledger),
        components=_components(model),
        types=_types(model.ledger),
        decode=_decode(model),
        experts=None if experts is None else ExpertCount(total=experts.total, used=experts.used),
        kv=_kv(model, depths, contexts, setup),
        prefill=_prefill(model, prompts, setup),
        warnings=(*model.header.problems, *model.warnings),
        tensors=_rows(model) if tensors else None,
    )


def _facts(model: Model) -> ModelFacts:
    bits = model.bits_per_weight
    header = model.header
    besides = None
    if header.file_bytes is not None:
        besides = header.file_bytes + header.missing_bytes - header.tensor_bytes
    return ModelFacts(
        name=model.name,
        architecture=model.architecture,
        file_type=model.file_type,
        parameters=model.parameters,
        bits_per_weight=None if bits is None else round(bits, 2),
        file_bytes=model.file_bytes,
        tensor_bytes=model.tensor_bytes,
        overlap_bytes=sum(entry.tensor.bytes for entry in model.ledger) - model.tensor_bytes,
        other_bytes=besides,
        missing_bytes=header.missing_bytes,
        resident_bytes=model.resident_bytes,
        parts=model.parts,
        context_length=model.context_length,
        vocabulary=model.vocabulary,
        layers=model.layers or None,
        recipe=header.recipe,
    )


def _decode(model: Model) -> Decode:
    low, high = model.decode_weight_bounds
    weights = model.decode_weight_bytes
    return Decode(
        weight_bytes=None if weights is None else _plain(weights),
        weight_bytes_low=_plain(low),
        weight_bytes_high=_plain(high),
        embedding=model.embedding,
    )


def _kv(model: Model, depths: Sequence[int], contexts: Sequence[int], setup: Setup) -> Kv:
    types = setup.type_k, setup.type_v
    grown = model.kv_bytes_per_token_bounds(*types)
    return Kv(
        type_k=setup.type_k,
        type_v=setup.type_v,
        ubatch=setup.ubatch,
        sequences=setup.sequences,
        unified=setup.unified,
        swa_full=setup.swa_full,
        bytes_per_token=model.kv_bytes_per_token(*types),
        bytes_per_token_low=grown and grown[0],
        bytes_per_token_high=grown and grown[1],
        state_bytes=None if model.caches is None else model.state_bytes,
        outweighs_weights_at=model.depth_where_cache_outweighs_weights(*types)
        if model.is_understood
        else None,
        layers=dict(sorted(model.layer_kinds.items())),
        by_layer=_layers(model),
        read=tuple(_read(model, depth, types) for depth in depths),
        allocated=tuple(_allocated(model, context, setup) for context in contexts),
    )


def _read(model: Model, depth: int, types: tuple[str, str]) -> KvRead:
    read, bounds = model.kv_read(depth, *types), model.kv_read_bounds(depth, *types)
    if bounds is None:
        return KvRead(depth=depth, bytes=None, low=None)
    high = UNSET if bounds[1] == read else bounds[1]
    return KvRead(depth=depth, bytes=read, low=bounds[0], high=high)


def _allocated(model: Model, context: int, setup: Setup) -> KvAllocated:
    asked = Allocation(context, setup.ubatch, setup.sequences, setup.unified, setup.swa_full)
    bounds = model.kv_allocated_bounds(asked, setup.type_k, setup.type_v)
    size = model.kv_allocated(
        context,
        ubatch=setup.ubatch,
        type_k=setup.type_k,
        type_v=setup.type_v,
        sequences=setup.sequences,
        unified=setup.unified,
        swa_full=setup.swa_full,
    )
    if bounds is None:
        return KvAllocated(context=context, bytes=None)
    low, high = (UNSET if bound == size else bound for bound in bounds)
    return KvAllocated(context=context, bytes=size, low=low, high=high)


def _layers(model: Model) -> tuple[LayerKept, ...] | None:
    if model.layers_kept is None:
        return None
    return tuple(
        LayerKept(
            layer=layer.number, keeps=layer.kinds, window=layer.window, reads_layer=layer.reads
        )
        for layer in model.layers_kept
    )


def _prefill(model: Model, prompts: Sequence[int], setup: Setup) -> PrefillCost:
    known = model.weights_known and model.is_understood
    rows = []
    for tokens in prompts:
        if not known:
            rows.append(PromptCost(prompt=tokens))
            continue
        cost = prefill(model, tokens, ubatch=setup.ubatch, type_k=setup.type_k, type_v=setup.type_v)
        rows.append(
            PromptCost(
                prompt=tokens,
                micro_batches=cost.micro_batches,
                linear_flop=cost.linear_flop,
                attention_flop=cost.attention_flop,
                weight_bytes=cost.weight_bytes,
                cache_bytes=cost.cache_bytes,
            )
        )
    return PrefillCost(
        ubatch=setup.ubatch,
        flop_per_token=round(2 * model.active_weights) if known else None,
        head_flop=2 * model.head_weights if known else None,
        distinct_experts=expected_experts(model, setup.ubatch),
        micro_batch_bytes=micro_batch_weight_bytes(model, setup.ubatch, with_head=False)
        if known
        else None,
        prompts=tuple(rows),
    )


def _plain(value: int | Fraction) -> int | float:
    """A whole number as it is, a fraction as the nearest float."""
    if isinstance(value, int):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def _groups(ledger: Sequence[Entry]) -> Groups:
    found: dict[str, GroupBytes] = {}
    for name in ("embedding", "experts", "other", "unread"):
        members = [entry.tensor.bytes for entry in ledger if entry.group == name]
        found[name] = GroupBytes(bytes=sum(members), tensors=len(members))
    return Groups(**found)


def _components(model: Model) -> tuple[ComponentBytes, ...]:
    members: dict[str, list[Entry]] = {}
    for entry in model.ledger:
        members.setdefault(component(entry), []).append(entry)
    rows = [
        ComponentBytes(
            component=component(entries[0]),
            tensors=len(entries),
            bytes=sum(entry.tensor.bytes for entry in entries),
            decode_bytes=_plain(exact_sum(entry.decode_bytes for entry in entries))
            if model.weights_known
            else None,
        )
        for entries in members.values()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.component)))


def _types(ledger: Sequence[Entry]) -> tuple[TypeBytes, ...]:
    tensors: dict[str, list[int]] = {}
    for entry in ledger:
        tensors.setdefault(entry.tensor.type, []).append(entry.tensor.bytes)
    rows = [
        TypeBytes(type=name, tensors=len(sizes), bytes=sum(sizes))
        for name, sizes in tensors.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.type)))


def _rows(model: Model) -> tuple[TensorRow, ...]:
    return tuple(
        TensorRow(
            name=entry.name,
            shape=entry.tensor.shape,
            type=entry.tensor.type,
            bytes=entry.tensor.bytes,
            kind=entry.kind,
            decode_bytes=_plain(entry.decode_bytes) if model.weights_known else None,
            reason=entry.reason or UNSET,
        )
        for entry in model.ledger
    )
