"""A name means one file, or an error that says what to type instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.gguf_files import TensorSpec, write_split_gguf
from tokenroof.errors import AmbiguousName, GGUFError, InputError, NotFound, UsageError
from tokenroof.library import open_header, resolve


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_bytes(b"GGUF")


def test_a_path_to_a_file_is_that_file(tmp_path: Path) -> None:
    put(tmp_path, "a.gguf")
    assert resolve(str(tmp_path / "a.gguf")) == tmp_path / "a.gguf"


def test_a_file_need_not_be_called_gguf(tmp_path: Path) -> None:
    put(tmp_path, "sha256-0123")
    assert resolve(str(tmp_path / "sha256-0123")) == tmp_path / "sha256-0123"


def test_any_part_of_a_split_set_is_taken_as_it_is(tmp_path: Path) -> None:
    put(tmp_path, "m-00001-of-00002.gguf", "m-00002-of-00002.gguf")
    part = tmp_path / "m-00002-of-00002.gguf"
    assert resolve(str(part)) == part


def test_a_folder_with_one_model_is_that_model(tmp_path: Path) -> None:
    put(tmp_path, "only.gguf", "readme.md")
    assert resolve(str(tmp_path)) == tmp_path / "only.gguf"


def test_a_folder_with_one_split_set_is_its_first_part(tmp_path: Path) -> None:
    put(tmp_path, "m-00002-of-00002.gguf", "m-00001-of-00002.gguf")
    assert resolve(str(tmp_path)) == tmp_path / "m-00001-of-00002.gguf"


def test_a_folder_with_two_models_is_ambiguous_and_lists_them(tmp_path: Path) -> None:
    put(tmp_path, "a.gguf", "b.gguf")
    with pytest.raises(AmbiguousName) as caught:
        resolve(str(tmp_path))
    assert caught.value.exit_code == 2
    assert "a.gguf" in str(caught.value)
    assert "b.gguf" in str(caught.value)


def test_a_folder_without_a_model_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path))
    assert caught.value.message == "library.empty_folder"


def test_an_unknown_name_is_answered_with_the_three_closest(tmp_path: Path) -> None:
    near = ["qwen3-8b-Q4_K_M.gguf", "qwen3-8b-Q5_K_M.gguf", "qwen3-8b-Q6_K.gguf"]
    put(tmp_path, *near, "qwen3-8b-Q4_K_M.txt", "unlike.gguf", "qwen2-1b-F16.gguf")
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path / "QWEN3-8b-q4_k_m.guf"))
    sentence = str(caught.value)
    assert caught.value.exit_code == 3
    assert all(name in sentence for name in near)
    assert "unlike" not in sentence
    assert ".txt" not in sentence


def test_a_name_that_resembles_nothing_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path / "zzz.gguf"))
    assert caught.value.message == "library.not_found"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path / "nowhere" / "a.gguf"))
    assert caught.value.values["folder"] == str(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["ollama:a b", "hf:a/b/../c.gguf", "https://", "gopher://x/y"])
def test_a_name_that_only_looks_like_one_of_a_source_is_refused_plainly(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(name)
    assert caught.value.exit_code == 2


def test_a_prefix_is_never_taken_over_by_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "ollama:qwen3")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound) as caught:
        resolve("ollama:qwen3")
    assert caught.value.message == "library.ollama_not_found"
    assert resolve("./ollama:qwen3") == Path("ollama:qwen3")


def test_a_folder_is_its_model_and_not_the_projector_beside_it(tmp_path: Path) -> None:
    put(tmp_path, "gemma-3-4b.gguf", "mmproj-gemma-3-4b-f16.gguf")
    assert resolve(str(tmp_path)) == tmp_path / "gemma-3-4b.gguf"


def test_a_folder_with_nothing_but_a_projector_is_that(tmp_path: Path) -> None:
    put(tmp_path, "mmproj-gemma-3-4b-f16.gguf")
    assert resolve(str(tmp_path)) == tmp_path / "mmproj-gemma-3-4b-f16.gguf"


def test_a_folder_that_lacks_the_first_part_gives_the_first_there_is(tmp_path: Path) -> None:
    """So that the reader can say which part is missing."""
    put(tmp_path, "m-00003-of-00003.gguf", "m-00002-of-00003.gguf")
    assert resolve(str(tmp_path)) == tmp_path / "m-00002-of-00003.gguf"


def test_a_part_that_is_missing_is_named_as_missing(tmp_path: Path) -> None:
    """Not as unknown: the rest of its set lies beside it."""
    shards: list[list[TensorSpec]] = [[(f"t{number}", (32,), "F32")] for number in range(3)]
    parts = write_split_gguf(tmp_path, "m", {"general.architecture": "llama"}, shards)
    parts[1].unlink()
    with pytest.raises(GGUFError) as caught:
        open_header(str(parts[1]))
    assert caught.value.message == "gguf.part_missing"
    assert caught.value.values["missing"] == "m-00002-of-00003.gguf"


def test_a_part_of_another_set_is_not_one_of_this(tmp_path: Path) -> None:
    put(tmp_path, "m-00001-of-00002.gguf", "n-00001-of-00003.gguf")
    with pytest.raises(NotFound):
        resolve(str(tmp_path / "m-00002-of-00003.gguf"))


def test_what_begins_like_the_name_is_nearer_than_what_resembles_it(tmp_path: Path) -> None:
    put(tmp_path, "foo-instruct-2507-q4_k_m.gguf", "short.gguf", "fog.gguf")
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path / "foo"))
    assert str(caught.value.values["closest"]).startswith("foo-instruct-2507-q4_k_m.gguf")


@pytest.mark.parametrize("name", ["", "   "])
def test_an_empty_name_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError):
        resolve(name)


@pytest.mark.parametrize("name", ["a\0b.gguf", "x" * 5000])
def test_a_name_that_the_system_refuses_is_our_error(name: str) -> None:
    with pytest.raises(InputError):
        resolve(name)


def test_a_hostile_name_reaches_no_terminal_as_it_is(tmp_path: Path) -> None:
    put(tmp_path, "evil\x1b[31m.gguf")
    with pytest.raises(NotFound) as caught:
        resolve(str(tmp_path / "evil\x1b[31m\n\u202e.guf"))
    sentence = str(caught.value)
    assert not {"\x1b", "\n", "\u202e"} & set(sentence)
    assert "evil\\x1b[31m.gguf" in sentence


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError) as caught:
        resolve(str(tmp_path / "pipe"))
    assert caught.value.message == "library.not_a_file"
