"""Where an engine puts a model: every tensor and every cache on a card or in the host's memory.

As llama.cpp does it (llama_model::load_tensors). The input layer stays with the host, which looks
one row up. Of the blocks and the output layer, numbered together, the last `gpu_layers` go to the
cards, in order, each card taking its part by `tensor_split` or by its free memory; the rest stays
with the host. A layer's cache and states lie where the layer is, unless caches are kept with the
host altogether. Then the overrides move single tensors, by the first pattern that is found in
their names: `--cpu-moe` and `--n-cpu-moe` are such patterns for the experts.

Split by rows, the matrices of the layers on cards are cut into pieces, one for each card, and all
else lies on the first; split by tensors, caches are cut too. Then the cards work side by side,
and wait for one another over the link.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

from tokenroof.errors import UsageError
from tokenroof.model import residence
from tokenroof.model.ledger import EMBEDDING, HEAD
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.model import Cache, Entry, Model, State

SplitMode = Literal["layer", "row", "tensor", "none"]

HOST = -1
"""The place that is no card."""

EXPERTS = r"\.ffn_(up|down|gate_up|gate)_(ch|)exps"
"""The tensors that `--cpu-moe` keeps with the host."""

ALL_EXPERTS = 10**6


@dataclass(frozen=True, slots=True)
class Override:
    """Tensors that go elsewhere than their layer: `--override-tensor`."""

    pattern: str
    place: int

    def matches(self, name: str) -> bool:
        """Whether the pattern is found in a name."""
        return re.search(self.pattern, name) is not None


@dataclass(frozen=True, slots=True)
class Wish:
    """What an engine was told about places, in the words of llama.cpp's options.

    Attributes:
        gpu_layers: how many of the last layers go to cards, the output layer counted; None for all.
        cpu_moe: of how many first blocks the experts stay with the host.
        overrides: further tensors that go elsewhere; the first one that matches counts.
        split: how several cards share the layers.
        tensor_split: in what proportion; None for that of their free memory.
        kv_on_host: whether all caches stay with the host.
    """

    gpu_layers: int | None = None
    cpu_moe: int = 0
    overrides: tuple[Override, ...] = ()
    split: SplitMode = "layer"
    tensor_split: tuple[float, ...] | None = None
    kv_on_host: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A tensor, or a part of it, in one place.

    Attributes:
        entry: the tensor.
        share: what part of it.
        is_copy: whether it is the output layer's copy of the input embedding.
        is_read: whether a token reads it here: of a tied embedding one of two.
    """

    entry: Entry
    share: float = 1.0
    is_copy: bool = False
    is_read: bool = True

    @property
    def bytes(self) -> int:
        """What it takes of memory."""
        return round(residence.padded_bytes(self.entry) * self.share)

    @property
    def read_bytes(self) -> float:
        """What one decoded token reads of it."""
        return float(self.entry.decode_bytes) * self.share if self.is_read else 0.0


@dataclass(frozen=True)
class Hold:
    """What lies in one place.

    Attributes:
        place: a card's number, or HOST.
        pieces: its tensors.
        caches: the caches of its layers.
        states: their states.
        cache_share: what part of each cache and state.
        layers: the blocks that it computes.
        has_output: whether it computes the output layer.
    """

    place: int
    pieces: tuple[Piece, ...] = ()
    caches: tuple[Cache, ...] = ()
    states: tuple[State, ...] = ()
    cache_share: float = 1.0
    layers: tuple[int, ...] = ()
    has_output: bool = False

    @cached_property
    def weights_bytes(self) -> int:
        """What its tensors take of memory."""
        return sum(piece.bytes for piece in self.pieces)

    @cached_property
    def weights_read(self) -> float:
        """What one decoded token reads of them."""
        return sum(piece.read_bytes for piece in self.pieces)

    @cached_property
    def makes_logits(self) -> bool:
        """Whether the output projection itself lies here, and with it the logits."""
        return self.has_output and any(
            piece.is_copy or (piece.is_read and piece.entry.name in (HEAD, EMBEDDING))
            for piece in self.pieces
        )

    @cached_property
    def is_idle(self) -> bool:
        """Whether nothing of a token's work is done here but looking rows up."""
        multiplies = any(piece.entry.kind != "lookup" and piece.is_read for piece in self.pieces)
        return not (multiplies or self.layers or self.caches or self.states)


@dataclass(frozen=True)
class Placement:
    """A model on cards and a host.

    Attributes:
        model: what is placed.
        wish: what was asked for.
        holds: every card in order, then the host.
        gpu_layers: of how many layers, blocks and output, the cards hold the main part.
        layer_count: of all blocks in the file and the output layer.
        side_by_side: whether the cards work on each layer together.
    """

    model: Model
    wish: Wish
    holds: tuple[Hold, ...]
    gpu_layers: int
    layer_count: int
    side_by_side: bool = False
    crossings: int = 0

    @cached_property
    def largest_with_host(self) -> int:
        """Bytes of the largest matrix that a card would copy from the host for a prompt."""
        return max(
            (
                piece.bytes
                for piece in self.host.pieces
                if piece.entry.block is not None and len(piece.entry.tensor.shape) > 1
            ),
            default=0,
        )

    @property
    def is_pipeline(self) -> bool:
        """Whether a prompt goes through several cards, a micro-batch in each at the same time."""
        wish = self.wish
        moves_none = not (wish.kv_on_host or wish.cpu_moe or wish.overrides)
        # A card counts that was given none of the layers.
        several = len(self.cards) > 1 and wish.split == "layer"
        return several and moves_none and self.gpu_layers == self.layer_count

    @property
    def cards(self) -> tuple[Hold, ...]:
        """What lies on the cards."""
        return self.holds[:-1]

    @property
    def host(self) -> Hold:
        """What lies in the host's memory."""
        return self.holds[-1]


def place_model(model: Model, wish: Wish, free_bytes: Sequence[float]) -> Placement:
    """Put a model where the engine would put it.

    Args:
        model: what is placed.
        wish: how the engine is started.
        free_bytes: of each card, which is the proportion of a split that is not given; no card at
            all leaves everything with the host.

    Raises:
        UsageError: a split that does not fit the cards, or a pattern that is none.
    """
    _check(wish, len(free_bytes))
    blocks = 1 + max(
        (each for entry in model.ledger if isinstance(each := _side(model, entry), int)), default=-1
    )
    wanted = blocks + 1 if wish.gpu_layers is None else min(wish.gpu_layers, blocks + 1)
    cards = len(free_bytes) if wish.split != "none" else min(len(free_bytes), 1)
    on_cards = wanted if cards else 0
    shares = _shares(wish, free_bytes[:cards])
    side_by_side = wish.split in ("row", "tensor") and cards > 1
    where = _layers(blocks + 1, on_cards, [1.0] if side_by_side else shares)
    builder = _Builder(model, wish, where, shares if side_by_side else None, len(free_bytes))
    return Placement(
        model=model,
        wish=wish,
        holds=builder.holds(),
        gpu_layers=on_cards,
        layer_count=blocks + 1,
        side_by_side=side_by_side,
        crossings=builder.crossings(),
    )


def _side(model: Model, entry: Entry) -> residence.Side:
    return residence.side(entry, model.architecture)


def _check(wish: Wish, cards: int) -> None:
    if wish.tensor_split is not None and len(wish.tensor_split) != cards:
        raise UsageError("predict.split_of_cards", given=len(wish.tensor_split), cards=cards)
    if wish.tensor_split is not None and not (
        all(each >= 0 for each in wish.tensor_split) and sum(wish.tensor_split) > 0
    ):
        raise UsageError("predict.split_of_nothing")
    for override in wish.overrides:
        try:
            re.compile(override.pattern)
        except re.error as error:
            pattern, reason = printable(override.pattern), printable(str(error))
            raise UsageError("predict.bad_pattern", pattern=pattern, reason=reason) from error
        if override.place >= cards:
            raise UsageError("predict.no_such_card", card=override.place, cards=cards)


def _shares(wish: Wish, free_bytes: Sequence[float]) -> list[float]:
    parts = list(wish.tensor_split or free_bytes)[: len(free_bytes)]
    total = sum(parts)
    return [float(each) for each in parts] if total else [1.0] * len(parts)


def _layers(layers: int, on_cards: int, shares: Sequence[float]) -> list[int]:
    """The place of each layer: the last `on_cards` of them by the ends of the cards' shares."""
    first = layers - on_cards
    ends = list(accumulate(shares))
    ends = [end / ends[-1] for end in ends]
    places = []
    for layer in range(layers):
        if layer < first:
            places.append(HOST)
        else:
            at = bisect_right(ends, (layer - first) / on_cards)
            places.append(min(at, len(ends) - 1))
    return places


class _Builder:
    """Puts every tensor and cache where its layer or an override says."""

    def __init__(
        self,
        model: Model,
        wish: Wish,
        where: Sequence[int],
        cut: Sequence[float] | None,
        cards: int,
    ) -> None:
        self._model, self._wish, self._where = model, wish, where
        self._cut = None if cut is None else [each / sum(cut) for each in cut]
        self._cards = cards
        self._pieces: dict[int, list[Piece]] = {place: [] for place in (*range(cards), HOST)}
        self._blocks_of: dict[int, set[int]] = {}
        for entry in model.ledger:
            if not residence.is_left_on_disk(entry, model.blocks):
                self._put(entry)

    def _put(self, entry: Entry) -> None:
        side = _side(self._model, entry)
        if side == "all":
            for place in sorted(set(self._where[:-1])):
                self._pieces[place].append(Piece(entry))
            return
        output = self._where[-1]
        override = self._override(entry)
        if side == "input":
            tied = entry.name == EMBEDDING and self._model.embedding == "tied"
            # Sent to one place by its name, it is asked for twice there and found the second time.
            copied = tied and (
                (output != HOST and override is None)
                or residence.is_twice_in_one_place(self._model.architecture)
            )
            place = HOST if override is None else override
            self._pieces[place].append(Piece(entry, is_read=not copied))
            if copied:
                self._on_layer(entry, output if override is None else override, is_copy=True)
            return
        place = output if side == "output" else self._where[side]
        if override is not None:
            self._pieces[override].append(Piece(entry))
            if isinstance(side, int) and override != place:
                self._blocks_of.setdefault(override, set()).add(side)
            return
        self._on_layer(entry, place)

    def _on_layer(self, entry: Entry, place: int, *, is_copy: bool = False) -> None:
        """On a layer's place; a matrix of a layer on cards that is cut, on all of them."""
        if self._cut is None or place == HOST or len(entry.tensor.shape) < 2:
            self._pieces[place].append(Piece(entry, is_copy=is_copy))
            return
        for card, share in enumerate(self._cut):
            if share:
                self._pieces[card].append(Piece(entry, share, is_copy=is_copy))

    def _override(self, entry: Entry) -> int | None:
        for override in self._wish.overrides:
            if override.matches(entry.name):
                return override.place
        if entry.block is not None and entry.block < self._wish.cpu_moe:
            return HOST if re.search(EXPERTS, entry.name) else None
        return None

    def holds(self) -> tuple[Hold, ...]:
        """What lies in each place."""
        return tuple(self._hold(place) for place in (*range(self._cards), HOST))

    def _hold(self, place: int) -> Hold:
        cut = self._cut is not None and place != HOST and self._wish.split == "tensor"
        caches = [each for each in self._model.caches or () if self._keeps(each.layer, place, cut)]
        states = [each for each in self._model.states if self._keeps(each.layer, place, cut)]
        split = self._cut is not None and place != HOST
        layers = [
            layer
            for layer, at in enumerate(self._where[:-1])
            if at == place or (split and at != HOST)
        ]
        return Hold(
            place=place,
            pieces=tuple(self._pieces[place]),
            caches=tuple(caches),
            states=tuple(states),
            cache_share=self._cut[place] if cut and self._cut is not None else 1.0,
            layers=tuple(layers),
            has_output=self._where[-1] == place or (split and self._where[-1] != HOST),
        )

    def _keeps(self, layer: int, place: int, cut: bool) -> bool:
        if self._wish.kv_on_host:
            return place == HOST
        blocks = len(self._where) - 1
        # A block that runs several times has a cache for each pass.
        at = self._where[layer % blocks] if blocks else HOST
        return at == place or (cut and at != HOST)

    def crossings(self) -> int:
        """How often a token's numbers go from one memory to another, and have to wait for it.

        From one card to the next it goes once, which is not counted, nor is the row that the host
        looks up for the first layer.
        """
        layers = list(self._where)
        count = sum(one != other and HOST in (one, other) for one, other in pairwise(layers))
        count += sum(2 * len(blocks) for blocks in self._blocks_of.values())
        if self._wish.kv_on_host:
            kept = {cache.layer for cache in self._model.caches or ()}
            count += 2 * sum(at != HOST for n, at in enumerate(layers[:-1]) if n in kept)
        if self._cut is not None:
            # Each card gets the others' part after attention and after the feed-forward layer.
            count += 2 * sum(at != HOST for at in layers[:-1])
        return count


def experts_of(blocks: Iterable[int]) -> str:
    """The pattern of all experts of some blocks."""
    numbers = "|".join(map(str, blocks))
    return rf"blk\.({numbers}){EXPERTS}"
