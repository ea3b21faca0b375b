"""What the quantiser knows of the model while it goes from tensor to tensor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Traits:
    """What of a model decides about types.

    Attributes:
        architecture: llama.cpp's name of it.
        blocks: `block_count`, those for multi-token prediction included.
        experts: how many a layer has; 0 for a dense model.
        query_groups: query heads for each key head in the first layer; 0 where that has no keys.
        is_70b: llama.cpp takes it for a model of 70 B, whose V tensors are small for its size.
    """

    architecture: str
    blocks: int
    experts: int
    query_groups: int
    is_70b: bool

    @property
    def shares_keys(self) -> bool:
        """Four or more query heads share a key: K and V are small, and may keep more bits."""
        return self.query_groups >= 4


@dataclass(frozen=True)
class Case:
    """One tensor, and all that decides about its type.

    Attributes:
        base: the type of the file type, which it gets if no rule says otherwise.
        file_type: name of the file type.
        traits: of the model.
        matrix: whether there is an importance matrix.
        row: weights in one of its rows.
        is_3d: whether it holds a matrix for each expert, or for each head.
        index: which of its kind it is; for feed-forward tensors its layer.
        number: how many of its kind there are; for feed-forward tensors the layers.
        running: how many of its kind came before, whatever their layers.
    """

    base: str
    file_type: str
    traits: Traits
    matrix: bool
    row: int
    is_3d: bool
    index: int
    number: int
    running: int

    @property
    def is_falcon(self) -> bool:
        """The oldest architecture with rules of its own."""
        return self.traits.architecture == "falcon"

    @property
    def has_8_experts(self) -> bool:
        """As Mixtral, whose attention is small beside its experts."""
        return self.traits.experts == 8

    @property
    def is_early(self) -> bool:
        """In the first eighth."""
        return self.index < self.number // 8

    @property
    def gets_more_bits(self) -> bool:
        """The first and the last eighth, and every third between."""
        eighth = self.number // 8
        return (
            self.index < eighth
            or self.index >= 7 * self.number // 8
            or (self.index - eighth) % 3 == 2
        )
