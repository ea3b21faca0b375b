"""Metadata values, decoded late.

A header's time and memory go into its vocabulary, which nobody who counts bytes looks at. So an
array is an element type, a length and a place; its elements are decoded when `values` is called.
The same holds for strings of unusual length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.source import Source


class Scalar(NamedTuple):
    """A value type of fixed size."""

    name: str
    code: str
    size: int


SCALARS: Final = {
    0: Scalar("u8", "B", 1),
    1: Scalar("i8", "b", 1),
    2: Scalar("u16", "H", 2),
    3: Scalar("i16", "h", 2),
    4: Scalar("u32", "I", 4),
    5: Scalar("i32", "i", 4),
    6: Scalar("f32", "f", 4),
    7: Scalar("bool", "B", 1),
    10: Scalar("u64", "Q", 8),
    11: Scalar("i64", "q", 8),
    12: Scalar("f64", "d", 8),
}
BOOL: Final = 7
STRING: Final = 8
ARRAY: Final = 9
U32: Final = 4

VALUE_TYPE_NAMES: Final = {
    **{number: scalar.name for number, scalar in SCALARS.items()},
    STRING: "string",
    ARRAY: "array",
}

Value: TypeAlias = "int | float | bool | str | GGUFArray"
"""What a metadata key may hold."""

Element: TypeAlias = "int | float | bool | str | tuple[Element, ...]"
"""What an array may hold."""


class Payload(Protocol):
    """The bytes of a value, kept or still in the source."""

    def load(self) -> bytes:
        """The bytes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes in memory: they were few."""

    data: bytes

    def load(self) -> bytes:
        """The bytes."""
        return self.data


@dataclass(frozen=True, slots=True)
class InSource:
    """Bytes that were passed over, and are read when they are wanted."""

    source: Source
    offset: int
    size: int

    def load(self) -> bytes:
        """The bytes.

        Raises:
            GGUFError: the source has changed since, or cannot be read.
        """
        return self.source.read(self.offset, self.size)


class GGUFArray:
    """An array whose elements are decoded on each call of `values`, and not before."""

    __slots__ = ("_byte_order", "_element", "_length", "_payload", "_ready")

    def __init__(
        self, element: int, length: int, payload: Payload, byte_order: ByteOrder = "little"
    ) -> None:
        self._element = element
        self._length = length
        self._payload = payload
        self._byte_order = byte_order
        self._ready: tuple[Element, ...] | None = None

    @classmethod
    def of(cls, values: Sequence[Element]) -> GGUFArray:
        """An array of plain Python values, for headers that come from no file."""
        if all(isinstance(v, bool) for v in values) and values:
            element = BOOL
        elif all(isinstance(v, int) for v in values):
            element = 11
        elif all(isinstance(v, int | float) for v in values):
            element = 12
        else:
            element = STRING if all(isinstance(v, str) for v in values) else ARRAY
        array = cls(element, len(values), Kept(b""))
        array._ready = tuple(values)
        return array

    @property
    def element_type(self) -> str:
        """The type of its elements: ``"u32"``, ``"string"``, ``"array"``."""
        return VALUE_TYPE_NAMES[self._element]

    def __len__(self) -> int:
        return self._length

    def values(self) -> tuple[Element, ...]:
        """The elements, read and decoded anew; bytes that are not UTF-8 become U+FFFD.

        Raises:
            GGUFError: the file has changed since its header was read, or cannot be read.
        """
        if self._ready is not None:
            return self._ready
        decoder = _Decoder(self._payload.load(), self._byte_order)
        return decoder.elements(self._element, self._length)

    def __repr__(self) -> str:
        return f"<GGUFArray of {self._length} {self.element_type}>"


@dataclass(frozen=True, slots=True)
class LongText:
    """A string too long to be kept without being asked for."""

    payload: Payload


class Metadata(Mapping[str, Value]):
    """Key to value, in the order of the file."""

    def __init__(self, values: Mapping[str, Value | LongText]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str) -> Value:
        value = self._values[key]
        if isinstance(value, LongText):
            return value.payload.load().decode("utf-8", "replace")
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __repr__(self) -> str:
        return f"<Metadata of {len(self._values)} keys>"


class _Decoder:
    """Decodes bytes whose lengths were all checked when they were passed over."""

    def __init__(self, data: bytes, byte_order: ByteOrder) -> None:
        self._data = data
        self._at = 0
        self._mark = "<" if byte_order == "little" else ">"

    def elements(self, element: int, length: int) -> tuple[Element, ...]:
        """The next `length` elements. Nesting was capped by the reader."""
        if element == STRING:
            return tuple(self._strings(length))
        if element == ARRAY:
            return tuple(self.elements(*self._array_head()) for _ in range(length))
        scalar = SCALARS[element]
        found = struct.unpack_from(f"{self._mark}{length}{scalar.code}", self._data, self._at)
        self._at += length * scalar.size
        return tuple(map(bool, found)) if element == BOOL else found

    def _array_head(self) -> tuple[int, int]:
        element, length = struct.unpack_from(self._mark + "IQ", self._data, self._at)
        self._at += 12
        return element, length

    def _strings(self, length: int) -> Iterator[str]:
        unpack = struct.Struct(self._mark + "Q").unpack_from
        data, at = self._data, self._at
        for _ in range(length):
            start = at + 8
            at = start + unpack(data, at)[0]
            yield data[start:at].decode("utf-8", "replace")
        self._at = at
