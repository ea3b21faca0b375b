"""Floating point operations: what prefill is made of.

*Linear*: every weight that is multiplied does one multiplication and one addition per token, so n
tokens take 2 n x (weights of the blocks, experts x used / total) + 2 x (weights of the head),
the head once: only the last token of a prompt needs it. Vectors (norms, biases) are left out; they
are thousands of times smaller.

*Attention*: a query head compares with one key of key_length and takes up one value of
value_length per position that it sees: 2 x heads x (key_length + value_length) operations, which
is 4 x heads x head_dim where the two are alike, and 2 x heads x (2 rank + rope) for absorbed MLA.
The i-th of n tokens on top of depth d sees d + i positions, a sliding layer at most its window.

*States* are updated and read with one multiplication and one addition each per element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tokenroof.model.caches import State
from tokenroof.model.experts import holds_all
from tokenroof.model.ledger import EMBEDDING, HEAD, Entry, whole_if_it_is


@dataclass(frozen=True, slots=True)
class Attention:
    """What one layer's attention computes.

    Attributes:
        flop_per_position: of one token, for every position that it sees.
        window: positions that it sees at most; None without a limit.
        tokens_per_position: tokens that one position stands for.
        causal: whether a token sees only what came before it.
    """

    flop_per_position: int
    window: int | None = None
    tokens_per_position: int = 1
    causal: bool = True


def positions_seen(tokens: int, depth: int, window: int | None, *, causal: bool = True) -> int:
    """The sum, over `tokens` tokens on top of `depth`, of the positions that each sees."""
    if not causal:
        return tokens * (tokens if window is None else min(tokens, window))
    if window is None or depth + tokens <= window:
        return tokens * depth + tokens * (tokens + 1) // 2
    growing = max(0, min(tokens, window - depth))
    return growing * depth + growing * (growing + 1) // 2 + (tokens - growing) * window


def block_weights(entries: Iterable[Entry]) -> Fraction:
    """Weights that are multiplied for every token, as often as they are: without the head."""
    by_share: Counter[Fraction] = Counter()
    for entry in entries:
        if _is_matrix(entry) and entry.name not in (HEAD, EMBEDDING):
            by_share[entry.share] += entry.tensor.elements * entry.passes
    return sum((share * elements for share, elements in by_share.items()), Fraction())


def exact_sum(parts: Iterable[int | Fraction]) -> int | Fraction:
    """The sum, whole numbers apart: adding fractions takes twenty times as long."""
    whole = 0
    fractions: Counter[int] = Counter()
    for part in parts:
        if isinstance(part, int):
            whole += part
        else:
            fractions[part.denominator] += part.numerator
    total = sum((Fraction(above, below) for below, above in fractions.items()), Fraction(whole))
    return whole_if_it_is(total)


def head_weights(entries: Iterable[Entry]) -> int:
    """Weights of the output projection, the tied embedding among them."""
    return sum(
        entry.tensor.elements
        for entry in entries
        if entry.kind == "read" and entry.name in (HEAD, EMBEDDING)
    )


def _is_matrix(entry: Entry) -> bool:
    if entry.kind not in ("read", "expert") or not entry.name.endswith(".weight"):
        return False
    # The experts' vectors together are a matrix, one row for each expert.
    stacked = entry.kind == "expert" and holds_all(entry.name)
    return len(entry.tensor.shape) >= (3 if stacked else 2)


def attention_flop(attentions: Iterable[Attention], tokens: int, depth: int) -> int:
    """Operations of attention for `tokens` tokens on top of `depth`."""
    return sum(
        attention.flop_per_position
        * positions_seen(tokens, depth, attention.window, causal=attention.causal)
        // attention.tokens_per_position
        for attention in attentions
    )


def state_flop(states: Iterable[State], tokens: int) -> int:
    """Operations on the states of recurrent layers."""
    return 4 * tokens * sum(state.elements for state in states)


def micro_batch_bytes(entries: Iterable[Entry], tokens: int, *, with_head: bool) -> Fraction:
    """Bytes of weights that a micro-batch moves; those of experts are an expectation."""
    total = 0
    experts: Counter[Fraction] = Counter()
    looked_up = []
    for entry in entries:
        whole = entry.tensor.bytes * entry.passes
        if entry.kind == "lookup":
            looked_up.append(min(whole, entry.decode_bytes * tokens))
        elif entry.kind == "expert":
            experts[entry.share] += whole
        elif entry.kind == "read" and (with_head or entry.name not in (HEAD, EMBEDDING)):
            total += whole
    chosen = [whole * (1 - (1 - share) ** tokens) for share, whole in experts.items()]
    return Fraction(exact_sum([total, *looked_up, *chosen]))
