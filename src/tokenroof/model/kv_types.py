"""What one cached row takes in memory, by the type of the cache.

A row holds the keys (or values) of one token in one layer, in the blocks of its type. llama.cpp
takes f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1 and iq4_nl, and refuses some of them for some
models (llama_init_from_model).
"""

from __future__ import annotations

from fractions import Fraction

from tokenroof.errors import UsageError
from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME, TensorType

KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl")


def kv_type(name: str) -> TensorType:
    """The type of that name.

    Raises:
        UsageError: llama.cpp keeps no cache in that type.
    """
    lowered = name.lower()
    if lowered not in KV_TYPES:
        raise UsageError("model.kv_type_unknown", type=name, types=", ".join(KV_TYPES))
    return TENSOR_TYPES_BY_NAME[lowered.upper()]


def row_bytes(kind: TensorType, elements: int) -> Fraction:
    """Bytes of so many elements: a whole number where they fill whole blocks."""
    return Fraction(elements * kind.block_bytes, kind.block_elements)
