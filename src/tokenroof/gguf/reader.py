"""Bytes -> what one file holds.

A GGUF file is: the magic "GGUF", a version, the number of tensors, the number of key-value pairs;
the pairs; one entry a tensor; padding up to the alignment; the tensors' data. The reader walks
it once, from front to back, and never looks at the data.

It is safe on any bytes. Lengths are compared with what remains before anything is read or
allocated, counts with the smallest entries they could stand for; arrays of fixed-size elements
are passed over at once, nested ones without recursion; text that is kept has a budget; a deadline
bounds the rest. What follows is either a `Part` or a `GGUFError`.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.clock import SystemClock
from tokenroof.errors import GGUFError
from tokenroof.gguf import magic
from tokenroof.gguf.cursor import MARKS, ByteOrder, Cursor, Deadline
from tokenroof.gguf.header import DEFAULT_ALIGNMENT
from tokenroof.gguf.problems import Problems, shown
from tokenroof.gguf.source import FileSource
from tokenroof.gguf.tensors import Tensor, place, size_of
from tokenroof.gguf.types import TENSOR_TYPES, type_name
from tokenroof.gguf.values import (
    ARRAY,
    BOOL,
    SCALARS,
    STRING,
    U32,
    VALUE_TYPE_NAMES,
    GGUFArray,
    InSource,
    Kept,
    LongText,
    Metadata,
    Payload,
    Value,
)
from tokenroof.safetext import has_controls
from tokenroof.units import binary_size, percent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tokenroof.clock import Clock
    from tokenroof.gguf.source import Source
    from tokenroof.notices import Notice

DEADLINE_SECONDS = 1.0

# An empty key, a type, one byte; an empty name, a number of dimensions, a type, an offset.
MIN_PAIR_BYTES = 8 + 4 + 1
MIN_TENSOR_BYTES = 8 + 4 + 4 + 8
# Real models have under 100 pairs, and 50,000 tensors where every expert is one of its own.
MAX_PAIRS = 65_536
MAX_TENSORS = 65_536
MAX_KEY_BYTES = 65_535  # the format's own limit
MAX_NAME_BYTES = 65_535
LLAMA_CPP_NAME_BYTES = 63
MAX_DIMENSIONS = 16
LLAMA_CPP_DIMENSIONS = 4
MAX_NESTING = 8
# llama.cpp counts in 64-bit integers with a sign.
MAX_COUNT = 2**63 - 1
# No disk holds 2^50 bytes; beyond it a number is damage, not a download that is not finished.
MAX_EXTENT_BYTES = 2**50
# Longer strings and arrays stay in the file until they are asked for; so does what comes after
# the sum of the kept ones has reached the budget.
KEPT_BYTES = 65_536
KEPT_BUDGET_BYTES = 8 * 2**20


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one file holds: a whole model, or one part of a split set."""

    version: int
    byte_order: ByteOrder
    alignment: int
    data_offset: int
    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    tensor_entries: int
    tensor_bytes: int
    file_bytes: int
    promised_bytes: int
    problems: tuple[Notice, ...]


def read_part(path: Path, *, strict: bool = False, clock: Clock | None = None) -> Part:
    """Read the header of one file.

    Args:
        path: the file.
        strict: make an error of the first thing that is wrong, instead of a notice.
        clock: what the deadline of one second is measured with.

    Raises:
        NotFound: there is no such file.
        GGUFError: it cannot be read as a GGUF file, or changed while it was read.
    """
    with FileSource(path) as source:
        part = parse(source, strict=strict, clock=clock)
    source.check_unchanged()
    return part


def parse(
    source: Source,
    *,
    strict: bool = False,
    clock: Clock | None = None,
    deadline_seconds: float = DEADLINE_SECONDS,
) -> Part:
    """Read the header that a source begins with; see `read_part`.

    `deadline_seconds` is for sources that are slower than a disk.
    """
    deadline = Deadline(clock or SystemClock(), deadline_seconds, source.name)
    return _Parser(source, deadline, Problems(source.name, strict=strict)).part()


class _Parser:
    """One walk over one header."""

    def __init__(self, source: Source, deadline: Deadline, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._version, self._byte_order = self._preamble()
        self._cursor = Cursor(source, deadline, self._byte_order)
        self._cursor.take(8, "version")
        self._kept_bytes = 0
        self._alignment = DEFAULT_ALIGNMENT

    def part(self) -> Part:
        cursor, problems = self._cursor, self._problems
        if self._byte_order == "big":
            problems.remark("gguf.big_endian")
        tensor_count = cursor.u64("tensor_count")
        pair_count = cursor.u64("kv_count")
        self._check_counts(tensor_count, pair_count)
        metadata = self._pairs(pair_count)
        entries = self._tensors(tensor_count)
        data_offset = cursor.offset + -cursor.offset % self._alignment
        absolute = [t._replace(offset=t.offset + data_offset) for t in entries]
        size = self._source.size
        tensors, union = place(absolute, data_offset, self._alignment, size, problems)
        promised = max((t.offset + t.bytes for t in tensors if t.bytes), default=cursor.offset)
        self._check_presence(data_offset, promised)
        return Part(
            version=self._version,
            byte_order=self._byte_order,
            alignment=self._alignment,
            data_offset=data_offset,
            metadata=Metadata(metadata),
            tensors=tuple(tensors),
            tensor_entries=tensor_count,
            tensor_bytes=union,
            file_bytes=size,
            promised_bytes=promised,
            problems=problems.notices(),
        )

    def _preamble(self) -> tuple[int, ByteOrder]:
        """Magic and version: whether this is a file for us at all."""
        source = self._source
        path, size = source.name, source.size
        if size == 0:
            raise GGUFError("gguf.empty", path=path)
        head = source.read(0, min(size, magic.LOOKED_AT_BYTES))
        if not head.startswith(b"GGUF"[: len(head)]):
            start = shown(head[:8].decode("latin-1"))
            raise GGUFError(magic.message_for(head), path=path, start=start)
        if size < 8:
            raise GGUFError("gguf.too_short", path=path, found=size, allowed=24)
        (version,) = struct.unpack_from("<I", head, 4)
        byte_order: ByteOrder = "little"
        # 2 or 3 written the other way round are numbers whose lower half is empty.
        if version & 0xFFFF == 0 and version:
            byte_order = "big"
            (version,) = struct.unpack_from(">I", head, 4)
        if version == 1:
            raise GGUFError("gguf.version_1", path=path)
        if version == 0:
            raise GGUFError("gguf.version_0", path=path)
        if version > 3:
            raise GGUFError("gguf.version_future", path=path, found=version)
        if size < 24:
            raise GGUFError("gguf.too_short", path=path, found=size, allowed=24)
        return version, byte_order

    def _check_counts(self, tensors: int, pairs: int) -> None:
        """Compare the counts with the file's size, before anything loops over them."""
        for field, found, smallest, most in (
            ("kv_count", pairs, MIN_PAIR_BYTES, MAX_PAIRS),
            ("tensor_count", tensors, MIN_TENSOR_BYTES, MAX_TENSORS),
        ):
            allowed = min(self._cursor.remaining // smallest, most)
            if found > allowed:
                raise GGUFError(
                    "gguf.count_too_large",
                    path=self._source.name,
                    offset=16 if field == "kv_count" else 8,
                    field=field,
                    found=found,
                    allowed=allowed,
                )

    # Key-value pairs

    def _pairs(self, count: int) -> dict[str, Value | LongText]:
        metadata: dict[str, Value | LongText] = {}
        for number in range(count):
            self._cursor.check_deadline()
            key, odd = self._name(f"key {number + 1}", MAX_KEY_BYTES)
            where = shown(key)
            if not key:
                self._problems.add("gguf.empty_key", number=number + 1)
            if odd:
                self._problems.add("gguf.odd_key", where, key=where)
            type_id = self._cursor.u32(where)
            value = self._value(type_id, where)
            if key in metadata:
                self._problems.add("gguf.duplicate_key", where, key=where)
                continue
            metadata[key] = value
            if key == "general.alignment":
                self._set_alignment(type_id, value)
        return metadata

    def _value(self, type_id: int, key: str) -> Value | LongText:
        cursor = self._cursor
        scalar = SCALARS.get(type_id)
        if scalar is not None:
            data = cursor.take(scalar.size, key)
            value: int | float = struct.unpack(MARKS[self._byte_order] + scalar.code, data)[0]
            if type_id != BOOL:
                return value
            if value > 1:
                self._problems.add("gguf.odd_bool", key, key=key, found=value)
            return bool(value)
        if type_id == STRING:
            return self._text(key)
        if type_id == ARRAY:
            return self._array(key)
        raise GGUFError(
            "gguf.unknown_value_type",
            path=self._source.name,
            offset=cursor.offset - 4,
            field=key,
            found=type_id,
            allowed=max(VALUE_TYPE_NAMES),
        )

    def _text(self, key: str) -> str | LongText:
        size = self._cursor.length(key)
        payload = self._payload(size, key)
        if not isinstance(payload, Kept):
            return LongText(payload)
        try:
            text = payload.data.decode("utf-8")
        except UnicodeDecodeError:
            self._problems.add("gguf.not_utf8", key, key=key)
            return payload.data.decode("utf-8", "replace")
        if has_controls(text):
            self._problems.add("gguf.control_characters", key, key=key)
        return text

    def _array(self, key: str) -> GGUFArray:
        """Pass over an array and remember where it is; no recursion, however deep it nests."""
        cursor = self._cursor
        element = cursor.u32(key)
        length = cursor.u64(key)
        start = cursor.offset
        if element == ARRAY:
            self._problems.add("gguf.nested_array", key, key=key)
        to_pass = [(element, length)]
        while to_pass:
            inner, left = to_pass.pop()
            if inner != ARRAY:
                self._pass_over(inner, left, key)
                continue
            if left * 12 > cursor.remaining:
                raise self._array_too_long(key, left, cursor.remaining // 12)
            if len(to_pass) >= MAX_NESTING:
                raise GGUFError(
                    "gguf.nested_too_deep",
                    path=self._source.name,
                    offset=cursor.offset,
                    field=key,
                    found=len(to_pass) + 1,
                    allowed=MAX_NESTING,
                )
            if left:
                to_pass.append((ARRAY, left - 1))
                to_pass.append((cursor.u32(key), cursor.u64(key)))
        size = cursor.offset - start
        payload: Payload = InSource(self._source, start, size)
        if size <= KEPT_BYTES and self._kept_bytes + size <= KEPT_BUDGET_BYTES:
            self._kept_bytes += size
            payload = Kept(cursor.recall(start, size))
        return GGUFArray(element, length, payload, self._byte_order)

    def _pass_over(self, element: int, length: int, key: str) -> None:
        """Pass over the elements of an array that holds no arrays."""
        cursor = self._cursor
        scalar = SCALARS.get(element)
        if scalar is None and element != STRING:
            raise GGUFError(
                "gguf.unknown_element_type",
                path=self._source.name,
                offset=cursor.offset - 12,
                field=key,
                found=element,
                allowed=max(VALUE_TYPE_NAMES),
            )
        smallest = scalar.size if scalar else 8
        if length * smallest > cursor.remaining:
            raise self._array_too_long(key, length, cursor.remaining // smallest)
        if scalar:
            cursor.skip(length * smallest, key)
        else:
            cursor.skip_strings(length, key)

    def _array_too_long(self, key: str, found: int, allowed: int) -> GGUFError:
        return GGUFError(
            "gguf.array_past_end",
            path=self._source.name,
            offset=self._cursor.offset - 8,
            field=key,
            found=found,
            allowed=allowed,
        )

    def _payload(self, size: int, field: str) -> Payload:
        """The next bytes, kept if they are few."""
        if size <= KEPT_BYTES and self._kept_bytes + size <= KEPT_BUDGET_BYTES:
            self._kept_bytes += size
            return Kept(self._cursor.take(size, field))
        payload = InSource(self._source, self._cursor.offset, size)
        self._cursor.skip(size, field)
        return payload

    def _name(self, field: str, most: int) -> tuple[str, bool]:
        """A key or a tensor's name, and whether it holds what a name should not.

        Bytes that are not UTF-8 become escapes, so that different names stay different.
        """
        cursor = self._cursor
        size = cursor.length(field)
        left = KEPT_BUDGET_BYTES - self._kept_bytes
        if size > min(most, left):
            raise GGUFError(
                "gguf.name_too_long",
                path=self._source.name,
                offset=cursor.offset - 8,
                field=field,
                found=size,
                allowed=min(most, left),
            )
        self._kept_bytes += size
        data = cursor.take(size, field)
        try:
            name = data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("utf-8", "backslashreplace"), True
        return name, has_controls(name)

    def _set_alignment(self, type_id: int, value: Value | LongText) -> None:
        key = "general.alignment"
        if isinstance(value, bool) or not isinstance(value, int):
            found = VALUE_TYPE_NAMES[type_id]
            self._problems.add("gguf.alignment_type", key, found=found, used=DEFAULT_ALIGNMENT)
            return
        if value <= 0:
            raise GGUFError("gguf.alignment_zero", path=self._source.name, found=value)
        self._alignment = value
        if type_id != U32:
            found = VALUE_TYPE_NAMES[type_id]
            self._problems.add("gguf.alignment_type", key, found=found, used=value)
        if value & (value - 1) or value % 8:
            self._problems.add("gguf.alignment_odd", key, found=value)

    # Tensors

    def _tensors(self, count: int) -> list[Tensor]:
        tensors: dict[str, Tensor] = {}
        for number in range(count):
            if not number % 64:
                self._cursor.check_deadline()
            tensor = self._tensor(number + 1)
            if tensor.name in tensors:
                name = shown(tensor.name)
                self._problems.add("gguf.duplicate_tensor", tensor.name, name=name)
            else:
                tensors[tensor.name] = tensor
        return list(tensors.values())

    def _tensor(self, number: int) -> Tensor:
        """One entry; its offset is still counted from the start of the data section."""
        cursor = self._cursor
        field = f"tensor {number}"
        name, odd = self._name(field, MAX_NAME_BYTES)
        dimensions = cursor.u32(field)
        if dimensions > MAX_DIMENSIONS:
            raise GGUFError(
                "gguf.too_many_dimensions",
                path=self._source.name,
                offset=cursor.offset - 4,
                field=f"{field} ({shown(name)})",
                found=dimensions,
                allowed=MAX_DIMENSIONS,
            )
        entry = cursor.take(8 * dimensions + 12, field)
        *shape, type_id, offset = struct.unpack(f"{MARKS[self._byte_order]}{dimensions}QIQ", entry)
        self._check_name(name, number, odd=odd)
        if dimensions > LLAMA_CPP_DIMENSIONS:
            self._problems.add(
                "gguf.dimensions",
                name,
                name=shown(name),
                found=dimensions,
                allowed=LLAMA_CPP_DIMENSIONS,
            )
        if 0 in shape:
            self._problems.remark("gguf.zero_dimension", name, name=shown(name))
        size = size_of(shape, type_id)
        kind = TENSOR_TYPES.get(type_id)
        broken = bool(kind and shape and shape[0] % kind.block_elements)
        if kind and broken:
            self._problems.add(
                "gguf.broken_row",
                name,
                name=shown(name),
                found=shape[0],
                type=kind.name,
                allowed=kind.block_elements,
            )
        self._check_extent(name, shape, size or 0, offset)
        return Tensor(
            name, tuple(shape), type_name(type_id), type_id, size or 0, offset, 0,
            broken or kind is None,
        )  # fmt: skip

    def _check_name(self, name: str, number: int, *, odd: bool) -> None:
        if not name:
            self._problems.add("gguf.empty_name", number=number)
        elif len(name.encode()) > LLAMA_CPP_NAME_BYTES:
            self._problems.add(
                "gguf.long_name",
                name,
                name=shown(name),
                found=len(name.encode()),
                allowed=LLAMA_CPP_NAME_BYTES,
            )
        if odd:
            self._problems.add("gguf.odd_name", name, name=shown(name))

    def _check_extent(self, name: str, shape: list[int], size: int, offset: int) -> None:
        """Refuse what could lie in no file, so that no absurd figure travels on."""
        elements = math.prod(shape)
        if max(shape, default=0) > MAX_COUNT or elements > MAX_COUNT or size > MAX_EXTENT_BYTES:
            raise GGUFError(
                "gguf.tensor_too_large",
                path=self._source.name,
                name=shown(name),
                shape="x".join(map(str, shape)),
                found=elements,
            )
        if offset > MAX_EXTENT_BYTES:
            raise GGUFError(
                "gguf.tensor_too_far",
                path=self._source.name,
                name=shown(name),
                found=offset,
                allowed=self._source.size,
            )

    def _check_presence(self, data_offset: int, promised: int) -> None:
        """Say how much of the file is there, if not all."""
        size = self._source.size
        if promised <= size:
            return
        if data_offset > size and self._alignment > self._cursor.offset:
            self._problems.add(
                "gguf.data_past_end", found=data_offset, allowed=size, alignment=self._alignment
            )
            return
        self._problems.add(
            "gguf.partial",
            present=percent(math.floor(100 * size / promised) / 100),
            missing=binary_size(promised - size),
            found=size,
            promised=promised,
        )
