"""Layer by layer: what a model keeps between tokens.

Every pass through a block is a layer with a cache of its own. What it keeps is told by its
tensors: a state (`recurrent`), a latent row (`latent`), keys and values of heads (`attention`,
full or sliding), or nothing. Encoders and diffusion models keep nothing at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tokenroof.errors import ModelError
from tokenroof.model.architectures import DIFFUSION, ENCODERS, KNOWN, KV_LAYERS_FROM_START
from tokenroof.model.attention import Heads, attends
from tokenroof.model.blocks import Block, Tensors, has
from tokenroof.model.caches import Cache, State
from tokenroof.model.hyperparameters import Hyperparameters
from tokenroof.model.latent import (
    compressed_caches,
    compression_ratios,
    has_indexer,
    indexer_cache,
    is_absorbed,
)
from tokenroof.model.loops import Passes
from tokenroof.model.recurrent import attends_beside, recurrent_kind, recurrent_states
from tokenroof.model.windows import Windows


@dataclass(frozen=True, slots=True)
class Kept:
    """What a model keeps.

    Attributes:
        caches: the rows that grow with the context.
        states: the states of fixed size, of one sequence.
        absorbed: whether attention is MLA on latent rows.
        unknown_layers: layers that mix tokens in a way that no rule here knows.
        shared: layers that read the cache of another, and whose.
    """

    caches: tuple[Cache, ...]
    states: tuple[State, ...]
    absorbed: bool
    unknown_layers: tuple[int, ...]
    shared: Mapping[int, int] = field(default_factory=dict)


def writes_token_by_token(parameters: Hyperparameters) -> bool:
    """Whether each token follows the ones before: neither an encoder nor a diffusion model."""
    if parameters.architecture in ENCODERS | DIFFUSION:
        return False
    return parameters.flag("attention.causal") is not False


def what_is_kept(
    parameters: Hyperparameters,
    tensors: Tensors,
    heads: Heads | None,
    windows: Windows,
    passes: Passes,
) -> Kept:
    """Find the caches and states of all layers.

    Raises:
        ModelError: a layer attends with heads of no size.
    """
    absorbed = is_absorbed(parameters)
    if not writes_token_by_token(parameters):
        return Kept((), (), absorbed, ())
    layers = len(windows.slides)
    ratios = compression_ratios(parameters, layers)
    hybrid = any(
        recurrent_kind(parameters, block, tensors.block(block)) for block in set(passes.order)
    )
    caches: list[Cache] = []
    states: list[State] = []
    unknown: list[int] = []
    for slot, number in enumerate(passes.order):
        layer = slot % layers
        block = tensors.block(number)
        kind = recurrent_kind(parameters, layer, block)
        if kind is not None:
            states += [
                replace(state, layer=slot)
                for state in recurrent_states(parameters, layer, block, kind, heads)
            ]
            if not attends_beside(kind, block):
                continue
        if not attends(block) or heads is None:
            if attends(block) or not _mixes_no_tokens(parameters, block):
                unknown.append(slot)
            continue
        if has(block, ("attn_kv",)) and has(block, ("attn_kv_a_norm", "attn_sinks")):
            rows, compressors = compressed_caches(
                parameters, layer, heads, windows.window, ratios[layer]
            )
            caches += rows
            states += compressors
            continue
        if heads.kv[layer] == 0 and any(heads.query):
            continue
        if heads.query[layer] == 0:
            raise ModelError("model.no_heads", key=parameters.key("attention.head_count"))
        cache = _ordinary(slot, layer, heads, windows, absorbed=absorbed)
        if has_indexer(parameters, layer, block):
            top_k = parameters.count("attention.indexer.top_k") or None
            cache = replace(cache, at_most_rows=top_k)
            caches.append(indexer_cache(parameters, slot, heads, hybrid=hybrid, absorbed=absorbed))
        caches.append(cache)
    shared = _shared(parameters, caches, windows)
    readers = Counter(shared.values())
    caches = [
        replace(cache, readers=1 + readers[cache.layer])
        for cache in caches
        if cache.layer not in shared
    ]
    caches += _router(parameters, heads, len(passes.order))
    return Kept(tuple(caches), tuple(states), absorbed, tuple(unknown), shared)


def _mixes_no_tokens(parameters: Hyperparameters, block: Block) -> bool:
    """Whether a block that neither attends nor carries a state has nothing to keep.

    Some known architectures have blocks of feed-forward layers alone. In one that is not known,
    only such names are taken for that; anything else may be a way to mix tokens.
    """
    if parameters.architecture in KNOWN:
        return bool(block)
    return bool(block) and all(part.startswith(("ffn_", "attn_norm", "post_")) for part in block)


def _ordinary(slot: int, layer: int, heads: Heads, windows: Windows, *, absorbed: bool) -> Cache:
    slides = windows.slides[layer]
    kv = heads.kv[layer]
    key, value = heads.lengths(slides)
    window = windows.window if slides else None
    if absorbed:
        return Cache(slot, "latent", kv * key, window=window)
    return Cache(slot, "window" if slides else "full", kv * key, kv * value, window=window)


def layers_with_kv(parameters: Hyperparameters, layers: int) -> int:
    """How many first layers keep keys and values; the rest reads theirs (gemma3n, gemma4)."""
    if "attention.shared_kv_layers" in parameters:
        return max(layers - parameters.count("attention.shared_kv_layers"), 0)
    return min(KV_LAYERS_FROM_START.get(parameters.architecture, layers), layers)


def _shared(
    parameters: Hyperparameters, caches: Iterable[Cache], windows: Windows
) -> dict[int, int]:
    """Layers that read another's cache, and whose: they keep none of their own.

    It is the last sliding layer that keeps one, or the last full one: the last but one and the
    last layer with a cache (llama_model::create_memory).
    """
    own = layers_with_kv(parameters, len(windows.slides))
    if own == len(windows.slides):
        return {}
    if own < 2:
        raise ModelError(
            "model.too_few_kv_layers", key=parameters.key("attention.shared_kv_layers"), own=own
        )
    return {
        cache.layer: own - 2 if cache.window is not None else own - 1
        for cache in caches
        if cache.layer >= own
    }


def _router(parameters: Hyperparameters, heads: Heads | None, slot: int) -> list[Cache]:
    """The single-head layer by which graniteswitch chooses an adapter."""
    if heads is None or not parameters.count("adapters.count"):
        return []
    return [Cache(slot, "full", heads.key_length, heads.value_length)]
