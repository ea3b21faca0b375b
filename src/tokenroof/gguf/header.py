"""What a model file says of itself: metadata, tensors, sizes. Never its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from tokenroof.errors import GGUFError
from tokenroof.gguf.pairs import DEFAULT_ALIGNMENT
from tokenroof.gguf.problems import shown
from tokenroof.gguf.tensors import Tensor, size_of
from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME
from tokenroof.gguf.values import GGUFArray, Metadata, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.notices import Notice

MAX_INTEGERS = 65_536


@dataclass(frozen=True, kw_only=True)
class Header:
    """The header of a model: of one file, or of all parts of a split set together.

    Attributes:
        version: of the GGUF format, 2 or 3.
        byte_order: of the numbers in the file.
        alignment: what the offsets of tensors are multiples of, in bytes.
        data_offset: where the data section begins, in the first part; None without a file.
        metadata: key to value, of the first part; arrays are decoded when asked for.
        tensors: of all parts, each name once.
        paths: the files on this machine, in the order of their parts; empty without one.
        file_bytes: bytes of all files together; None without a file.
        tensor_bytes: bytes of all tensors; where they overlap, those of their union.
        promised_bytes: bytes that the files must have for all tensors to be there.
        present_bytes: how many of the promised bytes are there.
        problems: what is wrong or unusual; nothing of it stopped the reading.
        recipe: the model and type that it was worked out for; None for a model that exists.
    """

    version: int
    byte_order: ByteOrder
    alignment: int
    data_offset: int | None
    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    paths: tuple[Path, ...]
    file_bytes: int | None
    tensor_bytes: int
    promised_bytes: int | None
    present_bytes: int | None
    problems: tuple[Notice, ...] = ()
    recipe: str | None = None

    @classmethod
    def build(
        cls,
        metadata: Mapping[str, object],
        tensors: Iterable[tuple[str, Sequence[int], str]],
    ) -> Header:
        """A header of plain Python values, for models that no file is there of.

        Args:
            metadata: key to int, float, bool, str or a sequence of these.
            tensors: name, shape (ne0 first) and ggml's name of the type, for each.

        Raises:
            KeyError: there is no such tensor type.
        """
        built: list[Tensor] = []
        offset = total = 0
        for name, shape, type_name in tensors:
            kind = TENSOR_TYPES_BY_NAME[type_name]
            size = size_of(shape, kind)
            built.append(Tensor(name, tuple(shape), kind.name, kind.id, size, offset))
            offset += size + -size % DEFAULT_ALIGNMENT
            total += size
        return cls(
            version=3,
            byte_order="little",
            alignment=DEFAULT_ALIGNMENT,
            data_offset=None,
            metadata=Metadata({key: _plain_value(value) for key, value in metadata.items()}),
            tensors=tuple(built),
            paths=(),
            file_bytes=None,
            tensor_bytes=total,
            promised_bytes=None,
            present_bytes=None,
        )

    @property
    def parts(self) -> int:
        """How many files the model consists of; 1 without a file."""
        if self.paths:
            return len(self.paths)
        # Files that are not on this machine have no paths; the reader has checked their number.
        count = self.metadata.get("split.count")
        return max(1, count) if isinstance(count, int) else 1

    @property
    def missing_bytes(self) -> int:
        """Bytes that the header promises and the files do not have; 0 if all is there."""
        if self.promised_bytes is None or self.present_bytes is None:
            return 0
        return self.promised_bytes - self.present_bytes

    def integer(self, key: str) -> int | None:
        """A whole number, whatever its width; None if the key is absent.

        Raises:
            GGUFError: the key holds something else.
        """
        value = self.metadata.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self._wrong_type(key, value, "integer")
        return value

    def number(self, key: str) -> float | None:
        """A finite number; None if the key is absent.

        Raises:
            GGUFError: the key holds something else, infinity and NaN included.
        """
        value = self.metadata.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong_type(key, value, "number")
        if not math.isfinite(value):
            self._wrong_type(key, value, "finite number")
        return float(value)

    def boolean(self, key: str) -> bool | None:
        """True or false; None if the key is absent.

        Raises:
            GGUFError: the key holds something else.
        """
        value = self.metadata.get(key)
        if value is not None and not isinstance(value, bool):
            self._wrong_type(key, value, "bool")
        return value

    def text(self, key: str) -> str | None:
        """A string, which may hold any character; None if the key is absent.

        Raises:
            GGUFError: the key holds something else.
        """
        value = self.metadata.get(key)
        if value is not None and not isinstance(value, str):
            self._wrong_type(key, value, "string")
        return value

    def integers(self, key: str) -> int | tuple[int, ...] | None:
        """One whole number, or one for each layer; None if the key is absent.

        An array of bools counts as ones and zeros; an empty array is an empty tuple.

        Raises:
            GGUFError: the key holds something else, or more than 65,536 numbers.
        """
        value = self.metadata.get(key)
        if not isinstance(value, GGUFArray):
            return self.integer(key)
        if len(value) > MAX_INTEGERS:
            raise GGUFError(
                "gguf.array_too_long", key=shown(key), found=len(value), allowed=MAX_INTEGERS
            )
        numbers: list[int] = []
        for one in value.values():
            if not isinstance(one, int):
                self._wrong_type(key, value, "integer")
            numbers.append(int(one))
        return tuple(numbers)

    def _wrong_type(self, key: str, value: Value, expected: str) -> NoReturn:
        raise GGUFError(
            "gguf.wrong_type", key=shown(key), found=_describe(value), expected=expected
        )


def _describe(value: Value) -> str:
    """The kind of a value, in the format's own words, with the value if it is short."""
    match value:
        case GGUFArray():
            return f"array of {len(value)} {value.element_type}"
        case bool():
            return f"bool {str(value).lower()}"
        case str():
            return f'string "{shown(value)}"'
        case int():
            return f"integer {value}"
        case _:
            return f"float {value}"


def _plain_value(value: object) -> Value:
    if isinstance(value, bool | int | float | str | GGUFArray):
        return value
    assert isinstance(value, list | tuple), value
    return GGUFArray.of(value)
