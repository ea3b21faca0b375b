"""Split sets: one model, whichever of its files is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gguf_files import Typed, Value, write_gguf, write_split_gguf
from support.text import is_safe
from tokenroof.errors import AmbiguousName, GGUFError, NotFound
from tokenroof.gguf import read_header

METADATA: dict[str, Value] = {"general.architecture": "llama", "llama.block_count": 2}
EMBEDDING = ("token_embd.weight", (256, 100), "Q6_K")  # 100 x 210 bytes
LAYER = ("blk.0.ffn_up.weight", (256, 512), "Q4_K")  # 512 x 144
HEAD = ("output.weight", (256, 100), "Q6_K")


def write_set(folder: Path, stem: str = "model") -> list[Path]:
    """Three parts; the first holds no tensors, the head lies in the last."""
    return write_split_gguf(folder, stem, METADATA, [[], [EMBEDDING, LAYER], [HEAD]])


@pytest.mark.parametrize("opened", [0, 1, 2, None])
def test_the_set_is_the_same_from_any_part_and_from_its_folder(  # B039
    tmp_path: Path, opened: int | None
) -> None:
    paths = write_set(tmp_path)
    header = read_header(tmp_path if opened is None else paths[opened], strict=True)
    assert header.parts == 3
    assert header.paths == tuple(paths)
    assert header.text("general.architecture") == "llama"
    assert [(t.name, t.part) for t in header.tensors] == [
        ("token_embd.weight", 1), ("blk.0.ffn_up.weight", 1), ("output.weight", 2),
    ]  # fmt: skip
    assert header.tensor_bytes == 21_000 + 73_728 + 21_000
    assert header.file_bytes == sum(p.stat().st_size for p in paths)
    assert header.missing_bytes == 0


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_missing_part_is_named(tmp_path: Path, lost: int) -> None:
    paths = write_set(tmp_path)
    paths[lost - 1].unlink()
    for place in (paths[lost % 3], tmp_path):
        with pytest.raises(GGUFError) as caught:
            read_header(place)
        assert caught.value.message == "gguf.part_missing"
        assert f"part {lost} (model-0000{lost}-of-00003.gguf)" in str(caught.value)
        assert is_safe(caught.value.text("ja"))


def test_parts_that_are_not_all_there_yet_add_up(tmp_path: Path) -> None:
    paths = write_set(tmp_path)
    with paths[2].open("r+b") as file:
        file.truncate(paths[2].stat().st_size - 5_000)
    header = read_header(paths[0])
    # The file was padded from 21,000 to 21,024 bytes, so 4,976 of the promised ones are missing.
    assert header.missing_bytes == 4_976
    assert [n.id for n in header.problems] == ["partial"]


def test_symlinked_parts_are_found_by_the_names_of_the_links(tmp_path: Path) -> None:
    blobs, links = tmp_path / "blobs", tmp_path / "links"
    blobs.mkdir()
    links.mkdir()
    for number, path in enumerate(write_set(blobs)):
        blob = path.rename(blobs / f"{number:064x}")
        (links / path.name).symlink_to(blob)
    assert len(read_header(links / "model-00002-of-00003.gguf").tensors) == 3


def test_a_renamed_part_is_refused_with_the_names_it_should_have(tmp_path: Path) -> None:
    path = write_set(tmp_path)[0].rename(tmp_path / "renamed.gguf")
    with pytest.raises(GGUFError) as caught:
        read_header(path)
    assert caught.value.message == "gguf.split_name"
    assert "NAME-00001-of-00003.gguf" in str(caught.value)


@pytest.mark.parametrize(
    ("part", "changes", "key"),
    [
        (1, {"split.no": Typed("u16", 2)}, "split.no"),
        (2, {"split.no": Typed("u16", 3)}, "split.no"),
        (1, {"split.count": Typed("u16", 4)}, "split.count"),
        (1, {"split.count": "three"}, "split.count"),
        (2, {"general.architecture": "qwen3"}, "general.architecture"),
    ],
)
def test_a_part_that_does_not_belong_is_refused(
    tmp_path: Path, part: int, changes: dict[str, Value], key: str
) -> None:
    paths = write_set(tmp_path)
    values: dict[str, Value] = {
        "split.no": Typed("u16", part),
        "split.count": Typed("u16", 3),
        "split.tensors.count": Typed("i32", 3),
    }
    write_gguf(paths[part], values | changes, [HEAD])
    with pytest.raises(GGUFError) as caught:
        read_header(paths[0])
    assert caught.value.message == "gguf.split_disagrees"
    assert caught.value.values["key"] == key


def test_a_part_with_too_few_tensors_is_refused(tmp_path: Path) -> None:
    paths = write_set(tmp_path)
    write_gguf(paths[1], {"split.no": Typed("u16", 1), "split.count": Typed("u16", 3)}, [LAYER])
    with pytest.raises(GGUFError) as caught:
        read_header(paths[2])
    assert caught.value.message == "gguf.split_disagrees"
    assert caught.value.values["key"] == "split.tensors.count"
    assert (caught.value.values["found"], caught.value.values["expected"]) == ("3", "2")


def test_a_name_that_counts_other_parts_than_the_header_is_refused(tmp_path: Path) -> None:
    path = write_set(tmp_path)[0].rename(tmp_path / "model-00001-of-00002.gguf")
    with pytest.raises(GGUFError) as caught:
        read_header(path)
    assert caught.value.message == "gguf.split_disagrees"


def test_a_tensor_of_two_parts_is_counted_once(tmp_path: Path) -> None:
    paths = write_split_gguf(tmp_path, "m", METADATA, [[LAYER], [LAYER, HEAD]])
    header = read_header(paths[0])
    assert [t.name for t in header.tensors] == ["blk.0.ffn_up.weight", "output.weight"]
    assert header.tensor_bytes == 73_728 + 21_000
    assert [n.id for n in header.problems] == ["duplicate_tensor"]
    with pytest.raises(GGUFError):
        read_header(paths[0], strict=True)


def test_a_set_of_one_part_is_a_file(tmp_path: Path) -> None:
    (path,) = write_split_gguf(tmp_path, "m", METADATA, [[LAYER]])
    assert read_header(path, strict=True).parts == 1


def test_a_folder_with_one_model_and_its_projector_is_that_model(tmp_path: Path) -> None:
    write_gguf(tmp_path / "mmproj-model-f16.gguf", {"general.architecture": "clip"})
    write_gguf(tmp_path / "model.gguf", METADATA)
    (tmp_path / "README.md").write_text("hello")
    assert read_header(tmp_path).text("general.architecture") == "llama"


def test_a_folder_with_several_models_names_them(tmp_path: Path) -> None:
    write_set(tmp_path, "big")
    write_gguf(tmp_path / "small.gguf", METADATA)
    with pytest.raises(AmbiguousName) as caught:
        read_header(tmp_path)
    assert caught.value.exit_code == 2
    assert caught.value.values["candidates"] == ["big-00001-of-00003.gguf", "small.gguf"]
    assert "small.gguf" in str(caught.value)


def test_a_folder_without_a_model_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        read_header(tmp_path)
    assert caught.value.message == "gguf.no_model_in_folder"
