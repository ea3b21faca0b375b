"""A model as its header tells it: what a token reads, computes and keeps.

All byte counts are those of llama.cpp, one sequence and batch 1 unless said otherwise. What is not
known is None. Where something had to be assumed, the figures are the larger ones, `warnings` say
what was assumed, and the `*_bounds` give the range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from tokenroof.errors import UsageError
from tokenroof.gguf import Header, TensorType
from tokenroof.model import bounds, compute, residence
from tokenroof.model.attention import Heads
from tokenroof.model.cache_bytes import (
    Alike,
    Allocation,
    alike,
    allocated_bytes,
    growth_bytes,
    least_rows_read,
    read_bytes,
    rows_read,
)
from tokenroof.model.caches import Cache, State
from tokenroof.model.compute import Attention
from tokenroof.model.experts import Experts
from tokenroof.model.kv_types import kv_type
from tokenroof.model.layers import Layer, layers_of
from tokenroof.model.ledger import Entry
from tokenroof.model.refusals import check_kv_types
from tokenroof.notices import Notice

Embedding = Literal["row", "tied"]

_DEEPEST = 2**40


@dataclass(frozen=True)
class Model:
    """What tokenroof knows of a model.

    Attributes:
        header: where it comes from.
        name: as the file calls itself.
        architecture: llama.cpp's name of it; None where the file does not say.
        file_type: the label of the file, such as ``Q4_K_M``: a claim, not what is stored.
        context_length: tokens that it was trained for.
        vocabulary: tokens that it knows.
        layers: layers that run for one token: multi-token prediction left out, loops counted.
        blocks: blocks of the file that they run; those after them are for multi-token prediction.
        embedding: ``row`` where one row of the input embedding is looked up, ``tied`` where it is
            the output projection as well and read in full; None without one.
        experts: how many there are and are used; None for a dense model.
        ledger: every tensor with its class and what a token reads of it.
        heads: the attention heads; None where the file does not name them.
        caches: what grows with the context; None where a layer is not understood.
        least_caches: the same where a window that no rule places is used by all layers; None
            where there is none.
        most_caches: the same where no layer uses a window, for an architecture that is not
            known and may ignore what its file says of them; None for one that is.
        states: what does not grow, of one sequence.
        shared: layers that read the cache of another, and whose.
        attentions: what attention computes.
        writes_tokens: whether it writes token by token: neither an encoder nor a diffusion model.
        is_understood: whether every layer's kind is known.
        weights_known: whether it is known what a token reads.
        warnings: what the reader of a figure should know.
    """

    header: Header
    name: str
    architecture: str | None
    file_type: str | None
    context_length: int | None
    vocabulary: int | None
    layers: int
    blocks: int
    embedding: Embedding | None
    experts: Experts | None
    ledger: tuple[Entry, ...]
    heads: Heads | None
    caches: tuple[Cache, ...] | None
    least_caches: tuple[Cache, ...] | None
    most_caches: tuple[Cache, ...] | None
    states: tuple[State, ...]
    shared: Mapping[int, int]
    attentions: tuple[Attention, ...]
    writes_tokens: bool
    is_understood: bool
    weights_known: bool
    warnings: tuple[Notice, ...]

    # --- the file ---------------------------------------------------------------------------

    @property
    def parts(self) -> int:
        """Files that it consists of."""
        return self.header.parts

    @property
    def file_bytes(self) -> int | None:
        """Bytes of all its files; None for a header without a file."""
        return self.header.file_bytes

    @property
    def tensor_bytes(self) -> int:
        """Bytes of all tensors: what lies in memory if all of it is loaded."""
        return self.header.tensor_bytes

    @cached_property
    def resident_bytes(self) -> int:
        """Bytes of the tensors that llama.cpp keeps in memory.

        All but the blocks for multi-token prediction, which it does not load in plain decode, and
        a table of embeddings per layer of more than 4 GiB, which it reads from the disk by rows.
        """
        return self.tensor_bytes - sum(
            entry.tensor.bytes
            for entry in self.ledger
            if residence.is_left_on_disk(entry, self.blocks)
        )

    @cached_property
    def parameters(self) -> int:
        """Weights in the file."""
        return sum(entry.tensor.elements for entry in self.ledger)

    @property
    def bits_per_weight(self) -> float | None:
        """Bits that a weight takes on average, scales included; None for no weights."""
        return 8 * self.tensor_bytes / self.parameters if self.parameters else None

    @property
    def is_moe(self) -> bool:
        """Whether a token uses only some of the weights: a mixture of experts."""
        return self.experts is not None

    # --- weights ----------------------------------------------------------------------------

    @cached_property
    def decode_weight_bytes(self) -> int | Fraction | None:
        """Weight bytes that one decoded token reads; None where that is not known."""
        if not self.weights_known:
            return None
        return compute.exact_sum(entry.decode_bytes for entry in self.ledger)

    @cached_property
    def decode_weight_bounds(self) -> tuple[int | Fraction, int | Fraction]:
        """The least and the most that one decoded token can read of the weights.

        Equal where it is known (see `bounds`).
        """
        known = self.decode_weight_bytes
        if known is not None and self.is_understood:
            return known, known
        least = bounds.least_weight_bytes(self.ledger) if known is not None else 0
        return least, max(self.tensor_bytes, known or 0)

    # --- caches -----------------------------------------------------------------------------

    @property
    def state_bytes(self) -> int:
        """Size of all recurrent states, of one sequence."""
        return sum(state.bytes for state in self.states)

    @cached_property
    def layers_kept(self) -> tuple[Layer, ...] | None:
        """Every layer and what it keeps; None where one is not understood."""
        if self.caches is None:
            return None
        return layers_of(self.layers, self.caches, self.states, self.shared)

    @property
    def layer_kinds(self) -> Counter[str]:
        """How many layers keep what; nothing for a model that does not write token by token."""
        if not self.writes_tokens:
            return Counter()
        return Counter(kind for layer in self.layers_kept or () for kind in layer.kinds)

    def kv_read(self, depth: int, type_k: str = "f16", type_v: str = "f16") -> int | None:
        """Bytes that the next token reads with `depth` tokens in the context, states twice.

        None where a layer's cache is not understood.

        Raises:
            UsageError: llama.cpp does not keep this model's cache in these types.
        """
        return self.kv_bytes(lambda cache: rows_read(cache, _depth(depth)), type_k, type_v)

    def kv_bytes(
        self, rows: Callable[[Cache], int], type_k: str = "f16", type_v: str = "f16"
    ) -> int | None:
        """Bytes of as many rows of each cache as `rows` says, and of all states, twice.

        None where a layer's cache is not understood.

        Raises:
            UsageError: llama.cpp does not keep this model's cache in these types.
        """
        if self.caches is None:
            return None
        return self._kv_bytes(self._alike, rows, type_k, type_v)

    def kv_read_bounds(
        self, depth: int, type_k: str = "f16", type_v: str = "f16"
    ) -> tuple[int, int] | None:
        """The least and the most that `kv_read` can be.

        They differ for sparse attention, which needs its top-k rows and may be computed as a mask
        over all of them, where sliding windows had to be assumed, and for an architecture that is
        not known, which may keep nothing.
        """
        if self.caches is None:
            return None
        depth = _depth(depth)

        def needed(cache: Cache) -> int:
            return least_rows_read(cache, depth)

        def all_rows(cache: Cache) -> int:
            return rows_read(cache, depth)

        least = self._kv_bytes(self._least_alike, needed, type_k, type_v)
        most = self._kv_bytes(self._most_alike, all_rows, type_k, type_v)
        return (least if self.is_understood else 0), most

    @cached_property
    def _alike(self) -> Alike:
        return alike(self.caches or ())

    @cached_property
    def _least_alike(self) -> Alike:
        return self._alike if self.least_caches is None else alike(self.least_caches)

    @cached_property
    def _most_alike(self) -> Alike:
        return self._alike if self.most_caches is None else alike(self.most_caches)

    def _kv_bytes(
        self, caches: Alike, rows: Callable[[Cache], int], type_k: str, type_v: str
    ) -> int:
        key, value = self._kv_types(type_k, type_v)
        return read_bytes(caches, rows, key, value) + 2 * self.state_bytes

    def kv_bytes_per_token(self, type_k: str = "f16", type_v: str = "f16") -> int | None:
        """What one more token adds to the cache at great depth: growing layers only."""
        if self.caches is None:
            return None
        return growth_bytes(self._alike, *self._kv_types(type_k, type_v))

    def kv_bytes_per_token_bounds(
        self, type_k: str = "f16", type_v: str = "f16"
    ) -> tuple[int, int] | None:
        """The least and the most that `kv_bytes_per_token` can be."""
        if self.caches is None:
            return None
        types = self._kv_types(type_k, type_v)
        least, most = (growth_bytes(each, *types) for each in (self._least_alike, self._most_alike))
        return (least if self.is_understood else 0), most

    def kv_allocated(
        self,
        context: int,
        *,
        ubatch: int = 512,
        type_k: str = "f16",
        type_v: str = "f16",
        sequences: int = 1,
        unified: bool = False,
        swa_full: bool = False,
        batch: int = 2048,
    ) -> int | None:
        """Bytes that llama.cpp allocates for caches and states at a context.

        Args:
            context: tokens of all sequences together, as asked for; it is padded.
            ubatch: the micro-batch, for which windows keep room.
            type_k: type of the keys' cache.
            type_v: type of the values' cache.
            sequences: how many may run side by side, each with `context / sequences` tokens.
            unified: whether they share one cache (llama-server's default, with 4 slots).
            swa_full: whether sliding layers keep the whole context.
            batch: the batch, which a micro-batch never exceeds.

        Raises:
            UsageError: a number is not positive, or the types cannot be.
        """
        if self.caches is None:
            return None
        asked = Allocation(context, ubatch, sequences, unified, swa_full, batch)
        types = self._kv_types(type_k, type_v)
        return allocated_bytes(self._alike, self.states, asked, *types)

    def kv_allocated_bounds(
        self, asked: Allocation, type_k: str = "f16", type_v: str = "f16"
    ) -> tuple[int, int] | None:
        """The least and the most that `kv_allocated` can be; None where a layer is unknown."""
        if self.caches is None:
            return None
        types = self._kv_types(type_k, type_v)
        least, most = (
            allocated_bytes(each, self.states, asked, *types)
            for each in (self._least_alike, self._most_alike)
        )
        return (least if self.is_understood else 0), most

    def _kv_types(self, type_k: str, type_v: str) -> tuple[TensorType, TensorType]:
        key, value = kv_type(type_k), kv_type(type_v)
        check_kv_types(self.architecture or "", self._alike, self.heads, key, value)
        return key, value

    def read_bytes(
        self, depth: int, type_k: str = "f16", type_v: str = "f16"
    ) -> int | Fraction | None:
        """All that the next token reads: weights and caches; None where a part is not known."""
        cache = self.kv_read(depth, type_k, type_v)
        if cache is None or self.decode_weight_bytes is None:
            return None
        return self.decode_weight_bytes + cache

    def depth_where_cache_outweighs_weights(
        self, type_k: str = "f16", type_v: str = "f16"
    ) -> int | None:
        """The last depth at which the cache is no more than the weights; None if never passed."""
        weights = self.decode_weight_bytes
        if not weights or not self.kv_bytes_per_token(type_k, type_v):
            return None
        return _last(lambda depth: (self.kv_read(depth, type_k, type_v) or 0) <= weights)

    # --- arithmetic -------------------------------------------------------------------------

    @cached_property
    def active_weights(self) -> Fraction:
        """Weights that one token is multiplied with in the blocks: experts by their share."""
        return compute.block_weights(self.ledger)

    @cached_property
    def head_weights(self) -> int:
        """Weights of the output projection."""
        return compute.head_weights(self.ledger)

    def linear_flop(self, tokens: int) -> int:
        """Operations of the weights for a prompt of `tokens` tokens, the head once."""
        return round(2 * tokens * self.active_weights) + 2 * self.head_weights

    def attention_flop(self, tokens: int, depth: int = 0) -> int:
        """Operations of attention and states for `tokens` tokens on top of `depth`."""
        attention = compute.attention_flop(self.attentions, tokens, depth)
        return attention + compute.state_flop(self.states, tokens)

    def prefill_flop(self, tokens: int, depth: int = 0) -> int:
        """All operations of a prompt of `tokens` tokens on top of `depth`."""
        return self.linear_flop(tokens) + self.attention_flop(tokens, depth)

    def decode_flop(self, depth: int) -> int:
        """All operations of the next token with `depth` tokens in the context."""
        return self.prefill_flop(1, depth)


def _depth(depth: int) -> int:
    if depth < 0:
        raise UsageError("model.negative_depth", depth=depth)
    return depth


def _last(holds: Callable[[int], bool]) -> int | None:
    """The last depth for which something holds that holds at first and then never again."""
    if not holds(0):
        return 0
    high = 1
    while holds(high):
        high *= 2
        if high > _DEEPEST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
