"""Whatever the bytes are, the result is a header or one of our errors, within bounds.

Small files are damaged in every way there is, one byte or one length at a time; generated ones
in ways that hypothesis chooses.
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings, strategies as st

from support.gguf_files import (
    Array,
    GGUFBuilder,
    Typed,
    Value,
    gguf_builder,
    tensor_size,
    vocabulary_metadata,
)
from support.gguf_strategies import LENGTHS, metadata, replaced, tensor_tables
from support.gguf_survival import small_file, survive
from support.text import is_safe
from tokenroof.clock import FakeClock
from tokenroof.errors import GGUFError
from tokenroof.gguf import GGUFArray, Header, read_header
from tokenroof.gguf.reader import parse
from tokenroof.gguf.source import BytesSource

Tensors = list[tuple[str, tuple[int, ...], str]]


def plain(value: object) -> object:
    """What a written value must be read as."""
    match value:
        case Typed(value=inner):
            return inner
        case Array(values=inner):
            return tuple(plain(one) for one in inner)
    return value


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_every_prefix_of_a_file_is_survived(byte_order: str) -> None:
    data = small_file(byte_order).build()
    header_size = len(small_file(byte_order).header().rstrip(b"\0"))
    for size in range(len(data)):
        result = survive(data[:size])
        if size < header_size - 8:
            assert isinstance(result, GGUFError)
    assert isinstance(survive(data), Header)


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_every_byte_that_flips_is_survived(byte_order: str) -> None:
    data = small_file(byte_order).build()
    for offset in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(data)
            damaged[offset] ^= flip
            survive(bytes(damaged))


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_every_length_that_is_replaced_is_survived(byte_order: str) -> None:
    builder = small_file(byte_order)
    data = builder.build()
    assert {f.kind for f in builder.fields} >= {
        "tensor_count", "kv_count", "key_length", "value_type", "string_length", "element_type",
        "array_length", "name_length", "dimensions", "dimension", "tensor_type", "offset",
    }  # fmt: skip
    for field in builder.fields:
        left = len(data) - field.offset - field.size
        for number in (*LENGTHS, left - 1, left, left + 1):
            survive(replaced(data, field.offset, field.size, number, byte_order))


@settings(max_examples=150, deadline=None)
@example(values={}, tensors=[("\u2028", (0,), "F32")], version=2, byte_order="little")
@given(
    values=metadata,
    tensors=tensor_tables(),
    version=st.sampled_from([2, 3]),
    byte_order=st.sampled_from(["little", "big"]),
)
def test_valid_files_are_read_back_as_they_were_written(
    values: dict[str, Value], tensors: Tensors, version: int, byte_order: str
) -> None:
    builder = gguf_builder(values, tensors, version=version, byte_order=byte_order)
    with TemporaryDirectory() as folder:
        header = read_header(builder.write(Path(folder) / "m.gguf"))
    assert list(header.metadata) == list(values)
    for key, value in values.items():
        found = header.metadata[key]
        if isinstance(found, GGUFArray):
            assert isinstance(value, Array)
            assert found.element_type == value.element
            assert found.values() == plain(value)
        else:
            assert found == plain(value)
    assert [(t.name, t.shape, t.type) for t in header.tensors] == tensors
    sizes = [tensor_size(t.shape, t.type_id) for t in header.tensors]
    assert [t.bytes for t in header.tensors] == sizes
    assert header.tensor_bytes == sum(sizes)
    assert not any(t.size_inferred for t in header.tensors)
    allowed = {"zero_dimension", "nested_array", "control_characters", "big_endian"}
    if not all(is_safe(name) for name, _, _ in tensors):
        allowed.add("odd_name")
    assert {n.id for n in header.problems} <= allowed


@settings(max_examples=200, deadline=None)
@given(values=metadata, tensors=tensor_tables(), data=st.data())
def test_generated_files_survive_damage(
    values: dict[str, Value], tensors: Tensors, data: st.DataObject
) -> None:
    builder = gguf_builder(values, tensors)
    whole = builder.header()
    match data.draw(st.sampled_from(["cut", "flip", "length", "insert"])):
        case "cut":
            survive(whole[: data.draw(st.integers(0, len(whole)))])
        case "flip":
            damaged = bytearray(whole)
            damaged[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
            survive(bytes(damaged))
        case "length":
            field = data.draw(st.sampled_from(builder.fields))
            number = data.draw(st.sampled_from(LENGTHS) | st.integers(0, 2**64 - 1))
            survive(replaced(whole, field.offset, field.size, number, "little"))
        case _:
            place = data.draw(st.integers(0, len(whole)))
            survive(whole[:place] + data.draw(st.binary(max_size=40)) + whole[place:])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_after_a_good_beginning_are_survived(data: bytes) -> None:
    survive(data)
    survive(b"GGUF\3\0\0\0" + data)
    survive(b"GGUF\3\0\0\0" + bytes([1, 0, 0, 0, 0, 0, 0, 0]) * 2 + data)


# Memory. The bound is 64 MiB; what is traced is what Python allocates, all of it.


def peak_of_65536_entries(data: bytes) -> int:
    tracemalloc.start()
    part = parse(BytesSource(data), clock=FakeClock())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(part.tensors) + len(part.metadata) == 65_536
    return peak


def test_a_vocabulary_takes_no_memory_to_pass_over(tmp_path: Path) -> None:
    path = gguf_builder(vocabulary_metadata(50_000)).write(tmp_path / "m.gguf")
    tracemalloc.start()
    read_header(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 2**20  # two windows of 1 MiB, one coming while the other goes


def test_the_most_tensors_there_may_be_stay_under_64_mib() -> None:
    # Of eight dimensions, whose numbers are large and whose product is not.
    builder = GGUFBuilder(alignment=1, tensor_count=65_536)
    one = builder.tensor("", (0, *[2**62] * 7), 99).header()
    many = b"".join(
        one[24:].replace(bytes(8), (8).to_bytes(8, "little") + b"%08d" % i, 1)
        for i in range(65_536)
    )
    assert peak_of_65536_entries(one[:24] + many) < 64 * 2**20


def test_the_most_keys_there_may_be_stay_under_64_mib() -> None:
    head = GGUFBuilder(alignment=1, kv_count=65_536).header()
    text = bytes([8, 0, 0, 0]) + (200).to_bytes(8, "little") + b"x" * 200
    # 13 MB of values, of which 8 MiB are kept.
    pairs = b"".join((8).to_bytes(8, "little") + b"%08d" % i + text for i in range(65_536))
    assert peak_of_65536_entries(head + pairs) < 64 * 2**20
