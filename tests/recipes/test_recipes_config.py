"""Configs: what they lack is named, what contradicts is refused with the key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tokenroof.errors import InputError, TokenroofError
from tokenroof.model import build_model
from tokenroof.recipes import blueprint, blueprint_of_config, entries, find
from tokenroof.recipes.config import EXPERT_KEYS
from tokenroof.recipes.families import FAMILIES, sketcher

QWEN3: dict[str, Any] = dict(find("qwen3-8b").config)
MOE: dict[str, Any] = dict(find("qwen3-30b-a3b").config)


def made(config: dict[str, Any], kind: str = "Q4_K_M") -> Any:
    return blueprint_of_config(config, "config.json", "x").header(kind)


def refused(config: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as caught:
        made(config)
    return caught.value


def test_a_config_gives_what_the_catalogue_gives() -> None:
    from_config = made(QWEN3)
    from_catalogue = blueprint(find("qwen3-8b")).header("Q4_K_M")
    assert from_config.tensors == from_catalogue.tensors
    assert from_config.recipe == "config.json@Q4_K_M"


@pytest.mark.parametrize(
    "key",
    [
        "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
        "vocab_size",
    ],
)  # fmt: skip
def test_what_a_config_lacks_is_named(key: str) -> None:
    config = {name: value for name, value in QWEN3.items() if name != key}
    error = refused(config)
    assert error.message == "recipes.config_lacks"
    assert key in str(error.values["key"])
    assert key in str(error)


def test_a_config_without_a_class_name_lacks_it() -> None:
    config = {key: value for key, value in QWEN3.items() if key != "architectures"}
    assert refused(config).values["key"] == "architectures"


@pytest.mark.parametrize(
    "name",
    ["qwen3-30b-a3b", "mixtral-8x7b", "gpt-oss-20b", "phi-3.5-moe", "olmoe-1b-7b", "lfm2-8b-a1b",
     "granite-3.1-1b-a400m", "ernie-4.5-21b-a3b"],
)  # fmt: skip
def test_a_class_that_is_named_for_its_experts_lacks_them_where_no_key_counts_them(
    name: str,
) -> None:
    # Without them the converter would write a dense model of the same name, which cannot be loaded.
    without = {key: v for key, v in find(name).config.items() if key not in EXPERT_KEYS}
    error = refused(without)
    assert error.message == "recipes.config_lacks"
    assert "num_experts" in str(error.values["key"])


def test_a_class_that_comes_with_experts_or_without_may_have_none() -> None:
    assert find("granite-4.0-micro").config["architectures"] == ["GraniteMoeHybridForCausalLM"]
    assert build_model(made(find("granite-4.0-micro").config)).is_understood


def test_an_architecture_without_a_recipe_is_named() -> None:
    error = refused(QWEN3 | {"architectures": ["FlyingSpaghettiForCausalLM"]})
    assert error.message == "recipes.no_family"
    assert "FlyingSpaghettiForCausalLM" in str(error)


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (QWEN3 | {"num_key_value_heads": 5}, "num_key_value_heads"),
        (QWEN3 | {"num_key_value_heads": 64}, "num_key_value_heads"),
        (QWEN3 | {"head_dim": None, "num_attention_heads": 3, "num_key_value_heads": 3},
         "num_attention_heads"),
        (QWEN3 | {"num_hidden_layers": 600}, "num_hidden_layers"),
        (MOE | {"num_experts_per_tok": 129}, "num_experts_per_tok"),
        (MOE | {"mlp_only_layers": [0]}, "mlp_only_layers"),
        (MOE | {"decoder_sparse_step": 2}, "decoder_sparse_step"),
        (QWEN3 | {"layer_types": ["full_attention"] * 35}, "layer_types"),
        (find("mamba-2.8b").config | {"intermediate_size": 5121}, "intermediate_size"),
        (find("mamba-codestral-7b").config | {"head_dim": 60}, "head_dim"),
        (find("minicpm3-4b").config | {"hidden_size": 2561}, "num_attention_heads"),
        (MOE | {"num_experts": 2048}, "num_experts"),
        (find("deepseek-v3").config | {"first_k_dense_replace": 62}, "first_k_dense_replace"),
        (find("gemma-4-31b").config["text_config"]
         | {"architectures": ["Gemma4ForCausalLM"], "num_hidden_layers": 59}, "layer_types"),
        (find("nemotron-nano-9b-v2").config | {"num_hidden_layers": 55},
         "hybrid_override_pattern"),
        (find("granite-4.0-h-tiny").config | {"mamba_d_head": 32}, "mamba_d_head"),
    ],
)  # fmt: skip
def test_a_config_that_contradicts_itself_is_refused_with_the_key(
    config: dict[str, Any], key: str
) -> None:
    error = refused(config)
    assert error.message == "recipes.config_contradicts"
    assert error.values["key"] == key
    assert key in str(error)


@pytest.mark.parametrize("value", [0, -1, "36", True, [36], 2**40, 1.5, float("nan"), {}])
def test_a_number_that_cannot_be_is_refused_with_the_key(value: object) -> None:
    error = refused(QWEN3 | {"num_hidden_layers": value})
    assert error.message in {"recipes.config_wrong", "recipes.config_contradicts"}
    assert error.values["key"] == "num_hidden_layers"


def test_a_head_without_length_is_refused_and_not_taken_for_unsaid() -> None:
    assert refused(QWEN3 | {"head_dim": 0}).values["key"] == "head_dim"


def test_a_whole_number_may_be_written_as_a_float() -> None:
    assert made(QWEN3 | {"num_hidden_layers": 36.0}).tensors == made(QWEN3).tensors


def test_the_language_part_of_a_model_that_sees_counts() -> None:
    config = find("gemma-3-4b").config
    assert "hidden_size" not in config
    assert build_model(made(config)).layers == 34


def test_keys_of_the_language_part_win_over_those_around_it() -> None:
    config = {"architectures": ["Qwen3ForCausalLM"], "num_hidden_layers": 1, "text_config": QWEN3}
    assert build_model(made(config)).layers == 36


def test_values_of_transformers_own_classes_stand_in_where_gemma_3_is_silent() -> None:
    # Gemma 3 4B publishes neither its heads nor its vocabulary; llama.cpp's file has 8 and 262,144.
    header = made(find("gemma-3-4b").config)
    assert header.integer("gemma3.attention.head_count") == 8
    shapes = {tensor.name: tensor.shape for tensor in header.tensors}
    assert shapes["token_embd.weight"] == (2560, 262_144)


def test_every_class_name_of_the_table_has_its_function() -> None:
    for _, names in FAMILIES.values():
        for name in names.split():
            assert callable(sketcher(name)), name


def test_no_class_name_is_in_the_table_twice() -> None:
    names = [name for _, listed in FAMILIES.values() for name in listed.split()]
    assert len(names) == len(set(names))


def test_every_architecture_of_the_table_is_made_by_some_entry_of_the_catalogue() -> None:
    used = {name for entry in entries() for name in entry.config["architectures"]}
    without = {
        architecture
        for architecture, (_, names) in FAMILIES.items()
        if not used & set(names.split())
    }
    assert without <= {"deepseek", "chatglm"}  # too old for anybody to run; tried below


@pytest.mark.parametrize(
    ("config", "weights"),
    [
        # DeepSeek MoE 16B: 16,375,728,128 weights on its page.
        (
            {
                "architectures": ["DeepseekForCausalLM"], "hidden_size": 2048,
                "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
                "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
                "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16,
                "vocab_size": 102400, "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
            },
            16_375_728_128,
        ),
        # GLM 4 9B chat: 9,399,951,360.
        (
            {
                "architectures": ["ChatGLMModel"], "hidden_size": 4096, "ffn_hidden_size": 13696,
                "num_layers": 40, "num_attention_heads": 32, "multi_query_attention": True,
                "multi_query_group_num": 2, "kv_channels": 128, "padded_vocab_size": 151552,
                "add_qkv_bias": True, "add_bias_linear": False, "layernorm_epsilon": 1.5625e-07,
                "seq_length": 131072, "tie_word_embeddings": False,
            },
            9_399_951_360,
        ),
    ],
)  # fmt: skip
def test_architectures_outside_the_catalogue_have_the_published_number_of_weights(
    config: dict[str, Any], weights: int
) -> None:
    assert build_model(made(config)).parameters == weights


_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=8),
    st.lists(st.integers(-3, 9), max_size=4),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_config_ends_in_anything_but_a_header_or_one_sentence(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(entries()))
    config = dict(entry.config)
    inner = config.get("text_config", config)
    inner = dict(inner)
    for key in data.draw(st.lists(st.sampled_from(sorted(inner)), min_size=1, max_size=3)):
        inner[key] = data.draw(_ODD)
    changed = config | {"text_config": inner} if "text_config" in config else inner
    said = "a header"
    try:
        made(changed)
    except TokenroofError as error:
        said = str(error)
    assert said
    assert "{" not in said.partition(":")[0]
