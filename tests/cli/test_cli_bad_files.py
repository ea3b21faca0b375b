"""Files that are no models: one plain sentence, exit code 3, within every verb that takes one."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from support import fake_world
from support.commands import Tokenroof


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def not_a_gguf(path: Path) -> None:
    path.write_bytes(b"hello, I am a text, and not a model at all\n" * 4)


def web_page(path: Path) -> None:
    path.write_text("<!DOCTYPE html><html><head><title>404</title></head></html>")


def truncated_header(path: Path) -> None:
    with fake_world.model_file(path.parent, name="whole.gguf").open("rb") as whole:
        path.write_bytes(whole.read(5000))


def length_of_2_to_63(path: Path) -> None:
    # version 3, no tensors, one key whose length is 2^63
    path.write_bytes(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63) + b"x" * 64)


def contradiction(path: Path) -> None:
    from support.gguf_files import write_gguf

    write_gguf(path, {"general.architecture": "llama", "llama.embedding_length": 64}, [])


BAD = [nothing, not_a_gguf, web_page, truncated_header, length_of_2_to_63, contradiction]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    ("verb", "make"),
    # Inspection describes a file that contradicts itself; whoever needs a figure of it refuses.
    [("inspect", make) for make in BAD if make is not contradiction]
    + [(verb, make) for verb in ("estimate", "bench", "lab") for make in BAD],
)
def test_a_file_that_is_no_model_is_one_sentence_and_exit_3(
    tokenroof: Tokenroof,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    verb: str,
    language: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.gguf"
    make(path)
    more = ["--bandwidth", "256"] if verb == "estimate" else []
    outcome = tokenroof(verb, path, *more, "--lang", language)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.count("\n") == 1
    assert "mistake of its own" not in outcome.err
    assert not (tmp_path / "lab").exists()


@pytest.mark.parametrize("verb", ["inspect", "bench", "lab"])
def test_a_missing_file_is_answered_with_the_closest_names(
    tokenroof: Tokenroof, tmp_path: Path, verb: str
) -> None:
    fake_world.model_file(tmp_path, name="model-a.gguf")
    outcome = tokenroof(verb, tmp_path / "model-b.gguf")
    assert outcome.code == 3
    assert "model-a.gguf" in outcome.err


@pytest.mark.parametrize("verb", ["bench", "lab"])
def test_an_incomplete_download_is_inspected_but_not_measured(
    tokenroof: Tokenroof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    engine = fake_world.enter(monkeypatch, tmp_path / "data")
    path = fake_world.model_file(tmp_path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 2**30)
    assert tokenroof("inspect", path).code == 0
    outcome = tokenroof(verb, path)
    assert outcome.code == 3
    assert "1.00 GiB" in outcome.err
    assert engine.loads == 0


def test_a_name_that_could_mean_two_models_is_a_usage_error(
    tokenroof: Tokenroof, tmp_path: Path
) -> None:
    fake_world.model_file(tmp_path, name="a.gguf")
    fake_world.model_file(tmp_path, name="b.gguf")
    outcome = tokenroof("inspect", tmp_path)
    assert outcome.code == 2
    assert "a.gguf" in outcome.err
    assert "b.gguf" in outcome.err
