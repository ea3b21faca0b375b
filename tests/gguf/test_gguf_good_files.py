"""Files that are as they should be, and files that are merely rare."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.gguf_files import (
    TENSOR_TYPES,
    Array,
    ByteOrder,
    GGUFBuilder,
    Typed,
    Value,
    vocabulary_metadata,
    write_gguf,
)
from tokenroof.gguf import GGUFArray, read_header, types
from tokenroof.gguf.reader import parse
from tokenroof.gguf.source import BytesSource

EXTREMES: dict[str, list[object]] = {
    "u8": [0, 255],
    "i8": [-128, 127],
    "u16": [0, 2**16 - 1],
    "i16": [-(2**15), 2**15 - 1],
    "u32": [0, 2**32 - 1],
    "i32": [-(2**31), 2**31 - 1],
    "f32": [-1.5, 2.0**100],
    "bool": [False, True],
    "string": ["", "Grüße, 世界"],
    "u64": [0, 2**64 - 1],
    "i64": [-(2**63), 2**63 - 1],
    "f64": [-1e300, 0.1],
}


@pytest.mark.parametrize("byte_order", ["little", "big"])
@pytest.mark.parametrize("version", [2, 3])
def test_every_value_type_is_read_at_its_extremes(
    tmp_path: Path, version: int, byte_order: ByteOrder
) -> None:
    builder = GGUFBuilder(version=version, byte_order=byte_order)
    for name, values in EXTREMES.items():
        builder.add(f"low.{name}", Typed(name, values[0]))
        builder.add(f"high.{name}", Typed(name, values[1]))
        builder.add(f"both.{name}", Array(name, values))
    header = read_header(builder.tensor("t", (4, 3)).write(tmp_path / "m.gguf"))

    assert (header.version, header.byte_order) == (version, byte_order)
    for name, values in EXTREMES.items():
        assert header.metadata[f"low.{name}"] == values[0]
        assert header.metadata[f"high.{name}"] == values[1]
        array = header.metadata[f"both.{name}"]
        assert isinstance(array, GGUFArray)
        assert array.element_type == name
        assert len(array) == 2
        assert array.values() == tuple(values)
        assert [type(v) for v in array.values()] == [type(v) for v in values]
    assert header.tensors[0].shape == (4, 3)


def test_a_big_endian_file_is_read_and_said_to_be_one(tmp_path: Path) -> None:  # B051
    path = GGUFBuilder(byte_order="big").add("a", 1).write(tmp_path / "m.gguf")
    assert path.read_bytes()[4:8] == b"\0\0\0\3"
    assert [n.id for n in read_header(path).problems] == ["big_endian"]
    assert read_header(path, strict=True).byte_order == "big"


@pytest.mark.parametrize("name", TENSOR_TYPES)
def test_each_tensor_type_takes_the_bytes_that_ggml_gives_it(tmp_path: Path, name: str) -> None:
    number, block, size = TENSOR_TYPES[name]
    path = write_gguf(tmp_path / "m.gguf", {}, [("w", (block * 3, 5, 2), name)])
    (tensor,) = read_header(path, strict=True).tensors
    assert tensor.type == name
    assert tensor.type_id == number
    assert tensor.bytes == 3 * 5 * 2 * size
    assert tensor.elements == block * 30
    assert not tensor.size_inferred


def test_the_table_of_types_has_no_other_types() -> None:
    assert {t.name: tuple(t)[:1] + tuple(t)[2:] for t in types.TENSOR_TYPES.values()} == (
        TENSOR_TYPES
    )
    assert not set(types.TENSOR_TYPES) & {4, 5, 31, 32, 33, 36, 37, 38}  # withdrawn by ggml


@pytest.mark.parametrize(
    ("name", "bits"), [("Q4_K", 4.5), ("MXFP4", 4.25), ("IQ1_S", 1.5625), ("F16", 16)]
)
def test_bits_per_weight_are_those_that_ggml_states(name: str, bits: float) -> None:
    assert types.TENSOR_TYPES_BY_NAME[name].bits_per_weight == bits


def test_a_file_type_is_a_label_with_or_without_the_mark_of_a_guess() -> None:
    assert types.file_type_name(15) == "Q4_K_M"
    assert types.file_type_name(15 + 1024) == "Q4_K_M"
    assert types.file_type_name(4) is None
    assert types.file_type_name(None) is None


# 24 bytes, then general.alignment (8 + 17 + 4 + 4) and general.architecture (8 + 20 + 4 + 8 + 5),
# then two tensor entries of 8 + 1 + 4 + 8 + 4 + 8: 24 + 33 + 45 + 66 = 168 bytes. Tensor a has
# 16 bytes. B052.
@pytest.mark.parametrize(
    ("alignment", "data", "second"), [(8, 168, 184), (16, 176, 192), (32, 192, 224), (64, 192, 256)]
)
def test_data_begin_at_the_next_multiple_of_the_alignment(
    tmp_path: Path, alignment: int, data: int, second: int
) -> None:
    builder = GGUFBuilder(alignment=alignment)
    builder.add("general.alignment", alignment).add("general.architecture", "llama")
    path = builder.tensor("a", (4,)).tensor("b", (4,)).write(tmp_path / "m.gguf")
    header = read_header(path, strict=True)
    assert header.alignment == alignment
    assert header.data_offset == data
    assert [t.offset for t in header.tensors] == [data, second]


def test_a_file_without_tensors_or_metadata_is_no_error(tmp_path: Path) -> None:  # B050
    path = write_gguf(tmp_path / "m.gguf", {})
    assert path.stat().st_size == 32
    header = read_header(path, strict=True)
    assert header.tensors == ()
    assert len(header.metadata) == 0
    assert header.tensor_bytes == 0


def test_header_of_24_bytes_without_padding_is_complete() -> None:
    assert parse(BytesSource(GGUFBuilder().header()[:24]), strict=True).tensors == ()


@pytest.mark.parametrize("element", [*EXTREMES, "array"])
def test_an_empty_array_is_an_empty_value(tmp_path: Path, element: str) -> None:  # B050
    path = write_gguf(tmp_path / "m.gguf", {"a": Array(element), "b": 7})
    header = read_header(path)
    array = header.metadata["a"]
    assert isinstance(array, GGUFArray)
    assert len(array) == 0
    assert array.values() == ()
    assert header.metadata["b"] == 7
    if element not in ("array", "string", "f32", "f64"):
        assert header.integers("a") == ()


def test_arrays_of_arrays_keep_their_shape_and_the_cursor_its_place(tmp_path: Path) -> None:
    nested = Array("array", [Array("u8", [1, 2]), Array("string", ["x", ""]), Array("array")])
    path = write_gguf(tmp_path / "m.gguf", {"a": nested, "after": "here"}, [("t", (8,), "F32")])
    header = read_header(path)
    array = header.metadata["a"]
    assert isinstance(array, GGUFArray)
    assert array.element_type == "array"
    assert array.values() == ((1, 2), ("x", ""), ())
    assert header.metadata["after"] == "here"
    assert header.tensors[0].bytes == 32
    assert [n.id for n in header.problems] == ["nested_array"]  # B048


def test_a_vocabulary_longer_than_any_window_is_read_like_a_short_one(tmp_path: Path) -> None:
    # B059. 120,000 tokens: 120,000 x (8 + about 7) = 1.8 MB, over window edges at odd places.
    metadata: dict[str, Value] = {**vocabulary_metadata(120_000), "last": "here"}
    path = write_gguf(tmp_path / "m.gguf", metadata, [("t", (256, 2), "Q4_K")])
    header = read_header(path, strict=True)
    tokens = header.metadata["tokenizer.ggml.tokens"]
    kinds = header.metadata["tokenizer.ggml.token_type"]
    assert isinstance(tokens, GGUFArray)
    assert isinstance(kinds, GGUFArray)
    assert len(tokens) == 120_000
    assert tokens.values() == tuple(f"tok{i:x}" for i in range(120_000))
    assert kinds.values() == (1,) * 120_000
    assert header.metadata["last"] == "here"
    assert header.tensors[0].bytes == 288


@pytest.mark.parametrize("size", [2**16 - 1, 2**16, 2**16 + 1, 2**20 - 60, 2**20, 3 * 2**20])
def test_a_string_of_any_length_is_read_back_whole(tmp_path: Path, size: int) -> None:
    text = ("0123456789abcdef" * (size // 16 + 1))[:size]
    values: dict[str, Value] = {"a": text, "b": 1, "c": Array("string", [text, "x", text]), "d": 2}
    header = read_header(write_gguf(tmp_path / "m.gguf", values), strict=True)
    assert header.metadata["a"] == text
    assert header.metadata["b"] == 1
    array = header.metadata["c"]
    assert isinstance(array, GGUFArray)
    assert array.values() == (text, "x", text)
    assert header.metadata["d"] == 2


def test_a_text_of_several_bytes_a_character_is_decoded_whole(tmp_path: Path) -> None:  # B058
    path = write_gguf(tmp_path / "m.gguf", {"a": "日本語🎉", "b": ["ß", "日"]})
    header = read_header(path, strict=True)
    array = header.metadata["b"]
    assert header.metadata["a"] == "日本語🎉"
    assert isinstance(array, GGUFArray)
    assert array.values() == ("ß", "日")


def test_a_chat_template_may_hold_line_breaks_and_tabs(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", {"tokenizer.chat_template": "{% if x %}\r\n\ty\n"})
    assert read_header(path, strict=True).problems == ()


def test_the_data_section_is_never_read(tmp_path: Path) -> None:
    # A model of 5.4 TB in a sparse file: reading any of it would take hours.
    path = write_gguf(tmp_path / "m.gguf", {}, [(f"w{i}", (2**14, 2**14, 100), "F16")
                                                for i in range(100)])  # fmt: skip
    header = read_header(path, strict=True)
    assert header.tensor_bytes == 100 * 2**14 * 2**14 * 100 * 2
    assert header.file_bytes == path.stat().st_size
    assert header.missing_bytes == 0


def test_reading_a_header_loads_no_heavy_library(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", {"a": [1, 2]}, [("w", (32,), "Q4_0")])
    code = (
        "import sys; from tokenroof.gguf import read_header; read_header(sys.argv[1])\n"
        "print([m for m in ('numpy', 'msgspec', 'gguf', 'click', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_an_ollama_blob_needs_no_suffix(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / ("sha256-" + "0" * 64), {"general.architecture": "llama"})
    assert read_header(path).text("general.architecture") == "llama"


def test_a_symlink_is_followed(tmp_path: Path) -> None:
    target = write_gguf(tmp_path / "m.gguf", {"a": 1})
    link = tmp_path / "link.gguf"
    link.symlink_to(target)
    assert read_header(link).integer("a") == 1
