"""Write a shape as a GGUF file, its weights random.

A pool of random blocks is made once for each stored type and repeated to a tensor's length: it
looks to a processor as any other weights do, and is written as fast as the disk takes it.

The row of the token that ends a text is zero: of the hundreds of random scores beside it some are
above 0, so that a model whose end cannot be forbidden never writes it.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tokenroof.calibrate.blocks import random_blocks
from tokenroof.calibrate.shapes import EMBEDDING, END_OF_TEXT, HEAD, Shape, TensorOf, Value
from tokenroof.errors import OutputError
from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from numpy.random import Generator

ALIGNMENT = 32
_POOL_BYTES = 1 << 20
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9


def write_model(shape: Shape, path: Path, *, seed: int = 1) -> int:
    """Write the model and return the file's bytes.

    Raises:
        OutputError: the file cannot be written; what was begun is removed.
    """
    tensors = list(shape.tensors())
    try:
        with path.open("wb") as file:
            file.write(header_of(shape, tensors))
            _pad(file)
            for piece in _data(tensors, seed):
                file.write(piece)
                _pad(file)
            return file.tell()
    except OSError as error:
        path.unlink(missing_ok=True)
        reason = error.strerror or os.strerror(error.errno or 0)
        raise OutputError("calibrate.not_written", path=printable(str(path)), reason=reason) from (
            error
        )


def tensor_bytes(tensor: TensorOf) -> int:
    """What a tensor takes in the file, without padding."""
    kind = TENSOR_TYPES_BY_NAME[tensor.type_name]
    return math.prod(tensor.dimensions) // kind.block_elements * kind.block_bytes


def file_bytes(shape: Shape) -> int:
    """About what the file of a shape takes: its tensors and their padding."""
    return sum(tensor_bytes(each) + ALIGNMENT for each in shape.tensors())


def header_of(shape: Shape, tensors: list[TensorOf]) -> bytes:
    """All of the file before the data, without the padding between them."""
    metadata = shape.metadata()
    parts = [struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))]
    parts += [_string(key) + _value(value) for key, value in metadata.items()]
    offset = 0
    for tensor in tensors:
        kind = TENSOR_TYPES_BY_NAME[tensor.type_name]
        parts += [
            _string(tensor.name),
            struct.pack("<I", len(tensor.dimensions)),
            struct.pack(f"<{len(tensor.dimensions)}Q", *tensor.dimensions),
            struct.pack("<IQ", kind.id, offset),
        ]
        offset += tensor_bytes(tensor) + -tensor_bytes(tensor) % ALIGNMENT
    return b"".join(parts)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    if isinstance(value, list):
        # Whole numbers in arrays are signed: so llama.cpp wants the kinds of tokens.
        kind = _INT32 if isinstance(value[0], int) else _plain(value[0])[0]
        items = b"".join(_plain(each)[1] for each in value)
        return struct.pack("<IIQ", _ARRAY, kind, len(value)) + items
    kind, data = _plain(value)
    return struct.pack("<I", kind) + data


def _plain(value: int | float | str | bool) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return _BOOL, struct.pack("<?", value)
    if isinstance(value, int):
        return _UINT32, struct.pack("<I", value)
    if isinstance(value, float):
        return _FLOAT32, struct.pack("<f", value)
    return _STRING, _string(value)


def _data(tensors: list[TensorOf], seed: int) -> Iterator[bytes]:
    import numpy as np

    generator = np.random.default_rng(seed)
    pools: dict[str, bytes] = {}
    for tensor in tensors:
        if len(tensor.dimensions) == 1:
            # The factors of a norm: one each, as in a model before its training.
            yield np.ones(tensor.dimensions, "<f4").tobytes()
            continue
        if tensor.type_name not in pools:
            pools[tensor.type_name] = _pool(tensor.type_name, generator)
        pool, left = pools[tensor.type_name], tensor_bytes(tensor)
        data = (pool * -(-left // len(pool)))[:left]
        yield _endless(tensor, data) if tensor.name in {EMBEDDING, HEAD} else data


def _endless(tensor: TensorOf, data: bytes) -> bytes:
    """The rows of all tokens, that of the end of a text zero: so zero bytes are in every type."""
    row = len(data) // tensor.dimensions[1]
    return data[: END_OF_TEXT * row] + bytes(row) + data[(END_OF_TEXT + 1) * row :]


def _pool(type_name: str, generator: Generator) -> bytes:
    count = _POOL_BYTES // TENSOR_TYPES_BY_NAME[type_name].block_bytes
    return random_blocks(type_name, count, generator).tobytes()


def _pad(file: BinaryIO) -> None:
    file.write(bytes(-file.tell() % ALIGNMENT))
