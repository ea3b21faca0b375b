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
    def blocks(self) -> Mapping[int, Mapping[str, Tensor]]:
        """Tensors of each block by what follows `blk.<number>.`."""
        blocks: dict[int, dict[str, Tensor]] = {}
        for tensor in self.all:
            block, part = place(tensor.name)
            if block is not None:
                blocks.setdefault(block, {})[part] = tensor
        return blocks

    def block(self, number: int) -> Mapping[str, Tensor]:
        """The tensors of one block; empty where the file has none."""
        return self.blocks.get(number, {})


def place(name: str) -> tuple[int | None, str]:
    """The block that a tensor belongs to, and its name within it."""
    match = _BLOCK.fullmatch(name)
    return (int(match[1]), match[2]) if match else (None, name)


def has(block: Mapping[str, Tensor], parts: Iterable[str]) -> bool:
    """Whether a block has the weights of any of these parts."""
    return any(f"{part}.weight" in block for part in parts)


def has_prefix(block: Mapping[str, Tensor], prefix: str) -> bool:
    """Whether a block has any tensor that begins so."""
    return any(part.startswith(prefix) for part in block)
