"""Headers that contradict themselves, or ask what cannot be: an error that names the key."""

from __future__ import annotations

from typing import Any

import pytest

from support.model_headers import dense, header
from tokenroof.errors import GGUFError, ModelError, UsageError
from tokenroof.gguf import Header
from tokenroof.model import build_model, inspection

GOOD = {"layers": 2, "width": 64, "heads": 4, "kv_heads": 2, "length": 16}


def broken(**changes: Any) -> Header:
    keys = {key.replace("__", "."): value for key, value in changes.items()}
    good = dense("llama", **GOOD)  # type: ignore[arg-type]
    metadata = {key: good.metadata[key] for key in good.metadata}
    metadata |= {f"llama.{key}": value for key, value in keys.items()}
    metadata = {key: value for key, value in metadata.items() if value is not None}
    return Header.build(metadata, [(t.name, t.shape, t.type) for t in good.tensors])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"block_count": 0}, "llama.block_count"),
        ({"block_count": None}, "llama.block_count"),
        ({"block_count": 2**31}, "llama.block_count"),
        ({"block_count": -1}, "llama.block_count"),
        ({"attention__head_count": 0}, "llama.attention.head_count"),
        ({"attention__head_count_kv": 8}, "llama.attention.head_count_kv"),
        ({"attention__head_count_kv": [2]}, "llama.attention.head_count_kv"),
        ({"attention__head_count": 5, "attention__key_length": 0}, "llama.attention.head_count"),
        ({"embedding_length": 0, "attention__key_length": 0}, "llama.embedding_length"),
        ({"expert_count": 8, "expert_used_count": 9}, "llama.expert_used_count"),
        ({"expert_count": 8}, "llama.expert_used_count"),
        ({"nextn_predict_layers": 2}, "llama.nextn_predict_layers"),
    ],
)
def test_numbers_that_contradict_each_other_are_named(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ModelError) as caught:
        build_model(broken(**changes))
    assert named in str(caught.value)
    assert named in caught.value.text("ja")


@pytest.mark.parametrize(
    "changes",
    [
        {"num_loops": 2**31},
        {"hrm__layers_per_stack": 2**20, "hrm__h_cycles": 2**20, "hrm__l_cycles": 2**20},
    ],
)
def test_a_model_that_loops_without_end_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="passes"):
        build_model(broken(**changes))


@pytest.mark.parametrize("key", ["attention__head_count_kv", "block_count", "context_length"])
def test_inspection_describes_a_file_that_contradicts_itself(key: str) -> None:
    model = build_model(broken(**{key: "many"}), lenient=True)
    (first, *_) = model.warnings
    assert key.replace("__", ".") in first.text()
    assert key.replace("__", ".") in first.text("ja")
    document = inspection(model, [100], [512], prompts=[10]).to_dict()
    assert document["model"]["tensor_bytes"] == model.tensor_bytes > 0
    if key == "context_length":  # a description: no figure is made from it
        assert document["decode"]["weight_bytes"] == build_model(broken()).decode_weight_bytes
        return
    assert document["decode"]["weight_bytes"] is None
    assert document["decode"]["weight_bytes_low"] == 0
    assert document["decode"]["weight_bytes_high"] == model.tensor_bytes
    assert document["kv"]["read"] == [{"depth": 100, "bytes": None, "low": None}]
    assert document["prefill"]["prompts"][0]["linear_flop"] is None


def test_an_empty_array_of_heads_is_a_contradiction_and_no_crash() -> None:
    with pytest.raises(ModelError, match="head_count_kv"):
        build_model(broken(attention__head_count_kv=[]))
    model = build_model(broken(attention__head_count_kv=[]), lenient=True)
    assert "head_count_kv" in model.warnings[0].text()


@pytest.mark.parametrize(
    "key", ["general.name", "general.basename", "general.file_type", "general.type"]
)
def test_a_description_that_cannot_be_read_costs_a_warning_and_no_figure(key: str) -> None:
    good = broken()
    metadata = {**good.metadata, key: [1, 2]}
    header = Header.build(metadata, [(t.name, t.shape, t.type) for t in good.tensors])
    model = build_model(header)
    assert model.decode_weight_bytes == build_model(good).decode_weight_bytes
    assert [notice.where for notice in model.warnings] == [key]


def test_the_header_that_these_tests_break_is_good() -> None:
    assert build_model(broken()).kv_bytes_per_token() == 2 * 2 * 2 * 16 * 2


def test_a_key_of_the_wrong_kind_is_named() -> None:
    with pytest.raises(GGUFError, match=r"llama\.block_count"):
        build_model(broken(block_count="many"))


def test_an_architecture_that_needs_its_pattern_does_not_go_without() -> None:
    with pytest.raises(ModelError, match="sliding_window_pattern"):
        build_model(dense("gemma4", **GOOD, attention__sliding_window=32))  # type: ignore[arg-type]


def test_layers_that_read_anothers_cache_need_one_to_read() -> None:
    with pytest.raises(ModelError, match="shared_kv_layers"):
        build_model(
            dense("gemma4", **GOOD, attention__sliding_window=32,  # type: ignore[arg-type]
                  attention__sliding_window_pattern=[1, 0], attention__shared_kv_layers=1)
        )  # fmt: skip


def test_a_header_without_tensors_has_no_figures_and_says_so() -> None:
    keys = {"block_count": 2, "attention.head_count": 2, "embedding_length": 8}
    model = build_model(header("llama", keys, []), lenient=True)
    assert model.kv_read(100) is None
    assert model.bits_per_weight is None
    assert [notice.id for notice in model.warnings] == ["no_tensors"]
    assert build_model(header("llama", keys, [])).kv_read(100) is None


@pytest.mark.parametrize(("name", "value"), [("context", 0), ("ubatch", 0), ("sequences", -1)])
def test_an_allocation_of_nothing_is_refused(name: str, value: int) -> None:
    wanted: dict[str, Any] = {"context": 512, "ubatch": 512, "sequences": 1} | {name: value}
    with pytest.raises(UsageError, match=name):
        build_model(broken()).kv_allocated(wanted.pop("context"), **wanted)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(UsageError, match="-1"):
        build_model(broken()).kv_read(-1)


def test_a_cache_type_that_llama_cpp_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(UsageError, match=r"q9.*iq4_nl"):
        build_model(broken()).kv_read(1, "q9", "f16")


def test_a_quantised_cache_needs_heads_of_whole_blocks() -> None:
    with pytest.raises(UsageError, match=r"multiple of 32.*16"):
        build_model(broken()).kv_allocated(512, type_k="q8_0")


def test_grok_cannot_have_quantised_values_as_it_runs_without_flash_attention() -> None:
    model = build_model(dense("grok", layers=1, width=64, heads=2, kv_heads=2, length=32))
    assert model.kv_read(10, "q8_0", "f16") is not None
    with pytest.raises(UsageError, match="flash attention"):
        model.kv_read(10, "q8_0", "q8_0")
