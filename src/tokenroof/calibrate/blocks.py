"""Random weights in each stored type, with values that a real model could have.

A processor's speed does not depend on the numbers that it multiplies, except where they are
infinite, no numbers, or so small that they leave the normal range: those can be a hundred times
slower, or make a later token impossible. So the quants are random bits, and the scales are fixed
such that the weights have a mean near zero and a standard deviation near 0.02, as trained ones do;
every scale lies in the normal range of the type that stores it.

The layouts are those of ggml's block structs (ggml-common.h); the tests hold the values against
the dequantisation of the `gguf` package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Blocks = NDArray[np.uint8]
    """Blocks of one type, one a row."""

DEVIATION = 0.02
"""Of the weights; what most models are initialised with."""


def writable_types() -> tuple[str, ...]:
    """The stored types that random weights can be written in."""
    return ("F32", "F16", "BF16", *_SCALED)


def random_blocks(type_name: str, count: int, generator: np.random.Generator) -> Blocks:
    """Random blocks of a stored type.

    Args:
        type_name: one of `writable_types`.
        count: how many blocks.
        generator: where the random bits come from.

    Returns:
        Bytes of the shape (count, bytes of one block).
    """
    import numpy as np

    if type_name in {"F32", "F16", "BF16"}:
        values = (generator.standard_normal(count) * DEVIATION).astype("<f4")
        if type_name == "F16":
            return values.astype("<f2").view(np.uint8).reshape(count, 2)
        if type_name == "BF16":
            return values.view("<u2")[1::2].copy().view(np.uint8).reshape(count, 2)
        return values.view(np.uint8).reshape(count, 4)
    size = TENSOR_TYPES_BY_NAME[type_name].block_bytes
    blocks = generator.integers(0, 256, (count, size), dtype=np.uint8)
    _SCALED[type_name](blocks)
    return blocks


def _half(blocks: Blocks, at: int, value: float) -> None:
    """Write a number of half precision into every block."""
    import numpy as np

    blocks[:, at : at + 2] = np.array([value], "<f2").view(np.uint8)


def _plain(deviation: float, lowest: float | None = None) -> Callable[[Blocks], None]:
    """A scale at the head, and, where given, the value that quant 0 stands for, in scales."""

    def write(blocks: Blocks) -> None:
        scale = DEVIATION / deviation
        _half(blocks, 0, scale)
        if lowest is not None:
            _half(blocks, 2, lowest * scale)

    return write


def _k_quant(deviation: float, middle: float) -> Callable[[Blocks], None]:
    """Q4_K and Q5_K: two scales, then eight 6-bit scales and minima, all of them 16."""

    def write(blocks: Blocks) -> None:
        scale = DEVIATION / (16 * deviation)
        _half(blocks, 0, scale)
        _half(blocks, 2, middle * scale)
        # 0x50 is 16 in the low six bits, and a 1 above that makes 16 of the later four.
        blocks[:, 4:12] = 0x50
        blocks[:, 12:16] = 0

    return write


def _q6_k(blocks: Blocks) -> None:
    blocks[:, 192:208] = 8
    _half(blocks, 208, DEVIATION / (8 * 18.5))


def _q3_k(blocks: Blocks) -> None:
    # Six bits each, less 32: 36 is 4, its low half in the first eight bytes.
    blocks[:, 96:104] = 0x44
    blocks[:, 104:108] = 0xAA
    _half(blocks, 108, DEVIATION / (4 * 2.3))


def _q2_k(blocks: Blocks) -> None:
    blocks[:, 0:16] = 0x44
    scale = DEVIATION / (4 * 1.12)
    _half(blocks, 80, scale)
    _half(blocks, 82, 1.5 * scale)


def _iq4_xs(blocks: Blocks) -> None:
    # Six bits each, less 32: 34 is 2.
    blocks[:, 2:4] = 0xAA
    blocks[:, 4:8] = 0x22
    _half(blocks, 0, DEVIATION / (2 * 70))


def _mxfp4(blocks: Blocks) -> None:
    # 2^(120 - 127) times values from -6 to 6.
    blocks[:, 0] = 120


_SCALED: dict[str, Callable[[Blocks], None]] = {
    "Q8_0": _plain(73.9),
    "Q5_0": _plain(9.23),
    "Q5_1": _plain(9.23, -15.5),
    "Q4_0": _plain(4.61),
    "Q4_1": _plain(4.61, -7.5),
    "Q6_K": _q6_k,
    "Q5_K": _k_quant(9.23, 15.5),
    "Q4_K": _k_quant(4.61, 7.5),
    "Q3_K": _q3_k,
    "Q2_K": _q2_k,
    "IQ4_NL": _plain(70),
    "IQ4_XS": _iq4_xs,
    "MXFP4": _mxfp4,
}
