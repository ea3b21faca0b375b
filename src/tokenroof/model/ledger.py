"""Every tensor of a file: what of it one decoded token reads.

    read      multiplied in full, as many times as its block runs
    lookup    a table of which rows are taken: the input embedding, positions, embeddings per layer
    expert    the share of its experts that a token uses
    unread    resident at most: other modalities, multi-token prediction, what no graph touches

The input embedding is a lookup unless the output projection is tied to it: without an
`output.weight` anywhere in the set, it is multiplied in full as the output projection, and the row
is a part of that. The bytes of a token are exact; where an expert's share is no whole number of
bytes, they are a fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tokenroof.gguf import Tensor
from tokenroof.model.blocks import Tensors
from tokenroof.model.experts import Experts, is_adapter_stack, is_expert_tensor
from tokenroof.model.hyperparameters import Hyperparameters
from tokenroof.model.loops import Passes
from tokenroof.model.unread import Reason, Unread

TensorClass = Literal["read", "lookup", "expert", "unread"]
Group = Literal["embedding", "experts", "other", "unread"]

ALL, NOTHING = Fraction(1), Fraction(0)

EMBEDDING = "token_embd.weight"
HEAD = "output.weight"

_ONE_ROW = frozenset(
    {"position_embd.weight", "token_types.weight", "per_layer_token_embd.weight", EMBEDDING}
)
_ONE_ROW_OF_BLOCK = ("attn_compressor_ape.", "ffn_gate_tid2eid.")
_INDEXER_POSITIONS = "indexer_compressor_ape."
_N_GRAMS = "per_layer_token_embd.weight"


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor of the ledger.

    Attributes:
        tensor: as the header has it.
        kind: its class.
        decode_bytes: what one decoded token reads of it.
        passes: how often its block runs for one token; 0 for what is not read.
        share: what part of it one pass reads.
        reason: why it is unread; None for what is read.
        block: the block that it belongs to.
        part: its name within the block.
    """

    tensor: Tensor
    kind: TensorClass
    decode_bytes: int | Fraction
    passes: int
    share: Fraction
    reason: Reason | None = None
    block: int | None = None
    part: str = ""

    @property
    def name(self) -> str:
        """The tensor's name."""
        return self.tensor.name

    @property
    def group(self) -> Group:
        """Where its bytes are counted: the embedding stays one even where it is tied."""
        if self.name == EMBEDDING or self.kind == "lookup":
            return "embedding"
        if self.kind == "expert":
            return "experts"
        return "unread" if self.kind == "unread" else "other"


def is_tied(tensors: Tensors, has_head: bool) -> bool:
    """Whether the input embedding is the output projection as well."""
    return has_head and EMBEDDING in tensors.by_name and HEAD not in tensors.by_name


def ledger(
    parameters: Hyperparameters,
    tensors: Tensors,
    experts: Experts | None,
    passes: Passes,
    unread: Unread,
    *,
    tied: bool,
) -> tuple[Entry, ...]:
    """Class every tensor, in the order of the file."""
    entries = []
    for tensor, block, part in tensors.placed:
        kind, share = _class(parameters, tensors, tensor, (block, part), experts, tied=tied)
        reason = unread(tensor, block, part)
        runs = 1 if block is None else passes.counts[block]
        if reason is not None:
            kind, share, runs = "unread", NOTHING, 0
        exact = tensor.bytes * runs if share is ALL else whole_if_it_is(tensor.bytes * runs * share)
        entries.append(Entry(tensor, kind, exact, runs, share, reason, block, part))
    return tuple(entries)


def whole_if_it_is(number: Fraction) -> int | Fraction:
    """A whole number as one."""
    return number.numerator if number.denominator == 1 else number


def _class(
    parameters: Hyperparameters,
    tensors: Tensors,
    tensor: Tensor,
    where: tuple[int | None, str],
    experts: Experts | None,
    *,
    tied: bool,
) -> tuple[TensorClass, Fraction]:
    if tensor.name == EMBEDDING and tied:
        return "read", ALL
    block, part = where
    rows = _rows(parameters, tensors, tensor, block, part)
    if rows is not None:
        held = tensor.elements // tensor.shape[0] if tensor.elements else 1
        return "lookup", Fraction(min(rows, held), held)
    if experts is not None and is_expert_tensor(part, tensor, experts):
        used, held = experts.share(block, tensor)
        return "expert", Fraction(used, held)
    if is_adapter_stack(parameters, part, tensor):
        return "expert", Fraction(1, tensor.shape[-1])
    return "read", ALL


def _rows(
    parameters: Hyperparameters, tensors: Tensors, tensor: Tensor, block: int | None, part: str
) -> int | None:
    """How many rows are looked up of a table; None for what is no table."""
    if not tensor.shape:
        return None
    if block is None:
        if tensor.name not in _ONE_ROW:
            return None
        n_gram = parameters.count("ple.ngram_size")
        if tensor.name == _N_GRAMS and n_gram:
            return (n_gram - 1) * parameters.count("ple.heads_per_ngram")
        return 1
    if part.startswith(_INDEXER_POSITIONS):
        # Beside a compressor of attention it is read like that one's; alone it is added whole.
        return 1 if "attn_compressor_ape.weight" in tensors.block(block) else None
    return 1 if part.startswith(_ONE_ROW_OF_BLOCK) else None
