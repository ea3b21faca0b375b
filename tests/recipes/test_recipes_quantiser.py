"""The quantiser's rules, held against what llama.cpp itself says, tensor by tensor."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.quantizer import MODELS, digest, recorded, types_of
from tokenroof.errors import InputError
from tokenroof.recipes import Blueprint, blueprint, blueprint_of_config, file_types, find
from tokenroof.recipes.quantise.untouched import is_quantised

DATA = Path(__file__).parent / "data"

SCHEMAS: dict[str, dict[str, tuple[str, dict[str, str]]]] = json.loads(
    gzip.decompress((DATA / "quant_schemas.json.gz").read_bytes())
)["models"]
SIZES: dict[str, dict[str, tuple[float | None, int]]] = json.loads(
    (DATA / "dry_run_sizes.json").read_text()
)["models"]

NAMES = {
    "deepseek-v3.1": "deepseek-v3.1",
    "gemma-3-4b-it": "gemma-3-4b",
    "glm-4.6v": "glm-4.6v",
    "gpt-oss-120b": "gpt-oss-120b",
    "meta-llama-3.1-70b-instruct": "llama-3.1-70b",
    "nvidia-nemotron-3-nano-30b-a3b": "nemotron-3-nano-30b-a3b",
    "qwen3-0.6b": "qwen3-0.6b",
    "qwen3-14b": "qwen3-14b",
    "qwen3-coder-next": "qwen3-coder-next",
    "qwen3.5-397b-a17b": "qwen3.5-397b-a17b",
    "qwen3.6-27b": "qwen3.6-27b",
    "step-3.5-flash": "step-3.5-flash",
}
"""llama.cpp's name of a published file, and ours of its model."""


@cache
def made(name: str) -> Blueprint:
    return blueprint(find(name))


def published(name: str) -> Blueprint:
    if name != "qwen3-0.6b":
        return made(NAMES[name])
    # The file that llama.cpp's tests were made from holds the tied matrix a second time.
    config = find(name).config | {"tie_word_embeddings": False}
    return blueprint_of_config(config, name, name)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_tensor_has_the_type_that_llama_cpp_expects_in_every_file_type(name: str) -> None:
    model = published(name)
    for kind, (base, others) in SCHEMAS[name].items():
        header = model.header(kind)
        got = {
            tensor.name: tensor.type
            for tensor in header.tensors
            if is_quantised(tensor.name, tensor.shape, model.sketch.architecture)
        }
        assert got == {tensor: others.get(tensor, base) for tensor in got}, kind
        assert set(others) <= set(got), kind


def test_the_schemas_are_there_for_all_models_and_types() -> None:
    assert set(SCHEMAS) == set(NAMES)
    assert {len(kinds) for kinds in SCHEMAS.values()} == {33}


@pytest.mark.parametrize("name", sorted(SIZES))
def test_sizes_are_those_that_a_dry_run_printed(name: str) -> None:
    for kind, (mebibytes, fallbacks) in SIZES[name].items():
        if mebibytes is None:
            with pytest.raises(InputError) as caught:
                made(name).header(kind)
            assert caught.value.message == "recipes.row_refused"
            continue
        header = made(name).header(kind)
        assert round(header.tensor_bytes / 2**20, 2) == mebibytes, kind
        notices = [each for each in header.problems if each.message == "recipes.fallback"]
        assert [each.values["tensors"] for each in notices] == (
            [str(fallbacks)] if fallbacks else []
        )


def test_the_recorded_sizes_cover_34_types_of_7_models() -> None:
    assert [len(kinds) for kinds in SIZES.values()] == [34] * 7


RUNS: dict[str, list[dict[str, Any]]] = {}
for run in recorded():
    RUNS.setdefault(str(run["model"]), []).append(run)


@pytest.mark.parametrize("name", MODELS)
def test_all_tensors_of_every_architecture_are_as_the_quantiser_would_write_them(
    name: str,
) -> None:
    model = made(name)
    assert len(RUNS[name]) == len(file_types()) + 6
    for run in RUNS[name]:
        if run.get("refused"):
            with pytest.raises(InputError):
                model.header(run["type"], matrix=run["matrix"])
            continue
        header = model.header(run["type"], matrix=run["matrix"])
        assert digest(types_of(header)) == run["digest"], (run["type"], run["matrix"])
        assert f"{header.tensor_bytes / 2**20:.2f}" == run["mib"]


def test_tensors_come_in_the_order_in_which_the_quantiser_writes_them() -> None:
    names = [tensor.name for tensor in made("qwen3-8b").header("Q4_0").tensors]
    assert names[:3] == ["output.weight", "output_norm.weight", "token_embd.weight"]
    assert names[3:6] == [
        "blk.0.attn_k.weight",
        "blk.0.attn_k_norm.weight",
        "blk.0.attn_norm.weight",
    ]
    # By the number of the layer, not by its digits.
    assert names.index("blk.9.attn_k.weight") < names.index("blk.10.attn_k.weight")


def test_a_row_that_does_not_fit_says_what_is_taken_instead() -> None:
    header = made("gemma-3-270m").header("Q4_K_M")
    notice = next(each for each in header.problems if each.message == "recipes.fallback")
    # From a dry run: q4_K falls back to q5_0, q6_K to q8_0, in rows of 640.
    assert notice.values == {"tensors": "90", "swaps": "Q4_K → Q5_0, Q6_K → Q8_0", "rows": "640"}


def test_a_type_with_nothing_to_take_instead_is_refused_with_the_tensor() -> None:
    with pytest.raises(InputError) as caught:
        made("gpt-oss-20b").header("Q1_0")
    assert caught.value.values["name"] == "token_embd.weight"
    assert caught.value.values["row"] == "2,880"
    assert caught.value.values["block"] == 128


def test_llama_3_1_8b_with_a_matrix_has_the_published_size_in_iq3_xxs() -> None:
    # llama.cpp's README of quantize: 3.04 GiB, which needs an importance matrix.
    assert round(made("llama-3.1-8b").tensor_bytes("IQ3_XXS", matrix=True) / 2**30, 2) == 3.04
    assert round(made("llama-3.1-8b").tensor_bytes("IQ3_XXS") / 2**30, 2) == 3.15
