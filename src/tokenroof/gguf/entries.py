"""The tensor entries of a header: name, shape, type and offset of each."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, NamedTuple

from tokenroof.errors import GGUFError
from tokenroof.gguf.byteorder import MARKS
from tokenroof.gguf.limits import (
    LLAMA_CPP_DIMENSIONS,
    LLAMA_CPP_NAME_BYTES,
    MAX_COUNT,
    MAX_DIMENSIONS,
    MAX_EXTENT_BYTES,
)
from tokenroof.gguf.problems import shown
from tokenroof.gguf.tensors import Tensor, size_of
from tokenroof.gguf.types import TENSOR_TYPES, type_name

if TYPE_CHECKING:
    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.cursor import Cursor
    from tokenroof.gguf.keep import Keeper
    from tokenroof.gguf.problems import Problems


class Entry(NamedTuple):
    """A tensor while it is not known yet where the data section begins."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    bytes: int
    offset: int
    size_inferred: bool

    def at(self, data_offset: int) -> Tensor:
        """The tensor, in a file whose data begin there."""
        name, shape, type_id, size, offset, inferred = self
        kind = type_name(type_id)
        return Tensor(name, shape, kind, type_id, size, data_offset + offset, 0, inferred)


class EntryReader:
    """Reads the tensor entries that a cursor stands at."""

    def __init__(
        self, cursor: Cursor, byte_order: ByteOrder, keeper: Keeper, problems: Problems
    ) -> None:
        self._cursor = cursor
        self._keeper = keeper
        self._problems = problems
        mark = MARKS[byte_order]
        self._tails = [struct.Struct(f"{mark}{n}QIQ") for n in range(MAX_DIMENSIONS + 1)]

    def read(self, count: int) -> list[Entry]:
        """The next `count` entries; of a name that occurs again, the first."""
        entries: dict[str, Entry] = {}
        for number in range(1, count + 1):
            if not number % 64:
                self._cursor.check_deadline()
            entry = self._entry(number)
            if entry.name in entries:
                name = shown(entry.name)
                self._problems.add("gguf.duplicate_tensor", entry.name, name=name)
            else:
                entries[entry.name] = entry
        return list(entries.values())

    def _entry(self, number: int) -> Entry:
        cursor = self._cursor
        field = f"tensor {number}"
        name, odd = self._keeper.name(field)
        dimensions = cursor.u32(field)
        if dimensions > MAX_DIMENSIONS:
            raise GGUFError(
                "gguf.too_many_dimensions",
                path=cursor.source.name,
                offset=cursor.offset - 4,
                field=f"{field} ({shown(name)})",
                found=dimensions,
                allowed=MAX_DIMENSIONS,
            )
        tail = self._tails[dimensions]
        *shape, type_id, offset = tail.unpack(cursor.take(tail.size, field))
        if odd or not 0 < len(name) <= LLAMA_CPP_NAME_BYTES or not name.isascii():
            self._check_name(name, number, odd=odd)
        if dimensions > LLAMA_CPP_DIMENSIONS:
            self._problem("gguf.dimensions", name, found=dimensions, allowed=LLAMA_CPP_DIMENSIONS)
        if 0 in shape:
            self._problems.remark("gguf.zero_dimension", name, name=shown(name))
        kind = TENSOR_TYPES.get(type_id)
        whole_rows = kind is not None
        if kind and shape and shape[0] % kind.block_elements:
            whole_rows = False
            self._problem(
                "gguf.broken_row",
                name,
                found=shape[0],
                type=kind.name,
                allowed=kind.block_elements,
            )
        size = size_of(shape, kind) if kind else 0
        self._check_extent(name, shape, size, offset)
        return Entry(name, tuple(shape), type_id, size, offset, not whole_rows)

    def _problem(self, message: str, name: str, **values: object) -> None:
        self._problems.add(message, name, name=shown(name), **values)

    def _check_name(self, name: str, number: int, *, odd: bool) -> None:
        size = len(name.encode())
        if size == 0:
            self._problems.add("gguf.empty_name", number=number)
        elif size > LLAMA_CPP_NAME_BYTES:
            self._problem("gguf.long_name", name, found=size, allowed=LLAMA_CPP_NAME_BYTES)
        if odd:
            self._problem("gguf.odd_name", name)

    def _check_extent(self, name: str, shape: list[int], size: int, offset: int) -> None:
        """Refuse what could lie in no file, so that no absurd figure travels on."""
        path = self._cursor.source.name
        elements = math.prod(shape)
        if size > MAX_EXTENT_BYTES or elements > MAX_COUNT or max(shape, default=0) > MAX_COUNT:
            raise GGUFError(
                "gguf.tensor_too_large",
                path=path,
                name=shown(name),
                shape="x".join(map(str, shape)),
                found=elements,
            )
        if offset > MAX_EXTENT_BYTES:
            raise GGUFError(
                "gguf.tensor_too_far",
                path=path,
                name=shown(name),
                found=offset,
                allowed=self._cursor.source.size,
            )
