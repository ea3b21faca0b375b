"""Valid files are read as the `gguf` package reads them, which is the format's own reader."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

import gguf
from support.gguf_files import TENSOR_TYPES, Array, Typed, Value, gguf_builder
from support.gguf_strategies import SCALAR_NAMES, scalars, tensor_tables
from tokenroof.gguf import GGUFArray, Header, read_header

# Q8_1 is 40 bytes a block in gguf 0.19.0, and 36 in ggml (facts of llama.cpp 11434): a mistake
# of the former that was mended later; the type is never stored in files.
SHARED_TYPES = sorted(
    name
    for name in TENSOR_TYPES
    if name in gguf.GGMLQuantizationType.__members__ and name != "Q8_1"
)

# The package's reader gives None for the contents of an empty array, and an empty string has no
# bytes to map; nested arrays it flattens.
ARRAYS = st.sampled_from(["u8", "i16", "u32", "i32", "f32", "bool", "u64", "f64"]).flatmap(
    lambda name: st.lists(scalars(name), min_size=1, max_size=5).map(lambda v: Array(name, v))
) | st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=5).map(
    lambda v: Array("string", v)
)
SCALARS = st.sampled_from(SCALAR_NAMES).flatmap(
    lambda name: scalars(name).map(lambda v: Typed(name, v))
)
METADATA = st.dictionaries(
    st.text("abc._0", min_size=1, max_size=12),
    SCALARS | ARRAYS | st.text(min_size=1, max_size=20),
    max_size=8,
)  # fmt: skip


def assert_same(header: Header, reference: gguf.GGUFReader) -> None:
    for key, value in header.metadata.items():
        expected = reference.fields[key].contents()
        plain = list(value.values()) if isinstance(value, GGUFArray) else value
        assert plain == expected, key
    assert set(reference.fields) == {
        *header.metadata, "GGUF.version", "GGUF.tensor_count", "GGUF.kv_count"
    }  # fmt: skip
    assert header.alignment == reference.alignment
    assert header.data_offset == reference.data_offset
    assert [
        (t.name, t.type_id, list(t.shape), t.elements, t.bytes, t.offset) for t in header.tensors
    ] == [
        (
            t.name, int(t.tensor_type), t.shape.tolist(), int(t.n_elements), int(t.n_bytes),
            int(t.data_offset),
        )
        for t in reference.tensors
    ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    metadata=METADATA,
    tensors=tensor_tables(SHARED_TYPES, zero=False),
    version=st.sampled_from([2, 3]),
    byte_order=st.sampled_from(["little", "big"]),
    alignment=st.sampled_from([8, 32, 64]),
)
def test_valid_files_are_read_as_the_package_reads_them(
    metadata: dict[str, Value],
    tensors: list[tuple[str, tuple[int, ...], str]],
    version: int,
    byte_order: str,
    alignment: int,
) -> None:
    values: dict[str, Value] = {**metadata, "general.alignment": alignment}
    builder = gguf_builder(
        values, tensors, version=version, byte_order=byte_order, alignment=alignment
    )
    with TemporaryDirectory() as folder:
        path = builder.write(Path(folder) / "m.gguf")
        reference = gguf.GGUFReader(path)
        assert_same(read_header(path), reference)
        del reference  # it maps the file


@pytest.mark.parametrize("name", SHARED_TYPES)
def test_tensor_types_have_the_sizes_that_the_package_has(name: str) -> None:
    number, block, size = TENSOR_TYPES[name]
    kind = gguf.GGMLQuantizationType(number)
    assert kind.name == name
    assert gguf.GGML_QUANT_SIZES[kind] == (block, size)
