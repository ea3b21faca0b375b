"""What is wrong with a file and does not stop it from being read, unless it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gguf_files import Array, GGUFBuilder, Typed, Value, write_gguf
from support.text import is_safe
from tokenroof.errors import GGUFError
from tokenroof.gguf import Header, read_header
from tokenroof.notices import Notice
from tokenroof.units import MIB


def read(path: Path, *ids: str, strict: bool = True) -> tuple[Header, tuple[Notice, ...]]:
    """The header of a file with exactly these problems; in strict mode the first is an error."""
    header = read_header(path)
    assert [n.id for n in header.problems] == list(ids)
    for notice in header.problems:
        assert is_safe(notice.text("en"))
        assert is_safe(notice.text("ja"))
    if strict:
        with pytest.raises(GGUFError) as caught:
            read_header(path, strict=True)
        assert caught.value.message == f"gguf.{ids[0]}"
        assert str(caught.value) == header.problems[0].text()
    else:
        read_header(path, strict=True)
    return header, header.problems


def build(tmp_path: Path, builder: GGUFBuilder) -> Path:
    return builder.write(tmp_path / "odd.gguf")


# Fault 9: keys and values


def test_an_empty_key_is_said_and_kept(tmp_path: Path) -> None:  # B046
    header, _ = read(build(tmp_path, GGUFBuilder().add("", 5).add("b", 6)), "empty_key")
    assert dict(header.metadata) == {"": 5, "b": 6}


def test_the_first_of_two_equal_keys_counts(tmp_path: Path) -> None:  # B046
    builder = GGUFBuilder().add("general.architecture", "llama").add("general.architecture", "x")
    header, (notice,) = read(build(tmp_path, builder), "duplicate_key")
    assert header.text("general.architecture") == "llama"
    assert notice.where == "general.architecture"
    assert "general.architecture" in notice.text()


def test_a_key_that_is_not_utf8_is_shown_escaped(tmp_path: Path) -> None:
    header, (notice,) = read(build(tmp_path, GGUFBuilder().add(b"a\xff", 1)), "odd_key")
    assert list(header.metadata) == ["a\\xff"]
    assert notice.where == "a\\xff"


def test_two_keys_of_other_bytes_stay_two_keys(tmp_path: Path) -> None:
    builder = GGUFBuilder().add(b"\xff", 1).add(b"\xfe", 2)
    header, _ = read(build(tmp_path, builder), "odd_key", "odd_key")
    assert sorted(header.metadata.values()) == [1, 2]  # type: ignore[type-var]


@pytest.mark.parametrize("character", ["\x1b[31m", "\n", "\x00", "\x7f", "\x9b", "\u202e"])
def test_a_key_with_characters_that_act_is_shown_escaped(tmp_path: Path, character: str) -> None:
    key = f"a{character}b"
    problem = () if character == "\n" else ("odd_key",)
    path = build(tmp_path, GGUFBuilder().add(key, 1))
    if problem:
        header, (notice,) = read(path, *problem)
        assert notice.where is not None
        assert is_safe(notice.where)
    else:
        header = read_header(path)
    assert header.metadata[key] == 1


def test_a_value_that_is_not_utf8_gets_replacement_characters(tmp_path: Path) -> None:  # B058
    header, _ = read(build(tmp_path, GGUFBuilder().add("general.name", b"a\xffb")), "not_utf8")
    assert header.text("general.name") == "a\ufffdb"


def test_a_value_with_an_escape_sequence_is_said(tmp_path: Path) -> None:
    path = build(tmp_path, GGUFBuilder().add("general.name", "\x1b]0;owned\x07"))
    _, (notice,) = read(path, "control_characters")
    assert notice.where == "general.name"


def test_a_bool_of_seven_is_true(tmp_path: Path) -> None:  # B055
    header, (notice,) = read(build(tmp_path, GGUFBuilder().add("a", Typed("bool", 7))), "odd_bool")
    assert header.metadata["a"] is True
    assert "7" in notice.text()


# Fault 10: alignment


@pytest.mark.parametrize("alignment", [24, 40, 4, 1, 12])
def test_an_odd_alignment_is_used_and_said(tmp_path: Path, alignment: int) -> None:  # B052
    builder = GGUFBuilder(alignment=alignment).add("general.alignment", alignment)
    path = build(tmp_path, builder.tensor("a", (4,)).tensor("b", (4,)))
    header, _ = read(path, "alignment_odd")
    assert header.alignment == alignment
    # 24 bytes of header, 33 of the pair, two entries of 33: 123.
    begin = -(-123 // alignment) * alignment
    assert header.data_offset == begin
    assert header.tensors[1].offset == begin + -(-16 // alignment) * alignment


def test_an_alignment_of_another_width_is_used_and_said(tmp_path: Path) -> None:  # B052
    builder = GGUFBuilder(alignment=64).add("general.alignment", Typed("u64", 64))
    header, _ = read(build(tmp_path, builder.tensor("a", (4,))), "alignment_type")
    assert header.alignment == 64


@pytest.mark.parametrize("value", ["64", 64.0, True, [64]])
def test_an_alignment_that_is_no_number_leaves_the_default(tmp_path: Path, value: Value) -> None:
    path = build(tmp_path, GGUFBuilder().add("general.alignment", value).tensor("a", (4,)))
    header, _ = read(path, "alignment_type")
    assert header.alignment == 32


def test_an_absurd_alignment_puts_the_data_past_the_end(tmp_path: Path) -> None:  # B052
    builder = GGUFBuilder().add("general.alignment", 2**30).tensor("a", (4,))
    header, (notice,) = read(build(tmp_path, builder), "data_past_end")
    assert header.data_offset == 2**30
    assert "1,073,741,824" in notice.text()


# Faults 11 and 12: dimensions


def test_a_zero_dimension_takes_no_bytes_and_divides_nothing(tmp_path: Path) -> None:  # B045
    builder = GGUFBuilder().tensor("a", (4, 0)).tensor("b", (0,), "Q4_K").tensor("c", (4,))
    header, _ = read(build(tmp_path, builder), "zero_dimension", "zero_dimension", strict=False)
    assert [t.bytes for t in header.tensors] == [0, 0, 16]
    assert [t.elements for t in header.tensors] == [0, 0, 4]
    assert header.tensor_bytes == 16


def test_a_tensor_without_dimensions_is_one_element(tmp_path: Path) -> None:
    header = read_header(build(tmp_path, GGUFBuilder().tensor("a", (), "F32")), strict=True)
    assert header.tensors[0].elements == 1
    assert header.tensors[0].bytes == 4


def test_five_dimensions_are_read_and_said(tmp_path: Path) -> None:  # B055
    path = build(tmp_path, GGUFBuilder().tensor("w", (2, 2, 2, 2, 2)))
    header, (notice,) = read(path, "dimensions")
    assert header.tensors[0].bytes == 128
    assert "at most 4" in notice.text()


def test_a_long_tensor_name_is_read_and_said(tmp_path: Path) -> None:  # B055
    builder = GGUFBuilder().tensor("n" * 63, (32,)).tensor("m" * 200, (32,))
    header, (notice,) = read(build(tmp_path, builder), "long_name")
    assert header.tensors[1].name == "m" * 200
    assert header.tensors[1].bytes == 128
    assert "200 bytes" in notice.text()


def test_tensor_names_with_characters_that_act_are_said(tmp_path: Path) -> None:
    builder = GGUFBuilder().tensor("a\x1b[2J", (8,)).tensor(b"b\xff", (8,)).tensor("", (8,))
    header, notices = read(build(tmp_path, builder), "odd_name", "odd_name", "empty_name")
    assert [n.where for n in notices] == ["a\\x1b[2J", "b\\xff", None]
    assert [t.name for t in header.tensors] == ["a\x1b[2J", "b\\xff", ""]


def test_a_doubled_tensor_is_counted_once(tmp_path: Path) -> None:  # B046
    builder = GGUFBuilder().tensor("w", (8,)).tensor("w", (8,)).tensor("v", (8,))
    path = build(tmp_path, builder)
    header, notices = read(path, "duplicate_tensor", "gap")
    assert [t.name for t in header.tensors] == ["w", "v"]
    assert header.tensor_bytes == 64
    assert notices[0].where == "w"


# Fault 13: types


@pytest.mark.parametrize("kind", [43, 99, 153, 2**32 - 1])
def test_an_unknown_type_is_sized_by_what_follows(tmp_path: Path, kind: int) -> None:  # B056
    builder = GGUFBuilder().tensor("a", (64,), "Q8_0").tensor("b", (256, 3), kind)
    builder.tensor("c", (8,), offset=96 + 512)
    header, (notice,) = read(build(tmp_path, builder), "unknown_type")
    a, b, c = header.tensors
    assert (a.bytes, a.size_inferred) == (68, False)
    # It lies at 96, since 68 is padded to 96; the next one begins at 608.
    assert (b.bytes, b.size_inferred, b.type, b.type_id) == (512, True, f"type {kind}", kind)
    assert (c.bytes, c.size_inferred) == (32, False)
    assert header.tensor_bytes == 68 + 512 + 32
    assert str(kind) in notice.text()


def test_the_last_tensor_of_unknown_type_ends_with_the_file(tmp_path: Path) -> None:
    data = GGUFBuilder().tensor("a", (8,)).tensor("b", (256,), 153).build()
    path = tmp_path / "odd.gguf"
    path.write_bytes(data + bytes(1000))
    header, _ = read(path, "unknown_type")
    assert header.tensors[1].bytes == 1000


@pytest.mark.parametrize("kind", [4, 5, 31, 32, 33, 36, 37, 38])
def test_a_withdrawn_type_is_named_and_sized_by_what_follows(tmp_path: Path, kind: int) -> None:
    builder = GGUFBuilder().tensor("a", (64,), kind).tensor("b", (8,), offset=64)
    header, (notice,) = read(build(tmp_path, builder), "withdrawn_type")
    assert header.tensors[0].bytes == 64
    assert header.tensors[0].size_inferred
    assert header.tensors[0].type in notice.text()
    assert header.tensors[0].type.startswith(("Q4_", "IQ4_"))


# Fault 14: how tensors lie


def test_a_row_of_no_whole_blocks_counts_whole_blocks(tmp_path: Path) -> None:  # B056
    builder = GGUFBuilder().tensor("w", (31, 2), "Q4_0").tensor("v", (8,), offset=64)
    header, (notice,) = read(build(tmp_path, builder), "broken_row")
    assert header.tensors[0].bytes == 2 * 18
    assert header.tensors[0].size_inferred
    assert "31" in notice.text()


def test_an_unaligned_offset_is_said(tmp_path: Path) -> None:
    builder = GGUFBuilder().tensor("a", (8,)).tensor("b", (8,), offset=33)
    header, (notice,) = read(build(tmp_path, builder), "unaligned")
    assert notice.where == "b"
    assert header.data_offset is not None
    assert header.tensors[1].offset == header.data_offset + 33


def test_overlapping_tensors_are_counted_by_their_union(tmp_path: Path) -> None:
    # a: 0-128, b: 64-96 inside it, c: 96-160, whose first 32 bytes are a's.
    builder = GGUFBuilder().tensor("a", (32,)).tensor("b", (8,), offset=64)
    header, notices = read(
        build(tmp_path, builder.tensor("c", (16,), offset=96)), "overlap", "overlap"
    )
    assert header.tensor_bytes == 160
    assert [n.values["bytes"] for n in notices] == [32, 32]
    assert [n.values["other"] for n in notices] == ["a", "a"]


def test_bytes_of_no_tensor_are_said(tmp_path: Path) -> None:
    builder = GGUFBuilder().tensor("a", (8,), offset=64).tensor("b", (8,), offset=1024)
    header, notices = read(build(tmp_path, builder), "gap", "gap")
    assert [n.values["bytes"] for n in notices] == [64, 1024 - 96]
    assert header.tensor_bytes == 64


def test_tensors_out_of_order_are_read_and_said(tmp_path: Path) -> None:
    builder = GGUFBuilder().tensor("b", (8,), offset=32).tensor("a", (8,), offset=0)
    header, _ = read(build(tmp_path, builder), "out_of_order")
    assert [t.name for t in header.tensors] == ["b", "a"]
    assert header.tensor_bytes == 64


# Fault 15: the download that stopped


def test_a_partial_download_has_a_header_and_says_what_is_missing(tmp_path: Path) -> None:  # B057
    metadata = {"general.architecture": "llama"}
    tensors = [("w", (2**20, 2**10), "F32")]  # 4 GiB
    whole = write_gguf(tmp_path / "whole.gguf", metadata, tensors).stat().st_size
    begin = whole - 2**32
    path = write_gguf(tmp_path / "m.gguf", metadata, tensors, present_bytes=begin + 2**30)
    header, (notice,) = read(path, "partial")
    assert header.tensors[0].bytes == 2**32
    assert header.promised_bytes == whole
    assert header.present_bytes == header.file_bytes == begin + 2**30
    assert header.missing_bytes == 3 * 2**30
    assert notice.text() == (
        "The file is 25 % present; 3.00 GiB are missing, so the download is incomplete."
    )


def test_one_missing_byte_is_never_a_whole_file(tmp_path: Path) -> None:
    tensors = [("w", (MIB,), "I8")]
    whole = write_gguf(tmp_path / "whole.gguf", {}, tensors).stat().st_size
    path = write_gguf(tmp_path / "m.gguf", {}, tensors, present_bytes=whole - 1)
    _, (notice,) = read(path, "partial")
    assert "99 % present; 1 B are missing" in notice.text()


def test_a_file_may_end_with_its_last_tensor_without_padding(tmp_path: Path) -> None:
    builder = GGUFBuilder().tensor("w", (5,), "I8")
    path = builder.write(tmp_path / "m.gguf", present_bytes=len(builder.header()) + 5)
    assert read_header(path, strict=True).missing_bytes == 0


def test_tensors_without_bytes_need_no_data_section(tmp_path: Path) -> None:
    data = GGUFBuilder().tensor("w", (4, 0)).header().rstrip(b"\0")
    path = tmp_path / "m.gguf"
    path.write_bytes(data.ljust(24 + 8 + 1 + 4 + 16 + 12, b"\0"))  # without its padding
    header = read_header(path, strict=True)
    assert header.data_offset == 96 > path.stat().st_size
    assert header.missing_bytes == 0


def test_a_split_name_without_a_split_is_said(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m-00001-of-00003.gguf", {"a": 1})
    header, _ = read(path, "split_in_name_only")
    assert header.parts == 1


# Honest but unfamiliar


def test_an_unfamiliar_architecture_is_no_problem(tmp_path: Path) -> None:  # B057
    metadata: dict[str, Value] = {
        "general.architecture": "neverheardof",
        "neverheardof.expert_count": 8,
        "neverheardof.odd": Array("f32", [1.0]),
    }
    path = write_gguf(tmp_path / "m.gguf", metadata, [("blk.0.strange_exps", (64, 8, 8), "Q4_0")])
    assert read_header(path, strict=True).problems == ()


def test_problems_beyond_a_hundred_are_counted(tmp_path: Path) -> None:
    builder = GGUFBuilder()
    for number in range(250):
        builder.tensor(f"t{number}", (4, 0))
    problems = read_header(build(tmp_path, builder)).problems
    assert len(problems) == 101
    assert problems[-1].id == "more_problems"
    assert "150 more" in problems[-1].text()
