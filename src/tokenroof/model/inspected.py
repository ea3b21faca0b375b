"""The records of `inspect`: `tokenroof.inspect/1`, and two of them side by side."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from tokenroof.model.components import Component
from tokenroof.model.ledger import TensorClass
from tokenroof.model.unread import Reason
from tokenroof.notices import Notice
from tokenroof.records import Record

INSPECT_SCHEMA: Literal["tokenroof.inspect/1"] = "tokenroof.inspect/1"
PAIR_SCHEMA: Literal["tokenroof.inspect-pair/1"] = "tokenroof.inspect-pair/1"
ENGINE: Literal["llama.cpp"] = "llama.cpp"


class ModelFacts(Record, frozen=True, kw_only=True):
    """The file and what it says of itself.

    `tensor_bytes` and `other_bytes` (header and padding) are `file_bytes` and `missing_bytes`
    together; `overlap_bytes` of the tensors lie in others and count once. `resident_bytes` is what
    the engine loads. `recipe` is the NAME@TYPE that the tensors were worked out for; None where
    they were read from a file.
    """

    name: str
    architecture: str | None
    file_type: str | None
    parameters: int
    bits_per_weight: float | None
    file_bytes: int | None
    tensor_bytes: int
    overlap_bytes: int
    other_bytes: int | None
    missing_bytes: int
    resident_bytes: int
    parts: int
    context_length: int | None
    vocabulary: int | None
    layers: int | None
    recipe: str | None


class GroupBytes(Record, frozen=True, kw_only=True):
    """The tensors of one group."""

    bytes: int = 0
    tensors: int = 0


class Groups(Record, frozen=True, kw_only=True):
    """How the bytes of the file are read."""

    embedding: GroupBytes
    experts: GroupBytes
    other: GroupBytes
    unread: GroupBytes


class ComponentBytes(Record, frozen=True, kw_only=True):
    """What tensors are for, their bytes, and what one token reads of them."""

    component: Component
    tensors: int
    bytes: int
    decode_bytes: int | float | None


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


class LayerKept(Record, frozen=True, kw_only=True):
    """What one layer keeps; `reads_layer` is the layer whose cache it reads instead."""

    layer: int
    keeps: tuple[str, ...]
    window: int | None
    reads_layer: int | None


class KvRead(Record, frozen=True, kw_only=True):
    """What the next token reads of the caches, and the least and the most that it may be.

    `high` is there only where it is more than the figure.
    """

    depth: int
    bytes: int | None
    low: int | None
    high: int | UnsetType = UNSET


class KvAllocated(Record, frozen=True, kw_only=True):
    """What the engine allocates for caches and states; `low` and `high` where it is a range."""

    context: int
    bytes: int | None
    low: int | UnsetType = UNSET
    high: int | UnsetType = UNSET


class Kv(Record, frozen=True, kw_only=True):
    """What the model keeps between tokens, and how the engine was asked to set it up."""

    type_k: str
    type_v: str
    ubatch: int
    sequences: int
    unified: bool
    swa_full: bool
    bytes_per_token: int | None
    bytes_per_token_low: int | None
    bytes_per_token_high: int | None
    state_bytes: int | None
    outweighs_weights_at: int | None
    layers: dict[str, int]
    by_layer: tuple[LayerKept, ...] | None
    read: tuple[KvRead, ...]
    allocated: tuple[KvAllocated, ...]


class PromptCost(Record, frozen=True, kw_only=True):
    """What reading a prompt into an empty context takes."""

    prompt: int
    micro_batches: int | None = None
    linear_flop: int | None = None
    attention_flop: int | None = None
    weight_bytes: float | None = None
    cache_bytes: int | None = None


class PrefillCost(Record, frozen=True, kw_only=True):
    """What reading prompts takes.

    `flop_per_token` and `head_flop` are the operations of the weights, for each token and once a
    prompt; `distinct_experts` and `micro_batch_bytes` what a full micro-batch touches of a layer's
    experts and moves of the weights.
    """

    ubatch: int
    flop_per_token: int | None
    head_flop: int | None
    distinct_experts: float | None
    micro_batch_bytes: float | None
    prompts: tuple[PromptCost, ...]


class TensorRow(Record, frozen=True, kw_only=True, rename={"kind": "class"}):
    """One tensor and what a token reads of it; `reason` is there to say why it is unread."""

    name: str
    shape: tuple[int, ...]
    type: str
    bytes: int
    kind: TensorClass
    decode_bytes: int | float | None
    reason: Reason | UnsetType = UNSET


class Inspection(Record, frozen=True, kw_only=True):
    """What is really in a file, and what one token costs."""

    schema: Literal["tokenroof.inspect/1"] = INSPECT_SCHEMA
    engine: Literal["llama.cpp"] = ENGINE
    model: ModelFacts
    groups: Groups
    components: tuple[ComponentBytes, ...]
    types: tuple[TypeBytes, ...]
    decode: Decode
    experts: ExpertCount | None
    kv: Kv
    prefill: PrefillCost
    warnings: tuple[Notice, ...]
    tensors: tuple[TensorRow, ...] | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document that the contract shows, warnings in the language asked for."""
        plain = super().to_dict()
        plain["warnings"] = [notice.to_dict(language) for notice in self.warnings]
        if self.tensors is None:
            del plain["tensors"]
        return plain


class InspectionPair(Record, frozen=True, kw_only=True):
    """Two models side by side, each as it is shown alone."""

    schema: Literal["tokenroof.inspect-pair/1"] = PAIR_SCHEMA
    models: tuple[Inspection, Inspection]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """Both documents, warnings in the language asked for."""
        return {
            "schema": self.schema,
            "models": [each.to_dict(language) for each in self.models],
        }
