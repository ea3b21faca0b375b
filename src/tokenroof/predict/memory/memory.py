"""What each place has to hold: weights, caches, states, a projector, and the engine's own buffers.

The first four are exact: what llama.cpp's tool prints of them comes out to the mebibyte, and the
tests hold them against it. Buffers are a range (see `buffers`). What the driver's runtime takes on
a card (a context, its libraries' own buffers) and what a screen takes are not the model's and not
known beforehand: together with what else may come they are what `RESERVE_BYTES` is left for, as
llama.cpp itself leaves it. Nothing here looks at what a device has: only what it needs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenroof.model.cache_bytes import Allocation, alike, allocated_bytes
from tokenroof.model.caches import Cache
from tokenroof.model.kv_types import kv_type
from tokenroof.predict.memory.buffers import Buffers, Widths, compute_buffers, widths
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.placement import Wish, place_model
from tokenroof.units import GIB

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenroof.model import Model
    from tokenroof.predict.memory.placement import Hold, Placement

RESERVE_BYTES = GIB
"""What llama.cpp's own fit leaves free on each device (`--fit-target`, 1024 MiB)."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one place has to hold, in bytes.

    Attributes:
        place: a card's number, or HOST.
        weights_bytes: tensors, each in full.
        cache_bytes: caches as they are allocated.
        state_bytes: states of all sequences.
        projector_bytes: what turns pictures or sound into tokens.
        buffers: the engine's compute buffers.
    """

    place: int
    weights_bytes: int
    cache_bytes: int
    state_bytes: int
    projector_bytes: int
    buffers: Buffers

    @property
    def low_bytes(self) -> int:
        """All of it, with the least that its buffers can take."""
        return self._kept + self.buffers.low_bytes

    @property
    def high_bytes(self) -> int:
        """All of it, with the most."""
        return self._kept + self.buffers.high_bytes

    @property
    def _kept(self) -> int:
        return self.weights_bytes + self.cache_bytes + self.state_bytes + self.projector_bytes


def needs(
    placement: Placement, setup: EngineSetup, wide: Widths, projector_bytes: int = 0
) -> tuple[Need, ...]:
    """What every place has to hold, in the order of `placement.holds`.

    Args:
        placement: where everything lies.
        setup: how the engine sets up its context.
        wide: the widths of the model.
        projector_bytes: of a projector, which lies on the first card that computes, or the host.
    """
    at = next((hold.place for hold in placement.cards if hold.pieces), placement.host.place)
    return tuple(
        _need(placement, setup, wide, hold, projector_bytes if hold.place == at else 0)
        for hold in placement.holds
    )


def _need(
    placement: Placement, setup: EngineSetup, wide: Widths, hold: Hold, projector_bytes: int
) -> Need:
    caches: Iterable[Cache] = hold.caches
    if setup.flash_attention is False:
        caches = _values_as_wide_as_any(placement.model, hold)
    key, value = kv_type(setup.type_k), kv_type(setup.type_v)
    cache = allocated_bytes(alike(caches), (), setup.allocation, key, value)
    state = sum(each.bytes for each in hold.states) * setup.allocation.sequences
    return Need(
        place=hold.place,
        weights_bytes=hold.weights_bytes,
        cache_bytes=round(cache * hold.cache_share),
        state_bytes=round(state * hold.cache_share),
        projector_bytes=projector_bytes,
        buffers=compute_buffers(wide, placement, setup, hold),
    )


def _values_as_wide_as_any(model: Model, hold: Hold) -> list[Cache]:
    """Without flash attention values are kept in columns, in each layer as wide as anywhere.

    Even in layers that attend to nothing, where no layer carries a state instead.
    """
    all_caches = model.caches or ()
    widest = max((cache.value_elements for cache in all_caches), default=0)
    wide = [
        replace(cache, unread_value_elements=cache.unread_value_elements + _missing(cache, widest))
        for cache in hold.caches
    ]
    if model.states:
        return wide
    kept = {cache.layer for cache in all_caches} | set(model.shared)
    empty = [layer for layer in hold.layers if layer < model.layers and layer not in kept]
    return wide + [Cache(layer, "full", 0, unread_value_elements=widest) for layer in empty]


def _missing(cache: Cache, widest: int) -> int:
    return widest - cache.value_elements if cache.value_elements else 0


def usual_needs(model: Model, context: int) -> tuple[int, int]:
    """What a model needs at a context: in one memory for all, and on a card with a host behind it.

    With all layers on the card, one sequence, and the most that buffers can take: what an estimate
    says of it where nothing else is asked.
    """
    setup = EngineSetup("llama.cpp", Allocation(context))
    wide = widths(model)
    alone = needs(place_model(model, Wish(), ()), setup, wide)
    behind = needs(place_model(model, Wish(), (1.0,)), setup, wide)
    return alone[0].high_bytes, behind[0].high_bytes
