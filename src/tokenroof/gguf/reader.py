"""Bytes -> what one file holds.

A GGUF file is: the magic "GGUF", a version, the number of tensors, the number of key-value pairs;
the pairs; one entry a tensor; padding up to the alignment; the tensors' data. The reader walks
it once, from front to back, and never looks at the data.

It is safe on any bytes. Lengths are compared with what remains before anything is read or
allocated, counts with the smallest entries they could stand for; arrays of fixed-size elements
are passed over at once, nested ones without recursion; text that is kept has a budget; a deadline
bounds the rest. What comes of it is either a `Part` or a `GGUFError`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.clock import SystemClock
from tokenroof.errors import GGUFError
from tokenroof.gguf.cursor import Cursor, Deadline
from tokenroof.gguf.entries import EntryReader
from tokenroof.gguf.keep import Keeper
from tokenroof.gguf.limits import (
    DEADLINE_SECONDS,
    MAX_PAIRS,
    MAX_TENSORS,
    MIN_PAIR_BYTES,
    MIN_TENSOR_BYTES,
)
from tokenroof.gguf.pairs import PairReader
from tokenroof.gguf.preamble import read_preamble
from tokenroof.gguf.problems import Problems
from tokenroof.gguf.source import FileSource
from tokenroof.gguf.tensors import Tensor, place
from tokenroof.gguf.values import Metadata, Value
from tokenroof.units import binary_size, percent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tokenroof.clock import Clock
    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.source import Source
    from tokenroof.notices import Notice


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one file holds: a whole model, or one part of a split set.

    The fields that `Header` has too mean the same; `tensor_entries` counts doubled ones twice.
    """

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
    problems = Problems(source.name, strict=strict)
    deadline = Deadline(clock or SystemClock(), deadline_seconds, source.name)
    version, byte_order = read_preamble(source)
    if byte_order == "big":
        problems.remark("gguf.big_endian")
    cursor = Cursor(source, deadline, byte_order)
    cursor.take(8, "version")
    tensor_count = cursor.u64("tensor_count")
    pair_count = cursor.u64("kv_count")
    for field, offset, found, smallest, most in (
        ("tensor_count", 8, tensor_count, MIN_TENSOR_BYTES, MAX_TENSORS),
        ("kv_count", 16, pair_count, MIN_PAIR_BYTES, MAX_PAIRS),
    ):
        # Before anything loops over it: a count is compared with what the file can hold.
        allowed = min(cursor.remaining // smallest, most)
        if found > allowed:
            raise GGUFError(
                "gguf.count_too_large",
                path=source.name,
                offset=offset,
                field=field,
                found=found,
                allowed=allowed,
            )
    keeper = Keeper(cursor)
    pairs = PairReader(cursor, byte_order, keeper, problems)
    metadata = pairs.read(pair_count)
    entries = EntryReader(cursor, byte_order, keeper, problems).read(tensor_count)
    data_offset = cursor.offset + -cursor.offset % pairs.alignment
    tensors, tensor_bytes = place(
        [entry.at(data_offset) for entry in entries],
        data_offset,
        pairs.alignment,
        source.size,
        problems,
    )
    # Padding after the last tensor may be missing, and tensors without bytes need no file.
    promised = max((t.offset + t.bytes for t in tensors if t.bytes), default=cursor.offset)
    if promised > source.size:
        absurd = data_offset > source.size and pairs.alignment > cursor.offset
        _say_what_is_missing(problems, source.size, promised, pairs.alignment if absurd else None)
    return Part(
        version=version,
        byte_order=byte_order,
        alignment=pairs.alignment,
        data_offset=data_offset,
        metadata=Metadata(metadata),
        tensors=tuple(tensors),
        tensor_entries=tensor_count,
        tensor_bytes=tensor_bytes,
        file_bytes=source.size,
        promised_bytes=promised,
        problems=problems.notices(),
    )


def _say_what_is_missing(
    problems: Problems, size: int, promised: int, absurd_alignment: int | None
) -> None:
    """A download that has not ended; or an alignment that moves the data out of the file."""
    if absurd_alignment is not None:
        problems.add("gguf.data_past_end", found=promised, allowed=size, alignment=absurd_alignment)
        return
    problems.add(
        "gguf.partial",
        present=percent(math.floor(100 * size / promised) / 100),
        missing=binary_size(promised - size),
        found=size,
        promised=promised,
    )
