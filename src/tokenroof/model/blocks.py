"""The tensors of a file by the block they belong to.

Names follow `blk.<number>.<part>.<weight|bias|...>`; what has no number belongs to the whole
model. Encoder-decoder models say `enc.blk` and `dec.blk`; only the decoder's blocks run when a
token is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tokenroof.gguf import Tensor


class Block(dict[str, Tensor]):
    """The tensors of one block by their names within it."""

    def __init__(self) -> None:
        super().__init__()
        self._begins: dict[str, bool] = {}

    def begins(self, prefix: str) -> bool:
        """Whether the name of any tensor begins so; asked again for every tensor of the block."""
        if prefix not in self._begins:
            self._begins[prefix] = any(part.startswith(prefix) for part in self)
        return self._begins[prefix]


_BLOCK = re.compile(r"(?:dec\.)?blk\.(\d{1,6})\.(.+)", re.ASCII)


@dataclass(frozen=True)
class Tensors:
    """All tensors of a model, and those of each block by their name within it."""

    all: tuple[Tensor, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Tensor]:
        """Tensors by their full names."""
        return {tensor.name: tensor for tensor in self.all}

    @cached_property
    def placed(self) -> tuple[tuple[Tensor, int | None, str], ...]:
        """Every tensor with its block and its name within it."""
        return tuple((tensor, *place(tensor.name)) for tensor in self.all)

    @cached_property
    def blocks(self) -> Mapping[int, Block]:
        """Tensors of each block by what follows `blk.<number>.`."""
        blocks: dict[int, Block] = {}
        for tensor, block, part in self.placed:
            if block is not None:
                blocks.setdefault(block, Block())[part] = tensor
        return blocks

    @cached_property
    def has_decoder(self) -> bool:
        """Whether an encoder in the file is one of two halves."""
        return any(tensor.name.startswith("dec.") for tensor in self.all)

    def block(self, number: int) -> Block:
        """The tensors of one block; empty where the file has none."""
        return self.blocks.get(number, _NO_TENSORS)


def place(name: str) -> tuple[int | None, str]:
    """The block that a tensor belongs to, and its name within it."""
    match = _BLOCK.fullmatch(name)
    return (int(match[1]), match[2]) if match else (None, name)


def has(block: Block, parts: Iterable[str]) -> bool:
    """Whether a block has the weights of any of these parts."""
    return any(f"{part}.weight" in block for part in parts)


def has_prefix(block: Block, prefix: str) -> bool:
    """Whether a block has any tensor that begins so."""
    return block.begins(prefix)


_NO_TENSORS = Block()
