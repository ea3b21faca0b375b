"""The files that a calibration writes are models, to every reader and to the engine."""

from __future__ import annotations

import errno
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gguf.quants import dequantize

from gguf import GGMLQuantizationType, GGUFReader
from support.llama_tools import tool
from tokenroof.calibrate import writer
from tokenroof.calibrate.blocks import writable_types
from tokenroof.calibrate.design import BASE, EXPERTS, ONE_HEAD, trials
from tokenroof.calibrate.learning import model_of
from tokenroof.calibrate.shapes import LEAST_VOCABULARY, Shape
from tokenroof.calibrate.writer import file_bytes, write_model
from tokenroof.engines import registry
from tokenroof.engines.base import Request
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import OutputError
from tokenroof.gguf import read_header
from tokenroof.model import build_model
from tokenroof.records import Settings

SMALL = replace(BASE, name="small", layers=2, width=256, feed_forward=512, heads=4, kv_heads=2)
WINDOW = replace(ONE_HEAD, name="window", layers=6, width=256, feed_forward=512, window=64)
MIXED = replace(
    EXPERTS, name="experts", layers=2, width=256, feed_forward=256, heads=4, kv_heads=2,
    experts=4, experts_used=2,
)  # fmt: skip
SHAPES = [
    *(replace(SMALL, name=name, type_name=name) for name in writable_types()),
    WINDOW,
    MIXED,
    replace(SMALL, name="tied", tied=True, vocabulary=LEAST_VOCABULARY + 50),
]


@pytest.mark.parametrize("shape", [SMALL, WINDOW, MIXED], ids=lambda shape: shape.name)
def test_another_reader_finds_what_the_shape_says(shape: Shape, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    size = write_model(shape, path)
    assert size == path.stat().st_size <= file_bytes(shape) + 40_000
    found = {each.name: each for each in GGUFReader(path).tensors}
    wanted = {each.name: each for each in shape.tensors()}
    assert found.keys() == wanted.keys()
    for name, tensor in wanted.items():
        assert tuple(found[name].shape) == tensor.dimensions
        assert found[name].tensor_type.name == tensor.type_name
        assert found[name].n_bytes == writer.tensor_bytes(tensor)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_engine_runs_it_and_counts_a_token_for_each_letter(
    shape: Shape, tmp_path: Path
) -> None:
    path = tmp_path / "m.gguf"
    write_model(shape, path)
    engine = registry.pick("embedded", EngineOptions())
    try:
        engine.load(path, Settings(context=128, threads=2))
        reply = engine.run(Request(prompt="abcdefghij", output_tokens=3))
    finally:
        engine.close()
    assert reply.prompt_tokens == 11  # one more at the head
    assert reply.output_steps == 3


@pytest.mark.parametrize("shape", [SMALL, WINDOW, MIXED], ids=lambda shape: shape.name)
def test_a_shape_is_the_model_that_its_file_holds(shape: Shape, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    write_model(shape, path)
    of_file, of_shape = build_model(read_header(path)), model_of(shape)
    assert of_file.is_understood
    assert of_file.decode_weight_bytes == of_shape.decode_weight_bytes
    assert of_file.kv_read(100) == of_shape.kv_read(100)


@pytest.mark.parametrize(
    "shape", [replace(MIXED, layers=12), WINDOW, SMALL, SHAPES[-1]], ids=lambda shape: shape.name
)
def test_llama_cpps_copy_of_a_file_is_the_file(shape: Shape, tmp_path: Path) -> None:
    path, copy = tmp_path / "m.gguf", tmp_path / "copy.gguf"
    write_model(shape, path)
    subprocess.run([tool("llama-quantize"), path, copy, "COPY"], check=True, capture_output=True)
    assert copy.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("type_name", writable_types())
def test_the_end_of_a_text_never_has_the_best_score(type_name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    write_model(replace(SMALL, type_name=type_name), path)
    (head,) = (each for each in read_header(path).tensors if each.name == "output.weight")
    written = path.read_bytes()[head.offset : head.offset + head.bytes]
    data = np.frombuffer(written, np.uint8)
    rows = dequantize(data.reshape(LEAST_VOCABULARY, -1), GGMLQuantizationType[type_name])
    # A row of zeros scores 0; of the others, half score more, whatever they are multiplied with.
    assert [not row.any() for row in rows] == [number == 2 for number in range(LEAST_VOCABULARY)]


def test_the_weights_read_are_those_of_the_shape_by_hand() -> None:
    # Q4_K holds 256 weights in 144 bytes. A layer of BASE: q and o 1024 x 1024, k and v 1024 x 256,
    # three of 1024 x 2816; two norms of 1024 in F32. 24 layers, a norm, a head of 354 tokens, and
    # the row of the token that is looked up.
    layer = (2 * 1024 * 1024 + 2 * 1024 * 256 + 3 * 1024 * 2816) * 144 // 256 + 2 * 1024 * 4
    head = LEAST_VOCABULARY * 1024 * 144 // 256
    expected = 24 * layer + 1024 * 4 + head + 1024 * 144 // 256
    assert LEAST_VOCABULARY == 354
    assert model_of(BASE).decode_weight_bytes == expected


def test_every_model_of_the_designs_is_understood_and_larger_than_a_cache() -> None:
    for mode in ("quick", "full"):
        for trial in trials(mode):
            assert model_of(trial.shape).is_understood
            assert file_bytes(trial.shape) > 110e6


def test_a_full_disk_is_one_sentence_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer, "_pool", full)
    path = tmp_path / "m.gguf"
    with pytest.raises(OutputError, match="No space left on device"):
        write_model(SMALL, path)
    assert not path.exists()
