"""What is said beside the figures: labels that lie, what is not modelled, what stays on disk."""

from __future__ import annotations

from typing import Any

import pytest

from support.article_models import gpt_oss_20b, qwen3_8b
from support.model_headers import attention, dense, feed_forward, header
from support.oracle.recorded import model_of
from tokenroof.gguf import Header
from tokenroof.model import Model, build_model, inspection


def ids(model: Model) -> set[str]:
    return {notice.id for notice in model.warnings}


def relabelled(model: Header, file_type: int) -> Model:
    metadata = {key: model.metadata[key] for key in model.metadata}
    metadata["general.file_type"] = file_type
    return build_model(Header.build(metadata, [(t.name, t.shape, t.type) for t in model.tensors]))


def test_a_file_labelled_f16_that_is_mostly_mxfp4_is_told_apart() -> None:
    model = relabelled(gpt_oss_20b(), 1)
    (notice,) = [notice for notice in model.warnings if notice.id == "label_differs"]
    assert model.file_type == "F16"
    assert "F16" in notice.text()
    assert "MXFP4" in notice.text()
    assert "MXFP4" in notice.text("ja")


def test_a_label_that_holds_is_not_remarked_on() -> None:
    assert "label_differs" not in ids(build_model(qwen3_8b())) | ids(build_model(gpt_oss_20b()))
    assert "label_differs" not in ids(relabelled(qwen3_8b(), 9999))


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"general.architecture": "clip", "clip.vision.block_count": 2},
        {"general.architecture": "llama", "general.type": "adapter", "llama.block_count": 2},
        {"general.architecture": "brand-new"},
        {"general.architecture": "brand-new", "brand-new.block_count": 0},
    ],
)
def test_what_is_no_model_that_is_understood_has_no_figures_and_a_description(
    metadata: dict[str, Any],
) -> None:
    model = build_model(Header.build(metadata, [("blk.0.attn_q.weight", (32, 32), "Q8_0")]))
    document = inspection(model, [100], [1024], tensors=True).to_dict()
    assert document["decode"]["weight_bytes"] is None
    assert document["kv"]["bytes_per_token"] is None
    assert document["kv"]["state_bytes"] is None
    assert document["kv"]["read"] == [{"depth": 100, "bytes": None, "low": None}]
    assert document["kv"]["allocated"] == [{"context": 1024, "bytes": None}]
    assert document["model"]["tensor_bytes"] == 32 * 34
    named = "projector" if metadata.get("general.architecture") == "clip" else "not_modelled"
    assert [warning["id"] for warning in document["warnings"]] == [named]
    assert not model.is_understood


def test_a_layer_that_mixes_tokens_in_an_unknown_way_leaves_the_cache_unknown() -> None:
    tensors = [*attention(0, 64, 2, 2, 32), *feed_forward(0, 64, 96),
               ("blk.1.token_stirrer.weight", (64, 64), "F16")]  # fmt: skip
    keys = {"block_count": 2, "embedding_length": 64, "attention.head_count": 2}
    model = build_model(header("brand-new", keys, tensors))
    assert model.kv_read(100) is None
    assert model.kv_allocated(1024) is None
    assert model.read_bytes(100) is None
    assert {"architecture_unknown", "layers_not_modelled"} <= ids(model)
    assert model.decode_weight_bytes == sum(tensor.bytes for tensor in model.header.tensors)


def test_an_architecture_that_recombines_known_kinds_is_right_and_says_what_is_assumed() -> None:
    keys: dict[str, Any] = {"layers": 3, "width": 64, "heads": 2, "kv_heads": 1, "length": 32}
    known, new = build_model(dense("llama", **keys)), build_model(dense("brand-new", **keys))
    assert new.decode_weight_bytes == known.decode_weight_bytes
    assert new.kv_read(1000) == known.kv_read(1000)
    assert "architecture_unknown" in ids(new)
    assert "architecture_unknown" not in ids(known)
    low, high = new.decode_weight_bounds
    assert low < (known.decode_weight_bytes or 0) < high


def test_sparse_attention_is_an_interval_from_the_rows_it_needs_to_all_rows() -> None:
    # 2 latent layers of 576 and 2 indexers of 128, f16; top-k is set to 131,072 in the fixture.
    model = model_of("deepseek32-moe")
    assert "sparse_attention" in ids(model)
    all_rows = 2 * (576 + 128) * 2
    assert model.kv_read(1000) == 1000 * all_rows
    low, high = model.kv_read_bounds(200_000) or (0, 0)
    assert high == 200_000 * all_rows
    assert low == 131_072 * 2 * 576 * 2 + 200_000 * 2 * 128 * 2


def test_blocks_for_multi_token_prediction_are_not_loaded() -> None:
    model = build_model(
        dense("glm4moe", layers=3, width=64, heads=2, kv_heads=2, length=32,
              nextn_predict_layers=1)
    )  # fmt: skip
    block = (4 * 64 * 64 + 3 * 64 * 64) * 2
    assert model.resident_bytes == model.tensor_bytes - block


@pytest.mark.parametrize(("rows", "stays"), [(2**20, False), (2**20 + 1, True)])
def test_a_table_of_more_than_4_gib_is_read_from_disk_by_rows(rows: int, stays: bool) -> None:
    good = dense("gemma4", layers=2, width=64, heads=2, kv_heads=2, length=32,
                 attention__sliding_window=32,
                 attention__sliding_window_pattern=[1, 0])  # fmt: skip
    tensors = [(t.name, t.shape, t.type) for t in good.tensors]
    tensors.append(("per_layer_token_embd.weight", (2048, rows), "F16"))
    model = build_model(Header.build({k: good.metadata[k] for k in good.metadata}, tensors))
    table = 2048 * rows * 2
    assert model.resident_bytes == model.tensor_bytes - (table if stays else 0)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_remark_of_the_oracles_models_can_be_said(language: str) -> None:
    for name in ("hrm_text-dense", "deepseek4-moe", "gpt-oss-moe", "dream-dense"):
        for notice in model_of(name).warnings:
            assert notice.text(language)
            assert notice.where is None or "." in notice.where
