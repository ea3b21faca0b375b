"""The fastest placement that fits: which layers go to the cards, and whose experts stay behind.

Memory that is fast is scarce, so it should hold what is read most for each byte that lies there. A
dense weight is read in full for every token, an expert by its share (4 of 32), so where not all
fits, experts leave first. What can be told to llama.cpp is: how many of the last layers go to the
cards, how many each card takes, of how many first blocks the experts stay with the host, and
single tensors by name. So for every number of layers the fewest blocks without their experts are
looked for; then single matrices of one more block fill what is left. A cache stays with its layer.

Of all that fits, with llama.cpp's own reserve left free on every card, the one with the least time
by the ceilings is taken. Its exact needs and time are worked out again from the whole placement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from tokenroof.model import residence
from tokenroof.predict.memory.buffers import Widths, widths
from tokenroof.predict.memory.engine_fit import engines_own
from tokenroof.predict.memory.memory import RESERVE_BYTES, Need, needs
from tokenroof.predict.memory.parts import Processor, TokenPass, token_pass
from tokenroof.predict.memory.placement import HOST, Override, Placement, Wish, place_model

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.memory.engine_setup import EngineSetup

_MOVABLE = ("ffn_up", "ffn_gate", "ffn_gate_up", "ffn_down")
_LIKELY = 12
"""Of the quick ranking, how many placements are worked out exactly."""


@dataclass(frozen=True)
class Fitted:
    """A placement that fits, and what it needs and takes."""

    wish: Wish
    placement: Placement
    needs: tuple[Need, ...]
    path: TokenPass

    @property
    def seconds(self) -> float:
        """The least time of a token."""
        seconds = self.path.ceiling_seconds
        return float("inf") if seconds is None else seconds


@dataclass(frozen=True)
class Search:
    """A question for the fastest placement.

    Attributes:
        model: what is placed.
        setup: how the engine sets up its context.
        processors: every card in order, then the host; each card's memory is known.
        depth: tokens in the context of the token whose time counts.
        projector_bytes: of a projector.
        reserve_bytes: what is left free on every card.
        may_override: whether the engine can be told single tensors; if not, it is told a number
            of layers, or nothing and chooses by itself.
        weights_factor: what the weights that are read are multiplied with.
    """

    model: Model
    setup: EngineSetup
    processors: tuple[Processor, ...]
    depth: int
    projector_bytes: int = 0
    reserve_bytes: int = RESERVE_BYTES
    may_override: bool = True
    weights_factor: float = 1.0

    @cached_property
    def wide(self) -> Widths:
        """The widths of the model."""
        return widths(self.model)

    @property
    def cards(self) -> tuple[Processor, ...]:
        """All but the host."""
        return self.processors[:-1]

    def worked_out(self, wish: Wish) -> Fitted:
        """A wish's placement with its needs and its time, whether it fits or not."""
        return self.at(self.depth, wish)

    def at(self, depth: int, wish: Wish) -> Fitted:
        """The same with the time of a token at another depth."""
        placement = place_model(
            self.model, wish, [float(card.memory_bytes or 0) for card in self.cards]
        )
        types = (self.setup.type_k, self.setup.type_v)
        path = token_pass(
            placement,
            self.processors,
            depth,
            types,
            hidden=self.wide.hidden,
            weights_factor=self.weights_factor,
        )
        needed = needs(placement, self.setup, self.wide, self.projector_bytes)
        return Fitted(wish, placement, needed, path)

    def holds(self, fitted: Fitted) -> bool:
        """Whether every card keeps its reserve, and the host can hold its part."""
        for need, processor in zip(fitted.needs, self.processors, strict=True):
            memory = processor.memory_bytes
            reserve = 0 if need.place == HOST else self.reserve_bytes
            uses = need.place == HOST or bool(fitted.placement.holds[need.place].pieces)
            if memory is not None and uses and need.high_bytes + reserve > memory:
                return False
        return True


def fastest(search: Search) -> Fitted | None:
    """The fastest placement that fits; None where none does."""
    best: Fitted | None = None
    for wish in _wishes(search):
        fitted = search.worked_out(wish)
        if search.holds(fitted) and (best is None or fitted.seconds < best.seconds):
            best = fitted
    return best


def _wishes(search: Search) -> Iterator[Wish]:
    """Candidates: the likely best by quick sums, best first."""
    yield Wish(gpu_layers=0)
    everything = Wish(gpu_layers=None)
    whole = search.worked_out(everything)
    if search.holds(whole):
        yield everything
    if not search.may_override:
        yield engines_own(search)
    rough = _Rough(search, whole.placement)
    ranked = sorted(rough.candidates(), key=lambda each: each[0])
    for _, wish in ranked[:_LIKELY]:
        yield wish


class _Rough:
    """Quick sums: of each layer what it takes on a card and what a token reads there."""

    def __init__(self, search: Search, whole: Placement) -> None:
        self._search = search
        model = search.model
        self._layers = whole.layer_count
        self._fixed = [0.0] * self._layers
        self._experts = [0.0] * self._layers
        self._read = [0.0] * self._layers
        self._expert_read = [0.0] * self._layers
        self._movable: list[dict[str, tuple[float, float]]] = [{} for _ in range(self._layers)]
        for hold in whole.cards:
            for piece in hold.pieces:
                side = residence.side(piece.entry, model.architecture)
                layer = side if isinstance(side, int) else self._layers - 1
                if piece.entry.kind == "expert":
                    self._experts[layer] += piece.bytes
                    self._expert_read[layer] += piece.read_bytes
                else:
                    self._fixed[layer] += piece.bytes
                    self._read[layer] += piece.read_bytes
                self._note(layer, piece.entry.part, piece.bytes, piece.read_bytes)
        self._add_caches(whole)
        everything_else = search.worked_out(Wish(gpu_layers=self._layers, cpu_moe=self._layers))
        self._buffers = [need.buffers.high_bytes for need in everything_else.needs]
        some = search.worked_out(Wish(gpu_layers=max(self._layers // 2, 1)))
        self._buffers = [
            max(one, need.buffers.high_bytes)
            for one, need in zip(self._buffers, some.needs, strict=True)
        ]

    def _note(self, layer: int, part: str, size: float, read: float) -> None:
        name = part.rpartition(".")[0]
        stem = name.removesuffix("_exps").removesuffix("_chexps")
        if stem in _MOVABLE and part.endswith(".weight"):
            held, before = self._movable[layer].get(name, (0.0, 0.0))
            self._movable[layer][name] = (held + size, before + read)

    def _add_caches(self, whole: Placement) -> None:
        from tokenroof.model.cache_bytes import alike, allocated_bytes, read_bytes, rows_read
        from tokenroof.model.kv_types import kv_type

        setup, depth = self._search.setup, self._search.depth
        key, value = kv_type(setup.type_k), kv_type(setup.type_v)
        blocks = max(self._layers - 1, 1)
        for hold in whole.cards:
            for cache in hold.caches:
                layer = cache.layer % blocks
                self._fixed[layer] += allocated_bytes(
                    alike([cache]), (), setup.allocation, key, value
                )
                self._read[layer] += read_bytes(
                    alike([cache]), lambda each: rows_read(each, depth), key, value
                )
            for state in hold.states:
                layer = state.layer % blocks
                self._fixed[layer] += state.bytes * setup.allocation.sequences
                self._read[layer] += 2 * state.bytes

    def candidates(self) -> Iterator[tuple[float, Wish]]:
        """Every number of layers on cards with the fewest experts behind, and its rough time."""
        leaves_experts = any(self._experts) and self._search.may_override
        for on_cards in range(1, self._layers + 1):
            blocks = self._layers - 1
            first = self._layers - on_cards
            if not leaves_experts:
                yield from self._with(on_cards, 0)
                continue
            low, high = first, blocks
            if not any(self._split(on_cards, high)):
                continue
            while low < high:
                middle = (low + high) // 2
                if any(self._split(on_cards, middle)):
                    high = middle
                else:
                    low = middle + 1
            yield from self._with(on_cards, low)

    def _with(self, on_cards: int, behind: int) -> Iterator[tuple[float, Wish]]:
        """Placements with so many layers on cards and the first `behind` blocks' experts not."""
        for counts in self._split(on_cards, behind):
            base = Wish(
                gpu_layers=on_cards,
                cpu_moe=behind if behind > self._layers - on_cards else 0,
                tensor_split=counts if len(counts) > 1 else None,
            )
            yield self._seconds(counts, on_cards, behind, 0.0), base
        if self._search.may_override:
            yield from self._partly(on_cards, behind)

    def _partly(self, on_cards: int, behind: int) -> Iterator[tuple[float, Wish]]:
        """The same with some matrices of one more block."""
        is_dense = not any(self._experts)
        block = self._layers - on_cards - 1 if is_dense else behind - 1
        if block < 0 or block < self._layers - on_cards - 1:
            return
        more = on_cards + 1 if is_dense else on_cards
        if more > self._layers:
            return
        names = [n for n in self._movable[block] if is_dense or "exps" in n]
        for size in range(1, len(names) + 1):
            for left in combinations(names, size):
                if not is_dense and size == len(names):
                    continue
                away = sum(self._movable[block][name][0] for name in left)
                read = sum(self._movable[block][name][1] for name in left)
                fewer = 0 if is_dense else behind - 1
                for counts in self._split(more, fewer, block, away):
                    pattern = rf"blk\.{block}\.({'|'.join(left)})\.weight"
                    start = self._layers - more
                    wish = Wish(
                        gpu_layers=more,
                        cpu_moe=fewer if fewer > start else 0,
                        overrides=(Override(pattern, HOST),),
                        tensor_split=counts if len(counts) > 1 else None,
                    )
                    yield self._seconds(counts, more, fewer, read), wish

    def _split(
        self, on_cards: int, behind: int, partly: int = -1, away: float = 0.0
    ) -> list[tuple[float, ...]]:
        """How many layers each card takes, filled from the back and from the front; or none."""
        sizes = [
            self._fixed[layer]
            + (self._experts[layer] if layer >= behind else 0.0)
            - (away if layer == partly else 0.0)
            for layer in range(self._layers - on_cards, self._layers)
        ]
        cards = self._search.cards
        room = [
            float(card.memory_bytes or 0) - self._search.reserve_bytes - self._buffers[card.place]
            for card in cards
        ]
        room[0] -= self._search.projector_bytes
        found = []
        for backwards in (True, False):
            counts = _filled(sizes, room, backwards=backwards)
            if counts is not None and counts not in found:
                found.append(counts)
        return found

    def _seconds(self, counts: Sequence[float], on_cards: int, behind: int, away: float) -> float:
        """The rough time: what lies on each card and with the host, by their bandwidths."""
        first = self._layers - on_cards
        bandwidths = [each.bandwidth_bytes_per_second or 1.0 for each in self._search.processors]
        host = sum(self._read[:first]) + sum(self._expert_read[: max(behind, first)]) + away
        seconds, layer = host / bandwidths[-1], first
        for count, bandwidth in zip(counts, bandwidths, strict=False):
            end = layer + int(count)
            seconds += (
                sum(self._read[layer:end]) + sum(self._expert_read[max(layer, behind) : end])
            ) / bandwidth
            layer = end
        return seconds


def _filled(
    sizes: Sequence[float], room: Sequence[float], *, backwards: bool
) -> tuple[float, ...] | None:
    """Layers in turn to cards in turn, each until it is full; None where some are left over."""
    order = range(len(room) - 1, -1, -1) if backwards else range(len(room))
    left = list(sizes) if backwards else list(reversed(sizes))
    counts = [0] * len(room)
    for card in order:
        free = room[card]
        while left and left[-1] <= free:
            free -= left.pop()
            counts[card] += 1
    return None if left else tuple(map(float, counts))
