"""Hypothesis strategies for what GGUF files hold."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Literal

from hypothesis import strategies as st

from support.gguf_files import TENSOR_TYPES, Array, Typed, Value

# Control and format characters, surrogates, and what is not assigned.
_OTHER: tuple[Literal["C"], ...] = ("C",)
_BITS = {"8": 8, "16": 16, "32": 32, "64": 64}
SCALAR_NAMES = ["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "u64", "i64", "f64"]


def scalars(name: str) -> st.SearchStrategy[object]:
    """Values of one type; floats without NaN, which equals nothing."""
    if name == "bool":
        return st.booleans()
    bits = _BITS[name[1:]]
    if name[0] == "f":
        return st.floats(width=64 if bits == 64 else 32, allow_nan=False)
    low = -(2 ** (bits - 1)) if name[0] == "i" else 0
    return st.integers(low, low + 2**bits - 1)


def _array_of(inner: st.SearchStrategy[Array]) -> st.SearchStrategy[Array]:
    return st.lists(inner, max_size=3).map(lambda v: Array("array", v))


_flat: st.SearchStrategy[Array] = st.sampled_from(SCALAR_NAMES).flatmap(
    lambda n: st.lists(scalars(n), max_size=6).map(lambda v: Array(n, v))
) | st.lists(st.text(max_size=12), max_size=6).map(lambda v: Array("string", v))

arrays = st.recursive(_flat, _array_of, max_leaves=4)
"""Arrays of anything, nested or empty."""

values: st.SearchStrategy[Value] = (
    st.sampled_from(SCALAR_NAMES).flatmap(lambda n: scalars(n).map(lambda v: Typed(n, v)))
    | st.text(max_size=30)
    | arrays
)
"""Any metadata value."""

_keys = st.text(st.characters(codec="utf-8", exclude_categories=_OTHER), min_size=1, max_size=12)

# Hypothesis finds the keys that mean something to the reader in its source, and tries them.
metadata = st.dictionaries(
    _keys.filter(lambda key: not key.startswith(("general.", "split."))), values, max_size=6
)
"""Key to value, without keys that mean something to the reader."""


@st.composite
def _tensor(draw: st.DrawFn, names: Sequence[str], zero: bool) -> tuple[tuple[int, ...], str]:
    name = draw(st.sampled_from(names))
    block = TENSOR_TYPES[name][1]
    first = draw(st.integers(0 if zero else 1, 3)) * block
    rest = draw(st.lists(st.integers(0 if zero else 1, 4), max_size=3))
    return (first, *rest), name


def tensor_tables(
    names: Sequence[str] = tuple(TENSOR_TYPES), *, zero: bool = True
) -> st.SearchStrategy[list[tuple[str, tuple[int, ...], str]]]:
    """Names, shapes and types of a few tensors; with `zero`, dimensions may be 0."""
    labels = st.text(
        st.characters(codec="utf-8", exclude_categories=_OTHER), min_size=1, max_size=12
    )
    return st.dictionaries(labels, _tensor(names, zero), max_size=5).map(
        lambda found: [(label, shape, kind) for label, (shape, kind) in found.items()]
    )


LENGTHS = [
    *(0, 1, 7, 8, 12, 13, 24, 255, 256, 2**16 - 1, 2**16, 2**20, 2**30, 2**31 - 1, 2**31),
    *(2**32 - 1, 2**32, 2**50, 2**50 + 1, 2**53, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 8),
    2**64 - 1,
]
"""Numbers at which readers have broken."""


def replaced(data: bytes, offset: int, size: int, number: int, byte_order: str) -> bytes:
    """Bytes with a number of 4 or 8 bytes written over, its upper half cut off if it must be."""
    code = ("<" if byte_order == "little" else ">") + ("I" if size == 4 else "Q")
    return data[:offset] + struct.pack(code, number % 2 ** (8 * size)) + data[offset + size :]
