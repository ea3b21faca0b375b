"""What the numbers in a GGUF file stand for: tensor types and file types.

A quantised type stores its elements in blocks along a row; a block of `block_elements` weights
takes `block_bytes` bytes, scales included. The sizes are those of ggml's block structs
(ggml-common.h), checked against ggml_type_size of llama.cpp build 11434.
"""

from __future__ import annotations

from typing import NamedTuple


class TensorType(NamedTuple):
    """How ggml stores one kind of tensor."""

    id: int
    name: str
    block_elements: int
    block_bytes: int

    @property
    def bits_per_weight(self) -> float:
        """Bits that one weight takes, its share of the block's scales included."""
        return 8 * self.block_bytes / self.block_elements


_TABLE = (
    TensorType(0, "F32", 1, 4),
    TensorType(1, "F16", 1, 2),
    TensorType(2, "Q4_0", 32, 18),
    TensorType(3, "Q4_1", 32, 20),
    TensorType(6, "Q5_0", 32, 22),
    TensorType(7, "Q5_1", 32, 24),
    TensorType(8, "Q8_0", 32, 34),
    TensorType(9, "Q8_1", 32, 36),
    TensorType(10, "Q2_K", 256, 84),
    TensorType(11, "Q3_K", 256, 110),
    TensorType(12, "Q4_K", 256, 144),
    TensorType(13, "Q5_K", 256, 176),
    TensorType(14, "Q6_K", 256, 210),
    TensorType(15, "Q8_K", 256, 292),
    TensorType(16, "IQ2_XXS", 256, 66),
    TensorType(17, "IQ2_XS", 256, 74),
    TensorType(18, "IQ3_XXS", 256, 98),
    TensorType(19, "IQ1_S", 256, 50),
    TensorType(20, "IQ4_NL", 32, 18),
    TensorType(21, "IQ3_S", 256, 110),
    TensorType(22, "IQ2_S", 256, 82),
    TensorType(23, "IQ4_XS", 256, 136),
    TensorType(24, "I8", 1, 1),
    TensorType(25, "I16", 1, 2),
    TensorType(26, "I32", 1, 4),
    TensorType(27, "I64", 1, 8),
    TensorType(28, "F64", 1, 8),
    TensorType(29, "IQ1_M", 256, 56),
    TensorType(30, "BF16", 1, 2),
    TensorType(34, "TQ1_0", 256, 54),
    TensorType(35, "TQ2_0", 256, 66),
    TensorType(39, "MXFP4", 32, 17),
    TensorType(40, "NVFP4", 64, 36),
    TensorType(41, "Q1_0", 128, 18),
    TensorType(42, "Q2_0", 64, 18),
)

TENSOR_TYPES = {t.id: t for t in _TABLE}
"""Tensor types by their id in the file."""

TENSOR_TYPES_BY_NAME = {t.name: t for t in _TABLE}
"""Tensor types by ggml's name for them."""

WITHDRAWN_TYPES = {
    4: "Q4_2",
    5: "Q4_3",
    31: "Q4_0_4_4",
    32: "Q4_0_4_8",
    33: "Q4_0_8_8",
    36: "IQ4_NL_4_4",
    37: "IQ4_NL_4_8",
    38: "IQ4_NL_8_8",
}
"""Ids that ggml once used and no longer reads."""

FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4_MOE",
    39: "NVFP4",
    40: "Q1_0",
    41: "Q2_0",
}
"""`general.file_type` by its number: a label, not a promise. The tensors say what is stored."""

GUESSED_FILE_TYPE = 1024
"""Added to a file type by a converter that guessed it."""


def type_name(type_id: int) -> str:
    """ggml's name of a tensor type; a number in words for one that is not known."""
    known = TENSOR_TYPES.get(type_id)
    return known.name if known else WITHDRAWN_TYPES.get(type_id, f"type {type_id}")


def file_type_name(number: int | None) -> str | None:
    """The label of a `general.file_type`; None for a number that llama.cpp does not define."""
    if number is None:
        return None
    return FILE_TYPES.get(number & ~GUESSED_FILE_TYPE)
