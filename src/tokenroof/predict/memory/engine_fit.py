"""What llama.cpp chooses by itself, where it is told a context and nothing about places.

llama-server does so by default (`--fit`), and with it Ollama, which can be told a number of layers
but no single tensors. Whole layers fill the cards from the last one on. Of a mixture of experts
the layers go there without their experts first; if all of them do, the first ones get their experts
back as far as there is room, and of one more layer parts: attention and the up projection, then
the gate, else attention alone (common_params_fit_impl). A reserve is left free on every card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenroof.predict.memory.placement import EXPERTS, HOST, Override, Wish

if TYPE_CHECKING:
    from tokenroof.predict.memory.fit import Search

_PARTS = (
    ("ffn_down.*",),
    ("ffn_(gate|gate_up|down).*",),
    ("ffn_(gate|up|gate_up|down).*",),
)
"""What of one more layer stays with the host, the least first."""


def engines_own(search: Search) -> Wish:
    """The placement that llama.cpp would choose, near enough: its buffers are a range here."""
    everything = Wish()
    whole = search.worked_out(everything)
    if search.holds(whole):
        return everything
    layers = whole.placement.layer_count
    counts = _filled(search, layers)
    on_cards = sum(counts)
    if search.model.experts is None or on_cards < layers:
        behind = layers if search.model.experts is not None else 0
        return _wish(counts, behind)
    return _with_experts(search, counts, layers)


def _wish(counts: Sequence[int], behind: int, *more: Override) -> Wish:
    split = tuple(map(float, counts)) if len(counts) > 1 and any(counts) else None
    return Wish(gpu_layers=sum(counts), cpu_moe=behind, overrides=more, tensor_split=split)


def _filled(search: Search, layers: int) -> list[int]:
    """Layers of each card, without experts, from the last card on."""
    behind = layers if search.model.experts is not None else 0
    counts = [0] * len(search.cards)
    for card in range(len(counts) - 1, -1, -1):
        low, high = 0, layers - sum(counts)
        while low < high:
            middle = (low + high + 1) // 2
            counts[card] = middle
            low, high = (
                (middle, high)
                if _fits(search, _wish(counts, behind), card)
                else (
                    low,
                    middle - 1,
                )
            )
        counts[card] = low
    return counts


def _fits(search: Search, wish: Wish, card: int) -> bool:
    memory = search.cards[card].memory_bytes or 0
    return search.worked_out(wish).needs[card].high_bytes + search.reserve_bytes <= memory


def _with_experts(search: Search, counts: Sequence[int], layers: int) -> Wish:
    """All layers are on cards: the first ones with their experts, as many as fit."""
    low, high = 0, layers - 1
    while low < high:
        middle = (low + high + 1) // 2
        wish = Wish(overrides=_behind(range(middle, layers - 1)), tensor_split=_split(counts))
        low, high = (middle, high) if search.holds(search.worked_out(wish)) else (low, middle - 1)
    for (part,) in _PARTS if low < layers - 1 else ():
        pattern = rf"blk\.{low}\.{part}"
        more = (Override(pattern, HOST), *_behind(range(low + 1, layers - 1)))
        wish = Wish(overrides=more, tensor_split=_split(counts))
        if search.holds(search.worked_out(wish)):
            return wish
    return Wish(overrides=_behind(range(low, layers - 1)), tensor_split=_split(counts))


def _split(counts: Sequence[int]) -> tuple[float, ...] | None:
    return tuple(map(float, counts)) if len(counts) > 1 else None


def _behind(blocks: Sequence[int]) -> tuple[Override, ...]:
    """One pattern for the experts of all these blocks."""
    if not blocks:
        return ()
    return (Override(rf"blk\.({'|'.join(map(str, blocks))}){EXPERTS}", HOST),)
