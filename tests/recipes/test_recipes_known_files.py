"""Recipes against files that people have: sizes that they published, and the article's figures."""

from __future__ import annotations

import pytest

from tokenroof.errors import InputError
from tokenroof.model import build_model
from tokenroof.recipes import blueprint, find, ollama_build, recipe
from tokenroof.recipes.mixes import mix


def tensor_gib(name: str, kind: str) -> float:
    return blueprint(find(name)).tensor_bytes(kind) / 2**30


# The size that llama-bench printed for a file, in GiB, from public results of 2025 and 2026
# (llama.cpp discussions 4167, 10879, 15013 and 15021, and model cards); plain builds only.
MEASURED = [
    ("llama-2-7b", "Q4_0", 3.56),
    ("llama-2-7b", "Q8_0", 6.67),
    ("llama-2-7b", "F16", 12.55),
    ("llama-3-8b", "Q4_K_M", 4.58),
    ("llama-3-70b", "Q4_K_M", 39.59),
    ("llama-3-70b", "F16", 131.42),
    ("llama-3.2-3b", "Q4_K_M", 1.87),
    ("mistral-7b-v0.3", "Q4_K_M", 4.07),
    ("mistral-nemo-12b", "Q4_K_M", 6.96),
    ("mistral-small-3.1-24b", "Q4_K_M", 13.35),
    ("ministral-3-8b", "Q4_K_M", 4.83),
    ("ministral-3-14b", "BF16", 25.16),
    ("qwen2.5-7b", "Q8_0", 7.54),
    ("qwen2.5-14b", "Q4_K_M", 8.37),
    ("qwen3-8b", "Q4_K_M", 4.68),
    ("qwen3-14b", "Q4_K_M", 8.38),
    ("qwen3-32b", "Q8_0", 32.42),
    ("qwen3-30b-a3b", "Q3_K_M", 13.7),
    ("qwen3-30b-a3b", "Q4_K_M", 17.28),
    ("qwen3-30b-a3b", "Q5_K_M", 20.23),
    ("qwen3-30b-a3b", "Q8_0", 30.25),
    ("qwen3-30b-a3b", "BF16", 56.89),
    ("qwen3-next-80b-a3b", "Q3_K_M", 35.69),
    ("qwen3.5-9b", "Q8_0", 8.86),
    ("qwen3.6-35b-a3b", "Q8_0", 34.36),
    ("qwen3.6-35b-a3b", "BF16", 64.60),
    ("gemma-3-4b", "Q3_K_S", 1.80),
    ("gemma-3-12b", "Q4_K_M", 6.80),
    ("gemma-3-27b", "Q4_K_M", 15.41),
    ("gemma-3-27b", "BF16", 50.31),
    ("gemma-4-e2b", "Q8_0", 4.61),
    ("gemma-4-e4b", "Q8_0", 7.46),
    ("gemma-4-26b-a4b", "Q8_0", 25.00),
    ("gemma-4-26b-a4b", "BF16", 47.02),
    ("gemma-4-31b", "BF16", 57.18),
    ("gpt-oss-20b", "MXFP4", 11.27),
    ("gpt-oss-120b", "MXFP4", 59.02),
    ("phi-4", "Q4_K_M", 8.43),
    ("phi-4-mini", "Q4_K_M", 2.32),
    ("glm-4.7-flash", "Q8_0", 29.65),
    ("glm-4.7-flash", "BF16", 55.79),
    ("deepseek-r1", "Q4_K_M", 376.65),
]


@pytest.mark.parametrize(("name", "kind", "gib"), MEASURED)
def test_a_recipe_is_within_half_a_percent_of_the_file(name: str, kind: str, gib: float) -> None:
    assert tensor_gib(name, kind) == pytest.approx(gib, rel=0.005)


# llama.cpp's README of quantize for Llama 3.1 8B, in GiB; IQ3_XXS is in the quantiser's test.
@pytest.mark.parametrize(
    ("kind", "gib"),
    [
        ("IQ1_S", 1.87), ("IQ2_XXS", 2.23), ("Q2_K", 2.95), ("Q3_K_M", 3.74), ("IQ4_XS", 4.17),
        ("Q4_K_S", 4.36), ("Q4_K_M", 4.58), ("Q5_K_M", 5.33), ("Q6_K", 6.14), ("Q8_0", 7.95),
        ("F16", 14.96),
    ],
)  # fmt: skip
def test_llama_3_1_8b_has_the_sizes_of_llama_cpps_own_table(kind: str, gib: float) -> None:
    assert tensor_gib("llama-3.1-8b", kind) == pytest.approx(gib, rel=0.005)


def test_files_of_the_articles_have_the_sizes_that_they_state() -> None:
    # GB as the articles and model pages write them; the file holds a few MB besides.
    for name, kind, gigabytes in (
        ("llama-2-7b", "Q4_0", 3.826),
        ("qwen3-8b", "Q4_K_M", 5.03),
        ("qwen3-30b-a3b", "Q4_K_M", 18.56),
        ("gpt-oss-20b", "MXFP4", 12.1),
    ):
        assert tensor_gib(name, kind) * 2**30 / 1e9 == pytest.approx(gigabytes, rel=0.005)


@pytest.mark.parametrize(
    ("name", "kind", "weight_bytes"),
    [
        ("gpt-oss-20b", "MXFP4", 2_574_705_396),
        ("qwen3-coder-30b", "Q4_K_M", 1_919_597_696),
        ("llama-2-7b", "Q4_0", 3_751_340_288),
        ("qwen3-8b", "Q4_K_M", 4_671_768_832),
    ],
)
def test_a_token_reads_the_bytes_that_the_articles_state(
    name: str, kind: str, weight_bytes: int
) -> None:
    assert build_model(recipe(name, kind)).decode_weight_bytes == weight_bytes


def test_gpt_oss_20b_is_the_example_of_the_contract_to_the_byte() -> None:
    model = build_model(recipe("gpt-oss-20b"))
    assert model.parameters == 20_914_757_184
    assert model.tensor_bytes == 12_096_558_336
    assert model.kv_read(470) == 14_696_448
    assert model.kv_allocated(32_768) == 824_180_736


def test_ollamas_own_qwen3_8b_keeps_every_attn_v_in_f16() -> None:
    header = ollama_build("qwen3:8b")
    assert header is not None
    assert {t.type for t in header.tensors if t.name.endswith("attn_v.weight")} == {"F16"}
    assert build_model(header).decode_weight_bytes == 4_869_359_872
    assert round(header.tensor_bytes / 1e9, 1) == 5.2
    assert header.problems[0].message == "recipes.ollama_build"
    assert ollama_build("llama3.1:8b") is None


# Sizes of published files in publishers' own mixes, as llama-bench printed them, in GiB.
MIXED = [
    ("devstral-2-123b", "UD-Q4_K_XL", 70.31),
    ("dots.llm1", "UD-Q4_K_XL", 80.87),
    ("gemma-3-12b", "UD-Q8_K_XL", 13.4),
    ("gemma-4-26b-a4b", "Q4_K_L", 16.02),
    ("gemma-4-26b-a4b", "Q6_K_L", 21.44),
    ("gemma-4-26b-a4b", "UD-IQ4_XS", 12.65),
    ("gemma-4-26b-a4b", "UD-Q5_K_M", 19.68),
    ("gemma-4-e2b", "UD-Q4_K_XL", 2.95),
    ("gemma-4-e2b", "UD-Q5_K_XL", 3.98),
    ("glm-4.5-air", "UD-Q4_K_XL", 68.01),
    ("llama-3.3-70b", "UD-Q8_K_XL", 75.65),
    ("llama-4-scout", "UD-Q4_K_XL", 57.73),
    ("minimax-m2.7", "UD-Q3_K_S", 87.2),
    ("nemotron-3-super-120b-a12b", "UD-Q4_K_XL", 78.02),
    ("qwen3-235b-a22b", "UD-Q3_K_XL", 96.99),
    ("qwen3-30b-a3b", "UD-Q6_K_XL", 24.53),
    ("qwen3.5-0.8b", "UD-Q8_K_XL", 1.09),
    ("qwen3.5-122b-a10b", "Q3_K_XL", 55.50),
    ("qwen3.5-9b", "UD-Q6_K_XL", 8.15),
    ("qwen3.6-35b-a3b", "Q5_K_L", 23.58),
    ("qwen3.6-35b-a3b", "UD-IQ4_NL_XL", 18.15),
]


@pytest.mark.parametrize(("name", "kind", "gib"), MIXED)
def test_a_publishers_mix_is_named_and_its_range_holds_the_file(
    name: str, kind: str, gib: float
) -> None:
    own = mix(kind)
    assert own is not None
    assert tensor_gib(name, own.low) <= gib <= tensor_gib(name, own.high)
    with pytest.raises(InputError) as caught:
        recipe(name, kind)
    assert caught.value.message == "recipes.publishers_mix"
    assert caught.value.values["publisher"] == own.publisher


@pytest.mark.parametrize("kind", ["Q3_K_L", "Q4_K_M", "q6_k", "MXFP4", "iq4_xs", "F16"])
def test_plain_types_are_no_mixes(kind: str) -> None:
    assert mix(kind) is None


def test_quants_with_a_matrix_of_mradermachers_are_named_as_such() -> None:
    with pytest.raises(InputError) as caught:
        recipe("qwen3-8b", "i1-IQ3_XXS")
    values = caught.value.values
    assert values["publisher"] == "mradermacher"
    # 3,314.35 MiB without a matrix; with one fewer bits for most of ffn_down.
    assert (values["low"], values["high"]) == ("3.36 GB", "3.48 GB")
