"""llama.cpp itself as the judge: it loads what a recipe says, and its quantiser agrees, today."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.quantizer import (
    MODELS,
    dry_run,
    loads,
    types_of,
    write_converted,
    write_header,
    write_matrix,
)
from tokenroof.recipes import blueprint, entries, file_types, find

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("name", MODELS)
def test_llama_cpp_finds_every_tensor_it_wants_and_none_too_many(name: str, tmp_path: Path) -> None:
    header = blueprint(find(name)).header("F16")
    assert loads(write_header(header, tmp_path / "model.gguf")) is None


def test_llama_cpp_refuses_a_tensor_too_few_and_a_shape_too_wide(tmp_path: Path) -> None:
    made = blueprint(find("qwen3-0.6b"))
    del made.sketch.tensors["blk.3.attn_k_norm.weight"]
    assert "attn_k_norm" in (loads(write_header(made.header("F16"), tmp_path / "a.gguf")) or "")
    made = blueprint(find("qwen3-0.6b"))
    made.sketch.tensors["blk.3.ffn_up.weight"] = (1024, 3073)
    assert "ffn_up" in (loads(write_header(made.header("F16"), tmp_path / "b.gguf")) or "")


def test_the_quantiser_agrees_on_models_and_types_by_chance(tmp_path: Path) -> None:
    chance = random.Random(8)
    kinds = [kind.name for kind in file_types()]
    matrix = write_matrix(tmp_path / "matrix.gguf")
    for entry in chance.sample(entries(), 12):
        made = blueprint(entry)
        path = write_converted(made, tmp_path / "model.gguf")
        for kind in chance.sample(kinds, 4):
            for with_matrix in (False, True):
                done = dry_run(path, kind, matrix if with_matrix else None)
                if done.types is not None:
                    header = made.header(kind, matrix=with_matrix)
                    assert types_of(header) == done.types, (entry.id, kind, with_matrix)
                    assert f"{header.tensor_bytes / 2**20:.2f}" == done.mebibytes


def test_the_quantiser_refuses_what_the_recipe_refuses(tmp_path: Path) -> None:
    path = write_converted(blueprint(find("gpt-oss-20b")), tmp_path / "model.gguf")
    done = dry_run(path, "Q1_0")
    assert done.types is None
    assert "no tensor type fallback is defined for type q1_0" in done.output
    assert dry_run(path, "NVFP4").types is None
