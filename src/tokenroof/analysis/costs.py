"""What one token costs, as far as analysis needs to know it.

The measured times say how long a token took; what it read and computed comes from elsewhere: from
a model's own tensor table, or, where only published figures are at hand, from figures as stated.
Both look the same from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from tokenroof.records import Cost, Record, Run

Amount = float | Fraction
"""Bytes or operations. Experts share out in fractions of a byte."""

DEFAULT_KV_TYPE = "f16"
"""What the engines keep the cache in unless they are told otherwise."""


class ModelCosts(Protocol):
    """What a token of one model reads and computes. Depth is the tokens already in the context."""

    @property
    def name(self) -> str:
        """The name that runs give the model."""

    @property
    def is_moe(self) -> bool:
        """True where a token passes through only some of the weights (mixture of experts)."""

    @property
    def decode_weight_bytes(self) -> Amount | None:
        """Weight bytes that one decoded token reads."""

    def read_bytes(self, depth: int, type_k: str = ..., type_v: str = ...) -> Amount | None:
        """Weights and cache that the next token reads; None where a part is not known."""

    def prefill_flop(self, tokens: int, depth: int) -> float | None:
        """Operations of reading so many tokens on top of `depth`; None where not known."""

    def decode_flop(self, depth: int) -> float | None:
        """Operations of the next token; None where not known."""


class CacheCost(Record, frozen=True, kw_only=True):
    """Layers of one attention kind: what each token kept in them adds to a read.

    `window` is how many of the last tokens they attend to; None where they attend to all.
    """

    bytes_per_token: float
    flop_per_token: float = 0.0
    window: int | None = None

    def seen(self, depth: int) -> int:
        """Tokens that the next one attends to, itself left out."""
        return depth if self.window is None else min(depth, self.window)


class StatedCosts(Record, frozen=True, kw_only=True):
    """Costs known from stated figures, without a model file.

    Weights: `block_weights` are multiplied once for every token, `head_weights` once for every
    token that is to be chosen: never more than one in a prefill. Each multiplication is two
    operations (multiply, add). Attention adds, in each layer, 4 x heads x head width operations
    for every position seen; the caches' `flop_per_token` is that product over their layers.
    """

    name: str
    is_moe: bool
    decode_weight_bytes: float
    caches: tuple[CacheCost, ...]
    block_weights: float | None = None
    head_weights: float | None = None
    kv_type: str = DEFAULT_KV_TYPE
    source: str

    def read_bytes(
        self, depth: int, type_k: str = DEFAULT_KV_TYPE, type_v: str = DEFAULT_KV_TYPE
    ) -> float | None:
        """Weights, and the cache of the tokens that the next one attends to.

        None for any type of the cache but the one that the figures were stated for.
        """
        if type_k != self.kv_type or type_v != self.kv_type:
            return None
        cache = sum(each.bytes_per_token * each.seen(depth) for each in self.caches)
        return self.decode_weight_bytes + cache

    def prefill_flop(self, tokens: int, depth: int) -> float | None:
        """Linear work, the head once, and attention over the positions that each token sees."""
        if self.block_weights is None or self.head_weights is None:
            return None
        attention = sum(
            each.flop_per_token * _positions(tokens, depth, each.window) for each in self.caches
        )
        return 2 * tokens * self.block_weights + 2 * self.head_weights + attention

    def decode_flop(self, depth: int) -> float | None:
        """The next token alone, the head included."""
        return self.prefill_flop(1, depth)


def _positions(tokens: int, depth: int, window: int | None) -> int:
    """Positions that `tokens` tokens on top of `depth` see, each also itself."""
    first, last = depth + 1, depth + tokens
    if window is None or last <= window:
        return (first + last) * tokens // 2
    growing = max(window - depth, 0)
    return (first + depth + growing) * growing // 2 + window * (tokens - growing)


def at_depth(cost: Callable[[int], Amount | None], depth: float) -> float | None:
    """A cost at a mean depth, which may lie halfway between two whole ones.

    Costs are straight between neighbouring depths, so halfway is the mean of both.
    """
    below = math.floor(depth)
    low = cost(below)
    if low is None or depth == below:
        return None if low is None else float(low)
    high = cost(below + 1)
    return None if high is None else float(low + (high - low) * (depth - below))


def exact(value: Amount) -> int | float:
    """An amount as a number: whole, but where experts share out in fractions of a byte."""
    return int(value) if value == int(value) else float(value)


def cost_of(run: Run, costs: ModelCosts) -> Cost | None:
    """What this run read and computed; None for one that gave no token counts."""
    tokens, depth = run.prompt.tokens, run.mean_decode_depth
    if tokens is None:
        return None
    cached = run.prompt.cached or 0
    read = decode = None
    if depth is not None:
        read = at_depth(lambda at: costs.read_bytes(at, *kv_types(run)), depth)
        decode = at_depth(costs.decode_flop, depth)
    return Cost(
        read_bytes=None if read is None else exact(read),
        prefill_flop=costs.prefill_flop(tokens - cached, run.workload.depth + cached),
        decode_flop=decode,
        is_moe=costs.is_moe,
        source=costs.source if isinstance(costs, StatedCosts) else None,
    )


def kv_types(run: Run) -> tuple[str, str]:
    """Types of the cache's keys and values, as far as the engine said them."""
    settings = run.settings
    return settings.kv_type_k or DEFAULT_KV_TYPE, settings.kv_type_v or DEFAULT_KV_TYPE
