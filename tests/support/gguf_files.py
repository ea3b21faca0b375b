"""Writes GGUF files for tests, good ones and bad ones, knowing nothing of the code under test.

The ordinary use is `write_gguf(path, metadata, tensors)`; the file's data section is a hole in a
sparse file, so that the headers of large models cost nothing. `GGUFBuilder` gives every byte away:
typed values, raw bytes, wrong counts, offsets and lengths. It also remembers where each count and
length lies (`fields`), so that a test can replace them.

Layout (ggml's gguf.md): magic "GGUF", u32 version, u64 tensor count, u64 key-value count; each
key-value: string key, u32 type, value; each tensor: string name, u32 number of dimensions, u64 per
dimension, u32 type, u64 offset; padding to the alignment; data. A string is a u64 length and bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ByteOrder = Literal["little", "big"]

VALUE_TYPES = {
    "u8": 0,
    "i8": 1,
    "u16": 2,
    "i16": 3,
    "u32": 4,
    "i32": 5,
    "f32": 6,
    "bool": 7,
    "string": 8,
    "array": 9,
    "u64": 10,
    "i64": 11,
    "f64": 12,
}
_CODES = {
    "u8": "B",
    "i8": "b",
    "u16": "H",
    "i16": "h",
    "u32": "I",
    "i32": "i",
    "f32": "f",
    "bool": "B",
    "u64": "Q",
    "i64": "q",
    "f64": "d",
}

# name: (id, elements in a block, bytes of a block), from ggml's ggml_type_size, llama.cpp 11434.
TENSOR_TYPES = {
    "F32": (0, 1, 4),
    "F16": (1, 1, 2),
    "Q4_0": (2, 32, 18),
    "Q4_1": (3, 32, 20),
    "Q5_0": (6, 32, 22),
    "Q5_1": (7, 32, 24),
    "Q8_0": (8, 32, 34),
    "Q8_1": (9, 32, 36),
    "Q2_K": (10, 256, 84),
    "Q3_K": (11, 256, 110),
    "Q4_K": (12, 256, 144),
    "Q5_K": (13, 256, 176),
    "Q6_K": (14, 256, 210),
    "Q8_K": (15, 256, 292),
    "IQ2_XXS": (16, 256, 66),
    "IQ2_XS": (17, 256, 74),
    "IQ3_XXS": (18, 256, 98),
    "IQ1_S": (19, 256, 50),
    "IQ4_NL": (20, 32, 18),
    "IQ3_S": (21, 256, 110),
    "IQ2_S": (22, 256, 82),
    "IQ4_XS": (23, 256, 136),
    "I8": (24, 1, 1),
    "I16": (25, 1, 2),
    "I32": (26, 1, 4),
    "I64": (27, 1, 8),
    "F64": (28, 1, 8),
    "IQ1_M": (29, 256, 56),
    "BF16": (30, 1, 2),
    "TQ1_0": (34, 256, 54),
    "TQ2_0": (35, 256, 66),
    "MXFP4": (39, 32, 17),
    "NVFP4": (40, 64, 36),
    "Q1_0": (41, 128, 18),
    "Q2_0": (42, 64, 18),
}
_BY_ID = {number: (block, size) for number, block, size in TENSOR_TYPES.values()}


@dataclass(frozen=True)
class Typed:
    """A value with its type spelled out: ``Typed("u64", 5)``."""

    type: str
    value: object


@dataclass(frozen=True)
class Array:
    """An array with its element type spelled out: ``Array("i32", [1, 2])``; may hold arrays."""

    element: str
    values: Sequence[object] = ()


@dataclass(frozen=True)
class Raw:
    """A value type id and bytes that are written as they are: ``Raw(13, b"...")``."""

    type_id: int
    data: bytes


Value = bool | int | float | str | bytes | Sequence[object] | Typed | Array | Raw
TensorSpec = tuple[str, Sequence[int], str]


@dataclass(frozen=True)
class Field:
    """Where a count, length or type id lies in the bytes that were built."""

    kind: str
    offset: int
    size: int


@dataclass
class _Tensor:
    name: bytes
    shape: tuple[int, ...]
    type_id: int
    offset: int | None
    dimensions: int | None


def tensor_size(shape: Iterable[int], type_id: int) -> int:
    """Bytes of a tensor; 0 for a type this writer does not know."""
    block, size = _BY_ID.get(type_id, (1, 0))
    return math.prod(shape) // block * size


def _typed(value: object) -> tuple[str, object]:
    """The type that a converter would choose for a plain Python value."""
    match value:
        case Typed(type=name, value=inner):
            return name, inner
        case bool():
            return "bool", value
        case int():
            if value < 0:
                return ("i32" if value >= -(2**31) else "i64"), value
            return ("u32" if value < 2**32 else "u64"), value
        case float():
            return "f32", value
        case str() | bytes():
            return "string", value
        case Array():
            return "array", value
        case Sequence():
            return "array", Array(_element(value), value)
    raise TypeError(value)


def _element(values: Sequence[object]) -> str:
    if not values:
        return "i32"
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return "i32" if all(-(2**31) <= v < 2**31 for v in values) else "i64"  # type: ignore[operator]
    return _typed(values[0])[0]


@dataclass
class GGUFBuilder:
    """Builds one file. Whatever is set to None is right; whatever is given is written as given."""

    version: int = 3
    byte_order: ByteOrder = "little"
    magic: bytes = b"GGUF"
    alignment: int = 32
    tensor_count: int | None = None
    kv_count: int | None = None
    fields: list[Field] = field(default_factory=list)
    _pairs: list[tuple[bytes, object]] = field(default_factory=list)
    _tensors: list[_Tensor] = field(default_factory=list)
    _end: int = 0

    def add(self, key: str | bytes, value: Value) -> GGUFBuilder:
        """Append a key-value pair, even one that is there already."""
        self._pairs.append((key.encode() if isinstance(key, str) else key, value))
        return self

    def tensor(
        self,
        name: str | bytes,
        shape: Sequence[int],
        tensor_type: str | int = "F32",
        *,
        offset: int | None = None,
        dimensions: int | None = None,
    ) -> GGUFBuilder:
        """Append a tensor, shape with ne0 first; after the one before it unless `offset` says."""
        type_id = tensor_type if isinstance(tensor_type, int) else TENSOR_TYPES[tensor_type][0]
        if offset is None:
            offset = self._end
        size = tensor_size(shape, type_id)
        self._end = max(self._end, offset + size + -(offset + size) % max(self.alignment, 1))
        encoded = name.encode() if isinstance(name, str) else name
        self._tensors.append(_Tensor(encoded, tuple(shape), type_id, offset, dimensions))
        return self

    @property
    def data_size(self) -> int:
        """Bytes of the data section, the padding after the last tensor included."""
        return self._end

    def header(self) -> bytes:
        """Everything before the data section, its padding included."""
        self.fields.clear()
        out = bytearray(self.magic)
        self._number(out, "version", "u32", self.version)
        count = "u32" if self.version == 1 else "u64"
        tensors = len(self._tensors) if self.tensor_count is None else self.tensor_count
        pairs = len(self._pairs) if self.kv_count is None else self.kv_count
        self._number(out, "tensor_count", count, tensors)
        self._number(out, "kv_count", count, pairs)
        for key, value in self._pairs:
            self._string(out, "key_length", key)
            self._value(out, value)
        for tensor in self._tensors:
            self._string(out, "name_length", tensor.name)
            dimensions = len(tensor.shape) if tensor.dimensions is None else tensor.dimensions
            self._number(out, "dimensions", "u32", dimensions)
            for size in tensor.shape:
                self._number(out, "dimension", "u64", size)
            self._number(out, "tensor_type", "u32", tensor.type_id)
            self._number(out, "offset", "u64", tensor.offset)
        out += bytes(-len(out) % max(self.alignment, 1))
        return bytes(out)

    def build(self) -> bytes:
        """The whole file; its data are zeros. For small files only."""
        return self.header() + bytes(self._end)

    def write(self, path: Path, *, present_bytes: int | None = None) -> Path:
        """Write the file with a hole for data; `present_bytes` cuts it off as a download would."""
        header = self.header()
        total = len(header) + self._end
        with path.open("wb") as file:
            file.write(header)
            file.truncate(total if present_bytes is None else present_bytes)
        return path

    def _pack(self, code: str, value: object) -> bytes:
        return struct.pack(("<" if self.byte_order == "little" else ">") + code, value)

    def _number(self, out: bytearray, kind: str, name: str, value: object) -> None:
        packed = self._pack(_CODES[name], value)
        self.fields.append(Field(kind, len(out), len(packed)))
        out += packed

    def _string(self, out: bytearray, kind: str, text: bytes) -> None:
        self._number(out, kind, "u32" if self.version == 1 else "u64", len(text))
        out += text

    def _value(self, out: bytearray, value: object) -> None:
        if isinstance(value, Raw):
            self._number(out, "value_type", "u32", value.type_id)
            out += value.data
            return
        name, inner = _typed(value)
        self._number(out, "value_type", "u32", VALUE_TYPES[name])
        self._content(out, name, inner)

    def _content(self, out: bytearray, name: str, value: object) -> None:
        if name == "string":
            assert isinstance(value, str | bytes)
            self._string(out, "string_length", value.encode() if isinstance(value, str) else value)
        elif name == "array":
            assert isinstance(value, Array)
            self._number(out, "element_type", "u32", VALUE_TYPES[value.element])
            count = "u32" if self.version == 1 else "u64"
            self._number(out, "array_length", count, len(value.values))
            if value.element in _CODES:
                for one in value.values:
                    out += self._pack(_CODES[value.element], one)
            else:
                for one in value.values:
                    self._content(out, value.element, one)
        else:
            out += self._pack(_CODES[name], value)


def gguf_builder(
    metadata: Mapping[str, Value], tensors: Iterable[TensorSpec] = (), **options: object
) -> GGUFBuilder:
    """A builder filled from plain values; options are those of `GGUFBuilder`."""
    builder = GGUFBuilder(**options)  # type: ignore[arg-type]
    for key, value in metadata.items():
        builder.add(key, value)
    for name, shape, tensor_type in tensors:
        builder.tensor(name, shape, tensor_type)
    return builder


def write_gguf(
    path: Path,
    metadata: Mapping[str, Value],
    tensors: Iterable[TensorSpec] = (),
    *,
    present_bytes: int | None = None,
    **options: object,
) -> Path:
    """Write one well-formed file: metadata as plain values, tensors as (name, shape, type).

    Shapes have ne0 first, types are ggml's names. `present_bytes` cuts the file off.
    """
    return gguf_builder(metadata, tensors, **options).write(path, present_bytes=present_bytes)


def write_split_gguf(
    folder: Path,
    stem: str,
    metadata: Mapping[str, Value],
    shards: Sequence[Sequence[TensorSpec]],
) -> list[Path]:
    """Write a split set as llama-gguf-split does: metadata in the first part, `split.no` from 0.

    File names count from 1: ``stem-00001-of-00003.gguf``. A part may hold no tensors.
    """
    total = sum(len(shard) for shard in shards)
    paths = []
    for number, shard in enumerate(shards):
        split: dict[str, Value] = {
            "split.no": Typed("u16", number),
            "split.count": Typed("u16", len(shards)),
            "split.tensors.count": Typed("i32", total),
        }
        path = folder / f"{stem}-{number + 1:05d}-of-{len(shards):05d}.gguf"
        values = {**metadata, **split} if number == 0 else split
        paths.append(write_gguf(path, values, shard))
    return paths


def vocabulary_metadata(tokens: int, *, merges: int | None = None) -> dict[str, Value]:
    """A tokenizer of real size: tokens of about 6 bytes, one merge for each, a type for each."""
    merges = tokens if merges is None else merges
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": Array("string", [f"tok{i:x}" for i in range(tokens)]),
        "tokenizer.ggml.token_type": Array("i32", [1] * tokens),
        "tokenizer.ggml.merges": Array("string", [f"t{i:x} u{i:x}" for i in range(merges)]),
    }
