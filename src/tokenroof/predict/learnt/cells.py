"""What attention costs the cores of a processor, counted in positions: more than a token sees.

llama.cpp's CPU backend skips positions that a token does not see, and still pays for some of them
(ggml-cpu/ops.cpp, `ggml_compute_forward_flash_attn_ext_f16` and `_tiled`).

*Decode.* A cache of 512 cells or more is cut into as many equal pieces as there are threads, and
all wait for the thread whose piece holds the most cells that are seen. The end of a cache is
rounded up to 256 cells (`llama_kv_cache::get_n_kv`): with 256 tokens in the context and two
threads, 512 cells are cut in the middle, and one thread has all the work. A smaller cache is
divided by heads instead, evenly.

*A window* of w tokens lies in a ring of w + ubatch cells (`llama_kv_cache_iswa`), rounded up. Its
place in the ring changes with every token, so the mean over all places counts.

*Prefill.* Queries and positions are taken in tiles of 64 by 64, and only tiles that no query of
theirs sees are skipped.
"""

from __future__ import annotations

from functools import lru_cache

from tokenroof.model.cache_bytes import padded

_LEAST_TO_CUT = 512
_TILE = 64


def decode_cells(depth: int, window: int | None, threads: int | None, ubatch: int) -> float:
    """Cells that the next token pays for in a layer, as if all threads had as many.

    Never less for more depth.

    Args:
        depth: tokens in the context.
        window: tokens that the layer looks back over; None for all.
        threads: that compute; None where it is not a processor's cores that do.
        ubatch: tokens of a micro-batch.
    """
    used = depth + 1
    seen = float(used if window is None else min(used, window))
    if threads is None or threads < 2:
        return seen
    end = padded(used)
    ring = None if window is None else padded(window + ubatch)
    if ring is not None:
        end = min(end, ring)
    if end < _LEAST_TO_CUT:
        return seen
    busiest = min(seen, end / threads)
    if window is not None and ring is not None:
        busiest = min(busiest, _busiest_in_ring(window, ring / threads))
    return busiest * threads


def _busiest_in_ring(window: int, piece: float) -> float:
    """The most of a window that lies in one piece of its ring, as the mean over all its places.

    Where it lies across a border, the larger part counts, which is three quarters of it on
    average; a window longer than a piece may hold a whole one.
    """
    if window <= piece:
        return window - window * window / (4 * piece)
    if window >= 2 * piece:
        return piece
    across = (2 * piece - window) / piece
    return across * (piece / 2 + window / 4) + (1 - across) * piece


@lru_cache(maxsize=512)
def prefill_cells(tokens: int, depth: int, window: int | None) -> int:
    """Positions that all tokens of a prompt pay for together in a layer, whole tiles of them."""
    total = 0
    for first in range(depth, depth + tokens, _TILE):
        end = min(first + _TILE, depth + tokens)
        oldest = 0 if window is None else max(0, first - window + 1)
        total += _TILE * _TILE * (-(-end // _TILE) - oldest // _TILE)
    return total
