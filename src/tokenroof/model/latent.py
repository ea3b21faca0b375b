"""Attention that keeps less than its heads: MLA, indexers, compressed caches.

*MLA* stores one latent row a token, the keys' row (`attention.key_length` x KV heads, 512 + 64 for
most), from which keys and values of all heads are made; values are a part of it and not stored.
That holds for files whose MLA was converted to be absorbed, which have both `key_length_mla` and
`value_length_mla`; older files store full keys and values of every head.

*Indexers* choose the tokens that sparse attention looks at; they keep one key a token of their
own. A pooled one (`indexer.kpool`, glm5-next) keeps key, gate and pooled key. One in a hybrid with
compression ratios keeps two (qwen4exp, from llama.cpp 0.6). One beside ordinary attention
(minimax-m3) shares the cache class of the heads, which allocates a row of values that nobody uses.

*Compressed attention* (deepseek4) keeps a window of joint key-values in every layer and, by the
layer's ratio, one row for 4 tokens (and an indexer key beside it) or for 128, with an F32 state
of the compressor that gathers them.
"""

from __future__ import annotations

from tokenroof.model.attention import Heads
from tokenroof.model.blocks import Block, has_prefix
from tokenroof.model.caches import Cache, CacheKind, State
from tokenroof.model.hyperparameters import Hyperparameters

_OVERLAPPING_RATIO = 4
_GLM_5_2_CONTEXT = 1_048_576


def is_absorbed(parameters: Hyperparameters) -> bool:
    """Whether MLA works on its latent rows, without values of their own."""
    return bool(
        parameters.count("attention.key_length_mla")
        and parameters.count("attention.value_length_mla")
    )


def compression_ratios(parameters: Hyperparameters, layers: int) -> tuple[int, ...]:
    """For each layer, how many tokens share one compressed row; 0 for none."""
    return parameters.per_layer("attention.compress_ratios", layers)


def has_indexer(parameters: Hyperparameters, layer: int, block: Block) -> bool:
    """Whether a layer keeps indexer keys of its own, or uses those of a layer before it."""
    if not has_prefix(block, "indexer") or not parameters.count("attention.indexer.key_length"):
        return False
    types = parameters.array("attention.indexer.types")
    if types is not None:
        return layer < len(types) and bool(types[layer])
    if parameters.architecture == "glm-dsa" and (
        parameters.count("context_length") >= _GLM_5_2_CONTEXT
    ):
        # llama.cpp's built-in table of GLM-5.2: the first two layers, then every fourth from 2.
        return layer < 2 or (layer - 2) % 4 == 0
    if parameters.architecture == "hy_v4":
        return parameters.count("attention.indexer.top_k") > 0
    return True


def indexer_cache(
    parameters: Hyperparameters, layer: int, heads: Heads, *, hybrid: bool, absorbed: bool
) -> Cache:
    """The indexer keys of one layer."""
    length = parameters.count("attention.indexer.key_length")
    unread_values = 0
    copies = 1
    if absorbed and hybrid and parameters.count("attention.indexer.kpool"):
        copies = 3
    elif not absorbed and hybrid:
        copies = 2 if parameters.count("attention.compress_ratios") else 1
    elif not absorbed:
        unread_values = heads.value_length
    return Cache(layer, "indexer", copies * length, unread_value_elements=unread_values)


def compressed_caches(
    parameters: Hyperparameters, layer: int, heads: Heads, window: int, ratio: int
) -> tuple[list[Cache], list[State]]:
    """What one layer of compressed attention keeps."""
    length = heads.kv[layer] * heads.key_length
    top_k = parameters.count("attention.indexer.top_k") or None
    kind: CacheKind = "window" if window else "full"
    caches = [Cache(layer, kind, length, window=window or None, per_sequence=True)]
    states: list[State] = []
    if ratio == 0:
        return caches, states
    if ratio == _OVERLAPPING_RATIO:
        # Windows of 4 overlap by half, so the state holds two of them, keys beside scores.
        indexer = parameters.count("attention.indexer.key_length")
        caches.append(
            Cache(
                layer,
                "compressed",
                length,
                tokens_per_row=ratio,
                per_sequence=True,
                at_most_rows=top_k,
            )
        )
        caches.append(Cache(layer, "indexer", indexer, tokens_per_row=ratio, per_sequence=True))
        rows, widths = 2 * ratio, 2 * (heads.key_length + indexer)
    else:
        caches.append(Cache(layer, "compressed", length, tokens_per_row=ratio, per_sequence=True))
        rows, widths = ratio, heads.key_length
    states.append(State(layer, "compressor", 2 * rows * widths))
    return caches, states
