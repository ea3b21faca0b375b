"""The works that grow with depth: what a token, or a prompt, takes of caches and attention.

Layers that are alike are put together once for a model, so that many depths cost little.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tokenroof.model import Cache, Model
from tokenroof.model.cache_bytes import alike, cache_row_bytes
from tokenroof.model.compute import positions_seen, state_flop
from tokenroof.model.kv_types import kv_type
from tokenroof.predict.learnt.cells import decode_cells, prefill_cells

CACHE, PIECES, ATTENTION, SCORES = "cache_bytes", "pieces", "attention_flop", "scores"
DEEPER = (CACHE, PIECES, ATTENTION, SCORES)
"""The kinds of work that depend on the depth."""

_CACHE_TYPE = "f16"
_NUMBER_BYTES = 2

FAR_BYTES = 1024
SHORT_BYTES = 256
"""The keys of one head lie `FAR_BYTES` or more apart, with those of other heads between them. A
processor that finds them by their regular distance fetches them ahead of time; it does so no more
where they are this far apart and each of them takes several steps to read."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """What one cell costs in all layers whose caches are alike."""

    window: int | None
    tokens: int
    cache_bytes: float = 0.0
    pieces: float = 0.0
    flop: float = 0.0


@dataclass(frozen=True, slots=True)
class Attending:
    """Caches and attention of a model on one processor.

    Attributes:
        layers: what a cell costs, by kinds of layers.
        state_bytes: read and written back at every token.
        state_flop: of one token.
        flop_of_a_score: of one head on one position.
        threads: of a processor's cores; None for anything else.
        ubatch: tokens of a micro-batch.
    """

    layers: tuple[_Cells, ...]
    state_bytes: int
    state_flop: int
    flop_of_a_score: float
    threads: int | None
    ubatch: int

    @staticmethod
    def of(model: Model, threads: int | None, ubatch: int) -> Attending | None:
        """None where a layer's cache is not understood."""
        if model.caches is None:
            return None
        key = value = kv_type(_CACHE_TYPE)
        lengths = _key_lengths(model)
        caches = [
            _Cells(
                cache.window,
                cache.tokens_per_row,
                cache_bytes=float(number * cache.readers * cache_row_bytes(cache, key, value)),
                pieces=float(number * cache.readers * _pieces(cache, lengths)),
            )
            for cache, number in alike(model.caches).items()
        ]
        attentions = [
            _Cells(each.window, each.tokens_per_position, flop=number * each.flop_per_position)
            for each, number in Counter(model.attentions).items()
            if each.causal
        ]
        heads = model.heads
        return Attending(
            layers=(*caches, *attentions),
            state_bytes=2 * model.state_bytes,
            state_flop=state_flop(model.states, 1),
            flop_of_a_score=(
                1.0 if heads is None else 2.0 * (heads.key_length + heads.value_length)
            ),
            threads=threads,
            ubatch=ubatch,
        )

    def decode(self, depth: int) -> dict[str, float]:
        """Of the next token, by kind of work."""
        read, pieces, flop = float(self.state_bytes), 0.0, float(self.state_flop)
        for each in self.layers:
            cells = decode_cells(depth // each.tokens, each.window, self.threads, self.ubatch)
            read += cells * each.cache_bytes
            pieces += cells * each.pieces
            flop += cells * each.flop
        found = {CACHE: read, ATTENTION: flop, SCORES: flop / self.flop_of_a_score}
        return {**found, PIECES: pieces} if self.threads else found

    def prefill(self, tokens: int, depth: int) -> dict[str, float]:
        """Of a prompt, by kind of work."""
        flop = float(tokens * self.state_flop)
        for each in self.layers:
            if not each.flop:
                continue
            if self.threads:
                cells = prefill_cells(tokens, depth, each.window)
            else:
                cells = positions_seen(tokens, depth, each.window)
            flop += cells * each.flop / each.tokens
        return {ATTENTION: flop, SCORES: flop / self.flop_of_a_score}


def _key_lengths(model: Model) -> dict[bool, int]:
    """Numbers of one head's key, in sliding layers and in the others."""
    heads = model.heads
    return {} if heads is None else {slides: heads.lengths(slides)[0] for slides in (True, False)}


def _pieces(cache: Cache, lengths: dict[bool, int]) -> int:
    """Keys of one row that lie far apart: one of each head, or none."""
    length = lengths.get(cache.window is not None, 0)
    if cache.kind not in ("full", "window") or not length or cache.key_elements <= length:
        return 0
    far = cache.key_elements * _NUMBER_BYTES >= FAR_BYTES
    return cache.key_elements // length if far and length * _NUMBER_BYTES >= SHORT_BYTES else 0
