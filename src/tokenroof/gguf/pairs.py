"""The key-value pairs of a header."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tokenroof.errors import GGUFError
from tokenroof.gguf.byteorder import MARKS
from tokenroof.gguf.limits import ARRAY_HEAD_BYTES, MAX_NESTING
from tokenroof.gguf.problems import shown
from tokenroof.gguf.values import (
    ARRAY,
    BOOL,
    SCALARS,
    STRING,
    U32,
    VALUE_TYPE_NAMES,
    GGUFArray,
    Kept,
    LongText,
    Scalar,
    Value,
)
from tokenroof.safetext import has_controls

if TYPE_CHECKING:
    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.cursor import Cursor
    from tokenroof.gguf.keep import Keeper
    from tokenroof.gguf.problems import Problems

ALIGNMENT_KEY = "general.alignment"
DEFAULT_ALIGNMENT = 32


class PairReader:
    """Reads the pairs that a cursor stands at."""

    def __init__(
        self, cursor: Cursor, byte_order: ByteOrder, keeper: Keeper, problems: Problems
    ) -> None:
        self._cursor = cursor
        self._byte_order = byte_order
        self._keeper = keeper
        self._problems = problems
        self.alignment = DEFAULT_ALIGNMENT

    def read(self, count: int) -> dict[str, Value | LongText]:
        """The next `count` pairs; of a key that occurs again, the first value."""
        metadata: dict[str, Value | LongText] = {}
        for number in range(1, count + 1):
            self._cursor.check_deadline()
            key, odd = self._keeper.name(f"key {number}")
            where = shown(key)
            if not key:
                self._problems.add("gguf.empty_key", number=number)
            if odd:
                self._problems.add("gguf.odd_key", where, key=where)
            type_id = self._cursor.u32(where)
            value = self._value(type_id, where)
            if key in metadata:
                self._problems.add("gguf.duplicate_key", where, key=where)
                continue
            metadata[key] = value
            if key == ALIGNMENT_KEY:
                self._set_alignment(type_id, value)
        return metadata

    def _value(self, type_id: int, key: str) -> Value | LongText:
        scalar = SCALARS.get(type_id)
        if scalar is not None:
            return self._scalar(scalar, key)
        if type_id == STRING:
            return self._text(key)
        if type_id == ARRAY:
            return self._array(key)
        raise self._error(
            "gguf.unknown_value_type", key, 4, found=type_id, allowed=max(VALUE_TYPE_NAMES)
        )

    def _scalar(self, scalar: Scalar, key: str) -> int | float | bool:
        data = self._cursor.take(scalar.size, key)
        value: int | float = struct.unpack(MARKS[self._byte_order] + scalar.code, data)[0]
        if scalar is not SCALARS[BOOL]:
            return value
        if value > 1:
            self._problems.add("gguf.odd_bool", key, key=key, found=value)
        return bool(value)

    def _text(self, key: str) -> str | LongText:
        payload = self._keeper.next(self._cursor.length(key), key)
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
        element, length = cursor.u32(key), cursor.u64(key)
        start = cursor.offset
        if element == ARRAY:
            self._problems.add("gguf.nested_array", key, key=key)
        to_pass = [(element, length)]
        while to_pass:
            inner, left = to_pass.pop()
            if inner != ARRAY:
                self._pass_over(inner, left, key)
                continue
            self._check_length(left, ARRAY_HEAD_BYTES, key)
            if len(to_pass) >= MAX_NESTING:
                depth = len(to_pass) + 1
                raise self._error("gguf.nested_too_deep", key, 0, found=depth, allowed=MAX_NESTING)
            if left:
                to_pass.append((ARRAY, left - 1))
                to_pass.append((cursor.u32(key), cursor.u64(key)))
        return GGUFArray(element, length, self._keeper.passed(start), self._byte_order)

    def _pass_over(self, element: int, length: int, key: str) -> None:
        """Pass over the elements of an array that holds no arrays."""
        scalar = SCALARS.get(element)
        if scalar:
            self._check_length(length, scalar.size, key)
            self._cursor.skip(length * scalar.size, key)
        elif element == STRING:
            self._check_length(length, 8, key)
            self._cursor.skip_strings(length, key)
        else:
            raise self._error(
                "gguf.unknown_element_type",
                key,
                ARRAY_HEAD_BYTES,
                found=element,
                allowed=max(VALUE_TYPE_NAMES),
            )

    def _check_length(self, length: int, smallest: int, key: str) -> None:
        """Compare an array's length with what remains, each element at its smallest."""
        allowed = self._cursor.remaining // smallest
        if length > allowed:
            raise self._error("gguf.array_past_end", key, 8, found=length, allowed=allowed)

    def _error(self, message: str, key: str, back: int, **values: object) -> GGUFError:
        """An error about the field that lies `back` bytes before the cursor."""
        cursor = self._cursor
        return GGUFError(
            message, path=cursor.source.name, offset=cursor.offset - back, field=key, **values
        )

    def _set_alignment(self, type_id: int, value: Value | LongText) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            found = VALUE_TYPE_NAMES[type_id]
            self._problems.add(
                "gguf.alignment_type", ALIGNMENT_KEY, found=found, used=DEFAULT_ALIGNMENT
            )
            return
        if value <= 0:
            raise GGUFError("gguf.alignment_zero", path=self._cursor.source.name, found=value)
        self.alignment = value
        if type_id != U32:
            found = VALUE_TYPE_NAMES[type_id]
            self._problems.add("gguf.alignment_type", ALIGNMENT_KEY, found=found, used=value)
        if value & (value - 1) or value % 8:
            self._problems.add("gguf.alignment_odd", ALIGNMENT_KEY, found=value)
