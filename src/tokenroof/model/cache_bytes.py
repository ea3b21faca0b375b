"""Bytes of the caches: what a token reads of them, and what is allocated for them.

*Read* follows the depth d itself: a growing cache gives d rows, a window min(d, window), a
compressed one a row for every full group of tokens; a layer that reads another's cache counts
once more. States count twice, read and written back. A micro-batch of u tokens needs every row
that one of them sees, once: all d + u of a growing cache, of a window at most window - 1 + u.

*Allocated* follows llama.cpp's padding. The micro-batch is cut to the batch and the context
that were asked for; then the context is padded to 256 cells, of each sequence where they are not
unified. A window's cache has room for the window (of every sequence, if unified) and a micro-batch,
padded to 256, and never more than the context. `swa_full` makes it as long as the context.
(llama_context's constructor, llama_kv_cache_iswa, llama_kv_cache_dsv4, llama_memory_recurrent.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tokenroof.errors import UsageError
from tokenroof.gguf.types import TensorType
from tokenroof.model.caches import Cache, State
from tokenroof.model.kv_types import row_bytes

_PADDING = 256


@dataclass(frozen=True, slots=True)
class Allocation:
    """How an engine was asked to set up its context.

    Attributes:
        context: tokens, as asked for, of all sequences together.
        ubatch: tokens of a micro-batch, as asked for.
        batch: tokens of a batch, as asked for; a micro-batch is never longer.
        sequences: how many may run side by side.
        unified: whether they share one cache.
        swa_full: whether windows keep the whole context.
    """

    context: int
    ubatch: int = 512
    sequences: int = 1
    unified: bool = False
    swa_full: bool = False
    batch: int = 2048

    def __post_init__(self) -> None:
        for name in ("context", "ubatch", "sequences", "batch"):
            if getattr(self, name) < 1:
                raise UsageError("model.not_positive", name=name, value=getattr(self, name))

    @property
    def micro_batch(self) -> int:
        """The micro-batch that the engine makes of it."""
        return min(self.context, self.batch, self.ubatch)

    @property
    def cells(self) -> int:
        """Cells of one stream of a growing cache."""
        context = padded(self.context)
        return context if self.unified else padded(context // self.sequences)

    @property
    def streams(self) -> int:
        """Caches side by side."""
        return 1 if self.unified else self.sequences

    def window_cells(self, window: int, *, unified: bool) -> int:
        """Cells of one stream of a sliding layer's cache."""
        if self.swa_full:
            return self.cells
        sequences = self.sequences if unified else 1
        return padded(min(self.cells, window * sequences + self.micro_batch))


Alike = Mapping[Cache, int]
"""Caches that differ in nothing but their layer, and how many of each there are."""


def alike(caches: Iterable[Cache]) -> Alike:
    """Put caches together that differ in nothing but their layer: most models have one or two."""
    return Counter(replace(cache, layer=0) for cache in caches)


def padded(cells: int) -> int:
    """Cells rounded up to what llama.cpp allocates."""
    return -(-cells // _PADDING) * _PADDING


def rows_read(cache: Cache, depth: int) -> int:
    """Rows that a token reads of a cache with `depth` tokens in the context."""
    rows = depth // cache.tokens_per_row
    return rows if cache.window is None else min(rows, cache.window)


def least_rows_read(cache: Cache, depth: int) -> int:
    """Rows that it needs at least: sparse attention can do with its top-k."""
    rows = rows_read(cache, depth)
    return rows if cache.at_most_rows is None else min(rows, cache.at_most_rows)


def rows_of_micro_batch(cache: Cache, depth: int, tokens: int) -> int:
    """Rows that `tokens` tokens on top of `depth` see together, their own among them."""
    rows = (depth + tokens) // cache.tokens_per_row
    return rows if cache.window is None else min(rows, cache.window - 1 + tokens)


def rows_of_prompt(cache: Cache, depth: int, tokens: int, ubatch: int) -> int:
    """The sum of `rows_of_micro_batch` over the micro-batches of a prompt, in closed form.

    A window is full from some micro-batch on; before, rows grow by `ubatch` each time. Where a row
    stands for r tokens, they are floor((depth + i x ubatch) / r).
    """
    full, last = divmod(tokens - 1, ubatch)
    end = rows_of_micro_batch(cache, depth + full * ubatch, last + 1)
    if cache.window is None:
        return end + floor_sum(full, cache.tokens_per_row, ubatch, depth + ubatch)
    most = cache.window - 1 + ubatch
    growing = min(full, max(0, (most - depth) // ubatch))
    grown = growing * depth + ubatch * growing * (growing + 1) // 2
    return end + grown + (full - growing) * most


def floor_sum(terms: int, divisor: int, step: int, start: int) -> int:
    """The sum of floor((start + i x step) / divisor) for i from 0 to terms - 1.

    By Euclid's algorithm: whole parts first, then divisor and step change places.
    """
    total = 0
    while terms > 0:
        total += terms * (terms - 1) // 2 * (step // divisor) + terms * (start // divisor)
        step, start = step % divisor, start % divisor
        reach = step * terms + start
        terms, start = divmod(reach, divisor)
        divisor, step = step, divisor
        if divisor == 0:
            break
    return total


def read_bytes(
    caches: Alike, rows: Callable[[Cache], int], key: TensorType, value: TensorType
) -> int:
    """Bytes of as many rows of each cache as `rows` says, for each layer that reads them."""
    total = sum(
        (
            rows(cache) * cache.readers * number * cache_row_bytes(cache, key, value)
            for cache, number in caches.items()
        ),
        Fraction(),
    )
    return round(total)


def cache_row_bytes(cache: Cache, key: TensorType, value: TensorType) -> Fraction:
    """Bytes of one row that is used: keys and values together."""
    return row_bytes(key, cache.key_elements) + row_bytes(value, cache.value_elements)


def growth_bytes(caches: Alike, key: TensorType, value: TensorType) -> int:
    """Bytes that one more token adds at great depth."""
    total = sum(
        (
            number * cache_row_bytes(cache, key, value) / cache.tokens_per_row
            for cache, number in caches.items()
            if cache.grows
        ),
        Fraction(),
    )
    return round(total)


def allocated_bytes(
    caches: Alike,
    states: Iterable[State],
    allocation: Allocation,
    key: TensorType,
    value: TensorType,
) -> int:
    """Bytes that the engine allocates for all caches and states."""
    total = Fraction(sum(state.bytes for state in states) * allocation.sequences)
    for cache, number in caches.items():
        row = cache_row_bytes(cache, key, value) + row_bytes(value, cache.unread_value_elements)
        total += number * row * _cells(cache, allocation)
    return round(total)


def _cells(cache: Cache, allocation: Allocation) -> int:
    unified = allocation.unified and not cache.per_sequence
    streams = 1 if unified else allocation.sequences
    if cache.window is not None:
        return streams * allocation.window_cells(cache.window, unified=unified)
    if cache.tokens_per_row > 1:
        return streams * padded(-(-allocation.cells // cache.tokens_per_row))
    return streams * allocation.cells
