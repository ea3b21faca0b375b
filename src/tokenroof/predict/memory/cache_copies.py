"""Copies of caches and states that attention needs beside them, held for one layer at a time.

Where caches lie with the host and a layer on a card, attention runs on the card all the same: the
keys and values of a layer are copied to it for every token, all cells of them, and stay in its
buffers until the layer is done. Flash attention takes no keys or values of 32 bits: those of a
layer are turned into 16 bits first, wherever it runs. States are copied likewise, and a scan holds
the old, the new and what is gathered of them at once. None of it depends on the micro-batch, which
hides it behind wider things at 512 tokens, and does not at few.
(llm_graph_context::build_attn_mha, build_rs; ggml_backend_sched_split_graph.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.model.architectures import FLASH_ATTENTION_OFF
from tokenroof.model.cache_bytes import allocated_bytes
from tokenroof.model.kv_types import kv_type
from tokenroof.predict.memory.placement import HOST

if TYPE_CHECKING:
    from tokenroof.model import Cache, Model
    from tokenroof.predict.memory.engine_setup import EngineSetup
    from tokenroof.predict.memory.placement import Hold, Placement

_STATES_AT_ONCE = 3


def uses_flash_attention(model: Model, setup: EngineSetup) -> bool:
    """Whether attention is computed in pieces: as asked, or wherever the engine can."""
    return setup.flash_attention is not False and model.architecture not in FLASH_ATTENTION_OFF


def cache_copies(placement: Placement, setup: EngineSetup, hold: Hold) -> int:
    """The most bytes of copies that one layer of a place needs of its keys and values."""
    model, layers = placement.model, set(hold.layers)
    is_wide = "f32" in (setup.type_k, setup.type_v)
    if not (placement.wish.kv_on_host or is_wide or model.shared):
        return 0
    blocks = max(placement.layer_count - 1, 1)
    flash = uses_flash_attention(model, setup)
    total = 0
    for kind in {cache.kind for cache in model.caches or ()}:
        largest = 0
        for cache in (each for each in model.caches or () if each.kind == kind):
            own = cache.layer % blocks in layers
            reading = own + sum(
                layer in layers for layer, of in model.shared.items() if of == cache.layer
            )
            copied = hold.place != HOST and (placement.wish.kv_on_host or not own)
            # Layers that read one cache may each have their copy of it at once, and where cards
            # work one behind the other, of each micro-batch.
            times = reading * (4 if placement.is_pipeline and not own else 1)
            size = times * _of_layer(cache, setup, copied=copied, flash=flash) if times else 0
            largest = max(largest, size)
        # Sparse attention has its index beside the rows that it chooses.
        total += largest
    return total


def _of_layer(cache: Cache, setup: EngineSetup, *, copied: bool, flash: bool) -> int:
    key, value = kv_type(setup.type_k), kv_type(setup.type_v)
    whole = allocated_bytes({cache: 1}, (), setup.allocation, key, value) if copied else 0
    if cache.kind == "latent":
        # Values are a part of the keys' row: it is copied, or turned, once for each.
        whole *= 2
    if not flash or "f32" not in (setup.type_k, setup.type_v):
        return whole
    half = kv_type("f16")
    narrow = allocated_bytes({cache: 1}, (), setup.allocation, half, half)
    if cache.kind == "latent":
        return whole + 2 * narrow
    elements = (cache.key_elements, cache.value_elements)
    turned = sum(
        number
        for number, kind in zip(elements, (setup.type_k, setup.type_v), strict=True)
        if kind == "f32"
    )
    return whole + round(narrow * turned / (sum(elements) or 1))


def state_copies(placement: Placement, setup: EngineSetup, hold: Hold) -> int:
    """The most bytes of copies that states need in a place."""
    blocks = max(placement.layer_count - 1, 1)
    states = placement.model.states
    on_host = placement.wish.kv_on_host and hold.place == HOST and bool(placement.gpu_layers)
    if on_host:
        return sum(state.bytes for state in states) * setup.allocation.sequences
    layers = set(hold.layers)
    largest = max((each.bytes for each in states if each.layer % blocks in layers), default=0)
    # What comes in from another memory is held beside what is made of it.
    times = _STATES_AT_ONCE + (1 if placement.wish.kv_on_host else 0)
    return times * largest * setup.allocation.sequences
