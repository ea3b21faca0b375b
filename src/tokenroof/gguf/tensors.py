"""Tensors, their sizes, and how they lie in a file.

A tensor's rows are ne0 elements long and are stored in whole blocks, so

    bytes = ceil(ne0 / block elements) x block bytes x ne1 x ne2 x ne3

with all products in Python's own integers, which do not wrap. The size of a type that is not
known is what lies between the tensor's offset and the next one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from tokenroof.gguf.problems import shown
from tokenroof.gguf.types import TENSOR_TYPES, WITHDRAWN_TYPES, type_name
from tokenroof.units import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenroof.gguf.problems import Problems
    from tokenroof.gguf.types import TensorType


class Tensor(NamedTuple):
    """One tensor of a model.

    Attributes:
        name: as the file has it; may hold any character, so show it through `printable`.
        shape: elements in each dimension, ne0 (the row) first.
        type: ggml's name of its type.
        type_id: the type's number in the file.
        bytes: what it takes in the file, without padding.
        offset: where it begins, from the start of its file.
        part: which of the header's paths holds it.
        size_inferred: whether `bytes` was taken from its neighbours, as its type is not known or
            its rows are not whole blocks.
    """

    name: str
    shape: tuple[int, ...]
    type: str
    type_id: int
    bytes: int
    offset: int
    part: int = 0
    size_inferred: bool = False

    @property
    def elements(self) -> int:
        """Weights in it; 1 for a tensor without dimensions, 0 where one dimension is 0."""
        return math.prod(self.shape)


def size_of(shape: Sequence[int], kind: TensorType) -> int:
    """Bytes of a tensor of a known type, its rows rounded up to whole blocks."""
    if not shape:
        return kind.block_bytes
    blocks = -(-shape[0] // kind.block_elements)
    return blocks * kind.block_bytes * math.prod(shape[1:])


def place(
    tensors: Sequence[Tensor],
    data_offset: int,
    alignment: int,
    file_bytes: int,
    problems: Problems,
) -> tuple[Sequence[Tensor], int]:
    """Check how one file's tensors lie, and size those of unknown type by their neighbours.

    Args:
        tensors: in the order of the file, `bytes` 0 and `size_inferred` set where unknown.
        data_offset: where the data section begins.
        alignment: what each offset should be a multiple of.
        file_bytes: where the file ends.
        problems: told of what lies where it should not.

    Returns:
        The tensors in the order of the file, and the bytes of their union.
    """
    tensors = _sized_by_neighbours(tensors, file_bytes, problems)
    ordered = sorted(tensors, key=attrgetter("offset"))
    union = 0
    reach = data_offset
    last = ""
    for tensor in ordered:
        offset, end = tensor.offset, tensor.offset + tensor.bytes
        if offset % alignment:
            problems.add(
                "gguf.unaligned",
                tensor.name,
                name=shown(tensor.name),
                offset=offset,
                alignment=alignment,
            )
        if offset < reach and tensor.bytes:
            problems.add(
                "gguf.overlap",
                tensor.name,
                name=shown(tensor.name),
                other=shown(last),
                bytes=min(reach, end) - offset,
            )
        elif offset - reach >= alignment:
            problems.add("gguf.gap", tensor.name, name=shown(tensor.name), bytes=offset - reach)
        if end > reach:
            union += end - max(offset, reach)
            reach = end
            last = tensor.name
    if any(a.offset > b.offset for a, b in pairwise(tensors)):
        problems.add("gguf.out_of_order")
    return tensors, union


def _sized_by_neighbours(
    tensors: Sequence[Tensor], file_bytes: int, problems: Problems
) -> Sequence[Tensor]:
    unknown = [i for i, t in enumerate(tensors) if t.type_id not in TENSOR_TYPES]
    if not unknown:
        return tensors
    offsets = sorted({t.offset for t in tensors})
    sized = list(tensors)
    for index in unknown:
        tensor = sized[index]
        after = bisect_right(offsets, tensor.offset)
        end = offsets[after] if after < len(offsets) else file_bytes
        size = max(0, end - tensor.offset) if tensor.elements else 0
        sized[index] = tensor._replace(bytes=size, size_inferred=True)
        withdrawn = tensor.type_id in WITHDRAWN_TYPES
        problems.add(
            "gguf.withdrawn_type" if withdrawn else "gguf.unknown_type",
            tensor.name,
            name=shown(tensor.name),
            type=type_name(tensor.type_id),
            bytes=count(size),
        )
    return sized
