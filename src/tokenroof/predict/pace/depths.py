"""What a token reads and attends to at many depths at once: `Model` on arrays, to the last byte.

Only the cache depends on the depth. Rows of one kind of cache are whole numbers, and so are the
bytes of a row but for types whose blocks a row does not fill; those are added as fractions of a
common divisor and rounded at the end, as `model.cache_bytes` does it one depth at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tokenroof.model.cache_bytes import alike, cache_row_bytes
from tokenroof.model.compute import state_flop
from tokenroof.model.kv_types import kv_type

if TYPE_CHECKING:
    from tokenroof.model import Cache, Model

Integers = NDArray[np.int64]


def cache_bytes(caches: Iterable[Cache], depths: Integers, types: tuple[str, str]) -> Integers:
    """Bytes that a token reads of caches, at each depth."""
    key, value = kv_type(types[0]), kv_type(types[1])
    each = [
        (cache, number * cache.readers * cache_row_bytes(cache, key, value))
        for cache, number in alike(caches).items()
    ]
    divisor = lcm(*(size.denominator for _, size in each)) if each else 1
    total = np.zeros(depths.shape, dtype=np.int64)
    for cache, size in each:
        rows = depths // cache.tokens_per_row
        if cache.window is not None:
            rows = np.minimum(rows, cache.window)
        total += rows * int(size * divisor)
    return _halves_to_even(total, divisor)


def added(weights: float | Fraction, cache: Integers) -> Integers:
    """Whole bytes of weights and cache together, rounded as Python rounds."""
    if isinstance(weights, float):
        return np.array([round(weights + each) for each in cache.tolist()], dtype=np.int64)
    exact = Fraction(weights)
    return _halves_to_even(cache * exact.denominator + exact.numerator, exact.denominator)


def _halves_to_even(total: Integers, divisor: int) -> Integers:
    whole, rest = np.divmod(total, divisor)
    up = (2 * rest > divisor) | ((2 * rest == divisor) & (whole % 2 == 1))
    rounded: Integers = whole + up
    return rounded


def attention_flop(model: Model, depths: Integers) -> Integers:
    """`Model.attention_flop` of one token, at each depth."""
    total = np.full(depths.shape, state_flop(model.states, 1), dtype=np.int64)
    for attention, number in Counter(model.attentions).items():
        seen = np.ones_like(depths)
        if attention.causal:
            seen = depths + 1
            if attention.window is not None:
                seen = np.minimum(seen, attention.window)
        total += number * (attention.flop_per_position * seen // attention.tokens_per_position)
    return total
