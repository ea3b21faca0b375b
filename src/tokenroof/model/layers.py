"""Every layer and what it keeps between tokens, in the order in which a token passes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tokenroof.model.caches import Cache, CacheKind, State

LayerKind = CacheKind | Literal["state", "shared", "none"]
"""What a layer keeps: `shared` is nothing of its own but another layer's cache, which it reads."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer.

    Attributes:
        number: which one; a block that runs several times is as many layers.
        kinds: what it keeps; more than one where it attends and carries a state, or where it
            keeps an index or compressed rows beside its cache.
        window: tokens that it looks back at most; None without a limit.
        reads: the layer whose cache it reads; None where that is its own.
    """

    number: int
    kinds: tuple[LayerKind, ...]
    window: int | None
    reads: int | None


def layers_of(
    number: int, caches: Iterable[Cache], states: Iterable[State], shared: Mapping[int, int]
) -> tuple[Layer, ...]:
    """All layers: at least `number`, and those of caches beyond them."""
    kinds: dict[int, list[LayerKind]] = {layer: [] for layer in range(number)}
    windows: dict[int, int] = {}
    for cache in caches:
        kinds.setdefault(cache.layer, []).append(cache.kind)
        if cache.window is not None:
            windows[cache.layer] = cache.window
    for layer in sorted({state.layer for state in states}):
        kinds[layer].append("state")
    for layer, owner in shared.items():
        kinds[layer].append("shared")
        if owner in windows:
            windows[layer] = windows[owner]
    return tuple(
        Layer(layer, tuple(found) or ("none",), windows.get(layer), shared.get(layer))
        for layer, found in sorted(kinds.items())
    )
