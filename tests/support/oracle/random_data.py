"""Fills a GGUF file's tensors with small random weights that are valid in their types."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tokenroof.gguf import TENSOR_TYPES_BY_NAME, read_header

_SCALES = {
    # type: (offset, bytes) of a block's scales, as float16 unless said otherwise
    "Q4_0": ((0, b"\x1f\x21"),),
    "Q5_0": ((0, b"\x1f\x21"),),
    "Q8_0": ((0, b"\x1f\x21"),),
    "Q4_K": ((0, b"\x1f\x21"), (2, b"\0\0")),
    "Q5_K": ((0, b"\x1f\x21"), (2, b"\0\0")),
    "Q6_K": ((208, b"\x1f\x11"),),
    "MXFP4": ((0, b"\x78"),),  # an exponent: 2^(120 - 128)
}
"""Where ggml's blocks keep their scales (ggml-common.h), and 0.01 or less to put there: random
bytes would make infinities of them. Everything else in a block may be any byte."""


def fill(path: Path, seed: int = 1) -> None:
    """Write random weights over the data section of a file."""
    generator = np.random.default_rng(seed)
    with path.open("r+b") as file:
        for tensor in read_header(path).tensors:
            file.seek(tensor.offset)
            file.write(
                _weights(generator, tensor.type, tensor.bytes, negative="ssm_a" in tensor.name)
            )


def _weights(generator: np.random.Generator, type_name: str, size: int, *, negative: bool) -> bytes:
    if type_name in ("F32", "F16"):
        width = 4 if type_name == "F32" else 2
        numbers = generator.normal(0, 0.1, size // width)
        # A state decays: Mamba's A is negative.
        numbers = -np.abs(numbers) if negative else numbers
        return numbers.astype(f"<f{width}").tobytes()
    block = TENSOR_TYPES_BY_NAME[type_name].block_bytes
    data = generator.integers(0, 256, (size // block, block), dtype=np.uint8)
    for offset, scale in _SCALES[type_name]:
        data[:, offset : offset + len(scale)] = np.frombuffer(scale, np.uint8)
    return data.tobytes()
