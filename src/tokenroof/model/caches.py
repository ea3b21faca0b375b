"""What a model keeps between tokens: the parts that the rules of the other files put together.

A `Cache` grows with the context: one row of keys and one of values a token (or a group of tokens)
in one layer. A `State` has a fixed size, is read and written back at every token, and is F32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CacheKind = Literal["full", "window", "latent", "indexer", "compressed"]
StateKind = Literal["recurrent", "convolution", "compressor"]


@dataclass(frozen=True, slots=True)
class Cache:
    """The rows of one layer that grow with the context.

    Attributes:
        layer: whose they are.
        kind: `full` and `window` hold keys and values of heads, `latent` what MLA projects them
            from, `indexer` the keys that choose what sparse attention looks at, `compressed` one
            row for several tokens.
        key_elements: of a row of keys, all heads together.
        value_elements: of a row of values; 0 where values are made from the keys' row.
        window: rows beyond which a token does not look back; None without a limit.
        tokens_per_row: how many tokens one row stands for.
        readers: how many layers read it when a token is written: those that have none of their
            own read another's.
        unread_value_elements: allocated and never used.
        per_sequence: each sequence has its own rows even where the cache is unified.
        at_most_rows: rows that sparse attention needs at least, by its top-k; None where all are
            needed.
    """

    layer: int
    kind: CacheKind
    key_elements: int
    value_elements: int = 0
    window: int | None = None
    tokens_per_row: int = 1
    readers: int = 1
    unread_value_elements: int = 0
    per_sequence: bool = False
    at_most_rows: int | None = None

    @property
    def grows(self) -> bool:
        """Whether it takes more for every further token, without end."""
        return self.window is None


@dataclass(frozen=True, slots=True)
class State:
    """A state of fixed size in one layer, in F32, for one sequence."""

    layer: int
    kind: StateKind
    elements: int

    @property
    def bytes(self) -> int:
        """Its size."""
        return 4 * self.elements
