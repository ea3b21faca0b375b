"""A model as the converter would write it: metadata, and tensors with their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tokenroof.notices import Notice

Shape = tuple[int, ...]


@dataclass
class Sketch:
    """What a family's file fills in.

    Attributes:
        architecture: llama.cpp's name of it, the prefix of its keys.
        metadata: key to value.
        tensors: name to shape, ne0 first.
        stored: the type of those that the converter stores in one of its own.
        notices: what a reader of the recipe should know.
    """

    architecture: str
    metadata: dict[str, object] = field(default_factory=dict)
    tensors: dict[str, Shape] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metadata["general.architecture"] = self.architecture

    def set(self, key: str, value: object) -> None:
        """Write a key of the architecture; None is not written."""
        if value is not None:
            self.metadata[f"{self.architecture}.{key}"] = value

    def put(self, name: str, *shape: int, stored: str | None = None) -> None:
        """Write a tensor, ne0 first; `.weight` is added to a name without an ending."""
        full = name if name.endswith((".weight", ".bias", ".scale")) else f"{name}.weight"
        self.tensors[full] = shape
        if stored:
            self.stored[full] = stored

    def put_bare(self, name: str, *shape: int) -> None:
        """Write a tensor whose name has no ending."""
        self.tensors[name] = shape

    def block(self, index: int) -> Block:
        """The block of a layer."""
        return Block(self, index)

    def blocks(self, number: int) -> Sequence[Block]:
        """The blocks of all layers."""
        return [Block(self, index) for index in range(number)]


@dataclass(frozen=True)
class Block:
    """The tensors of one layer."""

    sketch: Sketch
    index: int

    def put(self, name: str, *shape: int, stored: str | None = None) -> None:
        """Write a tensor of the layer; see `Sketch.put`."""
        self.sketch.put(f"blk.{self.index}.{name}", *shape, stored=stored)

    def put_bare(self, name: str, *shape: int) -> None:
        """Write a tensor whose name has no ending."""
        self.sketch.put_bare(f"blk.{self.index}.{name}", *shape)
