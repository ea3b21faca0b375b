"""The model as a record: `tokenroof.inspect/1`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from tokenroof.model.ledger import Entry
from tokenroof.model.model import Model
from tokenroof.notices import Notice
from tokenroof.records import Record

INSPECT_SCHEMA: Literal["tokenroof.inspect/1"] = "tokenroof.inspect/1"


class ModelFacts(Record, frozen=True, kw_only=True):
    """The file and what it says of itself."""

    name: str
    architecture: str | None
    file_type: str | None
    parameters: int
    bits_per_weight: float | None
    file_bytes: int | None
    tensor_bytes: int
    parts: int
    context_length: int | None
    vocabulary: int | None
    layers: int


class GroupBytes(Record, frozen=True, kw_only=True):
    """The tensors of one group."""

    bytes: int = 0
    tensors: int = 0


class Groups(Record, frozen=True, kw_only=True):
    """Where the bytes of the file are."""

    embedding: GroupBytes
    experts: GroupBytes
    other: GroupBytes
    unread: GroupBytes


class TypeBytes(Record, frozen=True, kw_only=True):
    """The tensors of one type."""

    type: str
    tensors: int
    bytes: int


class Decode(Record, frozen=True, kw_only=True):
    """What one decoded token reads of the weights."""

    weight_bytes: int | float | None
    weight_bytes_low: int | float | None
    weight_bytes_high: int | float | None
    embedding: str | None


class ExpertCount(Record, frozen=True, kw_only=True):
    """Experts of a layer, and how many of them a token uses."""

    total: int
    used: int


class KvRead(Record, frozen=True, kw_only=True):
    """What the next token reads of the caches; `low` is less where it is an interval."""

    depth: int
    bytes: int | None
    low: int | None


class KvAllocated(Record, frozen=True, kw_only=True):
    """What llama.cpp allocates for caches and states."""

    context: int
    bytes: int | None


class Kv(Record, frozen=True, kw_only=True):
    """What the model keeps between tokens."""

    type_k: str
    type_v: str
    bytes_per_token: int | None
    state_bytes: int | None
    outweighs_weights_at: int | None
    layers: dict[str, int]
    read: tuple[KvRead, ...]
    allocated: tuple[KvAllocated, ...]


class TensorRow(Record, frozen=True, kw_only=True, rename={"kind": "class"}):
    """One tensor and what a token reads of it."""

    name: str
    shape: tuple[int, ...]
    type: str
    bytes: int
    kind: str
    decode_bytes: int | float


class Inspection(Record, frozen=True, kw_only=True):
    """What is really in a file, and what one token costs."""

    schema: Literal["tokenroof.inspect/1"] = INSPECT_SCHEMA
    model: ModelFacts
    groups: Groups
    types: tuple[TypeBytes, ...]
    decode: Decode
    experts: ExpertCount | None
    kv: Kv
    warnings: tuple[Notice, ...]
    tensors: tuple[TensorRow, ...] | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document that the contract shows, warnings in the language asked for."""
        plain = super().to_dict()
        plain["warnings"] = [notice.to_dict(language) for notice in self.warnings]
        if self.tensors is None:
            del plain["tensors"]
        return plain


def inspection(
    model: Model,
    depths: Sequence[int] = (),
    contexts: Sequence[int] = (),
    *,
    ubatch: int = 512,
    type_k: str = "f16",
    type_v: str = "f16",
    sequences: int = 1,
    unified: bool = False,
    swa_full: bool = False,
    tensors: bool = False,
) -> Inspection:
    """Inspect a model.

    Args:
        model: which one.
        depths: tokens in the context, for each of which `kv.read` is filled.
        contexts: contexts, for each of which `kv.allocated` is filled.
        ubatch: the micro-batch of the engine.
        type_k: type of the keys' cache.
        type_v: type of the values' cache.
        sequences: how many the context is for.
        unified: whether they share one cache.
        swa_full: whether sliding layers keep the whole context.
        tensors: whether to list every tensor.

    Raises:
        UsageError: a number is not positive, or llama.cpp keeps no such cache for the model.
    """
    low, high = model.decode_weight_bounds
    bits = model.bits_per_weight
    reads = []
    for depth in depths:
        bounds = model.kv_read_bounds(depth, type_k, type_v)
        reads.append(KvRead(depth=depth, bytes=bounds and bounds[1], low=bounds and bounds[0]))
    allocated = tuple(
        KvAllocated(
            context=context,
            bytes=model.kv_allocated(
                context,
                ubatch=ubatch,
                type_k=type_k,
                type_v=type_v,
                sequences=sequences,
                unified=unified,
                swa_full=swa_full,
            ),
        )
        for context in contexts
    )
    weights = model.decode_weight_bytes
    return Inspection(
        model=ModelFacts(
            name=model.name,
            architecture=model.architecture,
            file_type=model.file_type,
            parameters=model.parameters,
            bits_per_weight=None if bits is None else round(bits, 2),
            file_bytes=model.file_bytes,
            tensor_bytes=model.tensor_bytes,
            parts=model.parts,
            context_length=model.context_length,
            vocabulary=model.vocabulary,
            layers=model.layers,
        ),
        groups=_groups(model.ledger),
        types=_types(model.ledger),
        decode=Decode(
            weight_bytes=None if weights is None else _plain(weights),
            weight_bytes_low=_plain(low),
            weight_bytes_high=_plain(high),
            embedding=model.embedding,
        ),
        experts=None
        if model.experts is None
        else ExpertCount(total=model.experts.total, used=model.experts.used),
        kv=Kv(
            type_k=type_k,
            type_v=type_v,
            bytes_per_token=model.kv_bytes_per_token(type_k, type_v),
            state_bytes=None if model.caches is None else model.state_bytes,
            outweighs_weights_at=model.depth_where_cache_outweighs_weights(type_k, type_v),
            layers=dict(sorted(model.layer_kinds.items())),
            read=tuple(reads),
            allocated=allocated,
        ),
        warnings=(*model.header.problems, *model.warnings),
        tensors=_rows(model.ledger) if tensors else None,
    )


def _plain(value: object) -> int | float:
    """A whole number as it is, a fraction as the nearest float."""
    if isinstance(value, int):
        return value
    assert isinstance(value, Fraction)
    return value.numerator if value.denominator == 1 else float(value)


def _groups(ledger: Sequence[Entry]) -> Groups:
    found: dict[str, GroupBytes] = {}
    for name in ("embedding", "experts", "other", "unread"):
        members = [entry.tensor.bytes for entry in ledger if entry.group == name]
        found[name] = GroupBytes(bytes=sum(members), tensors=len(members))
    return Groups(**found)


def _types(ledger: Sequence[Entry]) -> tuple[TypeBytes, ...]:
    tensors: dict[str, list[int]] = {}
    for entry in ledger:
        tensors.setdefault(entry.tensor.type, []).append(entry.tensor.bytes)
    rows = [
        TypeBytes(type=name, tensors=len(sizes), bytes=sum(sizes))
        for name, sizes in tensors.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.type)))


def _rows(ledger: Sequence[Entry]) -> tuple[TensorRow, ...]:
    return tuple(
        TensorRow(
            name=entry.name,
            shape=entry.tensor.shape,
            type=entry.tensor.type,
            bytes=entry.tensor.bytes,
            kind=entry.kind,
            decode_bytes=_plain(entry.decode_bytes),
        )
        for entry in ledger
    )
