"""What a part of a model asks of the processor that holds it: the figures a prediction is made of.

A token passes the blocks one after the other. In each it is multiplied with matrices of some
stored type, attends to a cache and carries states. Time follows how many bytes of each type have
to be read, how many weights those hold (each has to be unpacked and multiplied), and how many
steps there are: one that starts after another costs a launch, whatever its size.

A prompt is the same in other amounts. Its tokens share each weight that is read, so operations
count; each micro-batch pays for its steps and for reading all weights anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.memory.parts import Part
    from tokenroof.predict.memory.placement import Piece

KERNELS: dict[str, tuple[str, ...]] = {
    "F16": ("F32", "F16"),
    "BF16": ("BF16",),
    "Q8_0": ("Q8_0",),
    "legacy": ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL"),
    "FP4": ("MXFP4", "NVFP4"),
    "K": ("Q4_K", "Q5_K"),
    "Q6_K": ("Q6_K",),
    "low_K": ("Q2_K", "Q3_K"),
    "IQ4": ("IQ4_XS",),
    "IQ": (),
}
"""Stored types by the kind of kernel that unpacks them; what is in no other kind is in the last."""

KINDS = tuple(KERNELS)
_OF_TYPE = {stored: kind for kind, types in KERNELS.items() for stored in types}


def kernel_of(stored: str) -> str:
    """The kind of kernel for a stored type."""
    return _OF_TYPE.get(stored, KINDS[-1])


@dataclass(frozen=True, slots=True)
class Footprint:
    """What lies in one place, and what of it one token uses.

    Attributes:
        read_bytes: of weights, by kind of kernel, experts among them.
        expert_bytes: of experts alone, likewise.
        weights: how many weights those bytes hold, by kind.
        expert_weights: of these, those of experts.
        matrices: multiplications one after the other.
        expert_layers: blocks with experts.
        stored_bytes: of all matrices that a prompt passes, experts in full.
    """

    read_bytes: dict[str, float] = field(default_factory=dict)
    expert_bytes: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    expert_weights: float = 0.0
    matrices: float = 0.0
    expert_layers: int = 0
    stored_bytes: float = 0.0

    @property
    def all_weights(self) -> float:
        """Weights that one token is multiplied with."""
        return sum(self.weights.values())


def footprint(pieces: Iterable[Piece]) -> Footprint:
    """Add up what tensors, or parts of them, ask for."""
    read: dict[str, float] = {}
    experts: dict[str, float] = {}
    weights: dict[str, float] = {}
    expert_weights = matrices = stored = 0.0
    with_experts: set[int | None] = set()
    for piece in pieces:
        entry = piece.entry
        if not piece.is_read or entry.kind not in ("read", "expert"):
            continue
        kind = kernel_of(entry.tensor.type)
        read[kind] = read.get(kind, 0.0) + piece.read_bytes
        count = float(entry.tensor.elements * entry.passes * entry.share) * piece.share
        weights[kind] = weights.get(kind, 0.0) + count
        stored += entry.tensor.bytes * entry.passes * piece.share
        if entry.kind == "expert":
            experts[kind] = experts.get(kind, 0.0) + piece.read_bytes
            expert_weights += count
            with_experts.add(entry.block)
        if len(entry.tensor.shape) > 1:
            matrices += entry.passes
    return Footprint(read, experts, weights, expert_weights, matrices, len(with_experts), stored)


def added(parts: Iterable[Footprint]) -> Footprint:
    """Several places as one."""
    read: dict[str, float] = {}
    experts: dict[str, float] = {}
    weights: dict[str, float] = {}
    expert_weights = matrices = stored = 0.0
    expert_layers = 0
    for part in parts:
        for into, amounts in (
            (read, part.read_bytes),
            (experts, part.expert_bytes),
            (weights, part.weights),
        ):
            for kind, amount in amounts.items():
                into[kind] = into.get(kind, 0.0) + amount
        expert_weights += part.expert_weights
        matrices += part.matrices
        stored += part.stored_bytes
        expert_layers += part.expert_layers
    return Footprint(read, experts, weights, expert_weights, matrices, expert_layers, stored)


def attention_share(part: Part, model: Model) -> float:
    """What share of all attention one part does: its layers' caches of all."""
    everything = len(model.caches or ())
    return len(part.hold.caches) * part.hold.cache_share / everything if everything else 0.0
