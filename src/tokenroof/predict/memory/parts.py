"""What is done where: the parts of a placement, each with the bytes that a token reads there.

Parts in different memories work in turn, so their times add: bytes on a card over the card's
bandwidth, bytes with the host over the host's, whoever's layers they belong to. Cards that share
every layer work side by side, and the slowest of them counts. Between cards and host, and between
cards that work side by side, a token's hidden state goes over the link; that it goes once from one
card to the next where they work in turn is left out. The whole is never an average of speeds.

`ceiling_seconds` is the bound. A prediction takes the same parts and gives each its real time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenroof.model.cache_bytes import alike, read_bytes, rows_read
from tokenroof.model.compute import block_weights
from tokenroof.model.kv_types import kv_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokenroof.predict.memory.placement import Hold, Placement

LINK_BYTES_PER_SECOND = 31.5e9
"""PCI Express 4.0 with 16 lanes: 16 x 16e9 bits a second, of which 128 of 130 are data."""

_FLOAT = 4


@dataclass(frozen=True, slots=True)
class Processor:
    """What computes in one place, and its memory. Unknown is None.

    Attributes:
        name: what it is called.
        place: a card's number, or HOST.
        kind: `gpu` or `cpu`; None where nobody said.
        bandwidth_bytes_per_second: what bounds reading from its memory.
        memory_bytes: what of it is free, else what it has.
        flop_per_second: its peak arithmetic.
    """

    name: str
    place: int
    kind: str | None
    bandwidth_bytes_per_second: float | None
    memory_bytes: int | None
    flop_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one processor does for a token.

    Attributes:
        processor: which one.
        hold: the tensors, caches and states that lie with it.
        weights: bytes read of weights that every token uses, by stored type.
        experts: bytes read of experts, by stored type.
        cache_bytes: read of its caches, and its states twice.
    """

    processor: Processor
    hold: Hold
    weights: Mapping[str, float]
    experts: Mapping[str, float]
    cache_bytes: float

    @property
    def read_bytes(self) -> float:
        """All that a token reads here."""
        return sum(self.weights.values()) + sum(self.experts.values()) + self.cache_bytes

    @property
    def seconds(self) -> float | None:
        """The least time that reading it takes; None for a bandwidth that is not known."""
        if not self.read_bytes:
            return 0.0
        bandwidth = self.processor.bandwidth_bytes_per_second
        return None if bandwidth is None else self.read_bytes / bandwidth


@dataclass(frozen=True, slots=True)
class Transfers:
    """What goes from one memory to another for a token."""

    count: int
    bytes: int
    link_bytes_per_second: float = LINK_BYTES_PER_SECOND

    @property
    def seconds(self) -> float:
        """The least time that it takes."""
        return self.bytes / self.link_bytes_per_second


@dataclass(frozen=True, slots=True)
class TokenPass:
    """A token's way through a placement."""

    placement: Placement
    parts: tuple[Part, ...]
    transfers: Transfers

    @property
    def ceiling_seconds(self) -> float | None:
        """The least time of one token; None where a bandwidth is not known."""
        seconds = [part.seconds for part in self.parts]
        known = [each for each in seconds if each is not None]
        if len(known) < len(seconds):
            return None
        *cards, host = known
        together = max(cards, default=0.0) if self.placement.side_by_side else sum(cards)
        return together + host + self.transfers.seconds


def token_pass(
    placement: Placement,
    processors: Sequence[Processor],
    depth: int,
    types: tuple[str, str],
    *,
    hidden: int,
    weights_factor: float = 1.0,
) -> TokenPass:
    """What a token at a depth does in each place.

    Args:
        placement: where everything lies.
        processors: every card in order, then the host.
        depth: tokens in the context.
        types: of the keys' and the values' cache.
        hidden: numbers of a hidden state.
        weights_factor: what the weights that are read are multiplied with, where somebody knows
            better than the file.
    """
    parts = tuple(
        _part(hold, processor, depth, types, weights_factor)
        for hold, processor in zip(placement.holds, processors, strict=True)
    )
    parts = _with_rows_where_they_are_needed(parts)
    count = placement.crossings
    return TokenPass(placement, parts, Transfers(count, count * hidden * _FLOAT))


def _part(
    hold: Hold, processor: Processor, depth: int, types: tuple[str, str], factor: float
) -> Part:
    weights: dict[str, float] = {}
    experts: dict[str, float] = {}
    for piece in hold.pieces:
        read = piece.read_bytes
        if read:
            by_type = experts if piece.entry.kind == "expert" else weights
            stored = piece.entry.tensor.type
            by_type[stored] = by_type.get(stored, 0.0) + read * factor
    key, value = kv_type(types[0]), kv_type(types[1])
    cache = read_bytes(alike(hold.caches), lambda each: rows_read(each, depth), key, value)
    states = 2 * sum(state.bytes for state in hold.states)
    return Part(processor, hold, weights, experts, (cache + states) * hold.cache_share)


def _with_rows_where_they_are_needed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts, with the rows that an else idle host looks up counted on the first card.

    The row is all that the host does then, and it has gone to the card before the token's work
    begins: a model that is on one card altogether has that card's bandwidth for its bound.
    """
    *cards, host = parts
    first = next((n for n, part in enumerate(cards) if part.read_bytes), None)
    if first is None or not host.hold.is_idle:
        return parts
    weights = dict(cards[first].weights)
    for stored, read in host.weights.items():
        weights[stored] = weights.get(stored, 0.0) + read
    cards[first] = replace(cards[first], weights=weights)
    return (*cards, replace(host, weights={}))


def prefill_seconds(
    made: TokenPass, tokens: int, ubatch: int, card_flop_per_second: float | None
) -> float | None:
    """The least time of a prompt, where layers or experts lie with the host.

    Every micro-batch has to read, from the host's memory, what lies there, whether the host
    computes it or a card with a copy of it; and the cards have to compute what lies on them.
    Attention is left out, which only makes it less. None where a figure is not known.
    """
    host = made.parts[-1]
    bandwidth = host.processor.bandwidth_bytes_per_second
    if bandwidth is None or card_flop_per_second is None:
        return None
    batches = -(-tokens // ubatch)
    weights = sum(
        float(block_weights([piece.entry])) * piece.share
        for part in made.parts[:-1]
        for piece in part.hold.pieces
        if piece.entry.kind in ("read", "expert")
    )
    read = sum(host.weights.values()) + sum(host.experts.values())
    return 2 * tokens * weights / card_flop_per_second + batches * read / bandwidth
