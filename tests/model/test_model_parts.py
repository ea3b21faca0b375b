"""What tensors are for, why some are unread, and what each layer keeps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from support.gguf_files import Array
from support.model_headers import dense, header
from support.oracle.kinds import KINDS, converted
from tokenroof.gguf import Header
from tokenroof.model import Model, build_model, inspection
from tokenroof.model.components import component

KIND = {kind.name: kind for kind in KINDS}


def model_of(name: str) -> Model:
    metadata, tensors = converted(KIND[name])
    plain = {key: list(value.values) if isinstance(value, Array) else value
             for key, value in metadata.items()}  # fmt: skip
    return build_model(Header.build(plain, tensors))


def parts(name: str) -> dict[str, str]:
    """What each tensor of a kind is for."""
    return {entry.name: component(entry) for entry in model_of(name).ledger}


def test_tensors_are_told_apart_by_what_they_are_for() -> None:
    found = parts("hybrid_mamba_2") | parts("experts_shared")
    assert found["token_embd.weight"] == "embedding"
    assert found["output.weight"] == "output"
    assert found["output_norm.weight"] == "other"
    assert found["blk.0.attn_norm.weight"] == "other"
    assert found["blk.0.ssm_in.weight"] == "state"
    assert found["blk.0.ffn_down_exps.weight"] == "experts"
    assert found["blk.0.ffn_down_shexp.weight"] == "feed_forward"
    assert found["blk.0.ffn_gate_inp.weight"] == "feed_forward"
    assert found["blk.0.attn_q.weight"] == "attention"


@pytest.mark.parametrize(
    ("kind", "reason", "names"),
    [
        ("predicting_block", "prediction", ("blk.2.",)),
        ("vision_experts", "modality", ("blk.0.vis_", "blk.1.vis_")),
        ("encoder_decoder", "encoder", ("enc.",)),
        (
            "shared_kv_gemma3n",
            "shared",
            tuple(f"blk.{block}.attn_{part}" for block in range(20, 24) for part in ("k", "v")),
        ),
    ],
)
def test_what_is_unread_says_why(kind: str, reason: str, names: tuple[str, ...]) -> None:
    model = model_of(kind)
    unread = {entry.name for entry in model.ledger if entry.reason == reason}
    assert unread == {entry.name for entry in model.ledger if entry.name.startswith(names)} != set()
    rows = inspection(model, tensors=True).to_dict()["tensors"]
    assert {row["name"] for row in rows if row.get("reason") == reason} == unread
    assert parts(kind)[min(unread)] == reason


def test_an_encoder_alone_is_classed_by_its_parts() -> None:
    tensors = [(f"enc.blk.0.{part}.weight", (8, 8), "F32") for part in ("attn_q", "ffn_up")]
    keys = {"block_count": 1, "embedding_length": 8, "attention.head_count": 1}
    model = build_model(header("t5encoder", keys, tensors))
    assert [component(entry) for entry in model.ledger] == ["attention", "feed_forward"]


def test_layers_that_share_say_whose_cache_they_read() -> None:
    # The last four of 24 keep nothing; every fifth layer is full, so 19 is full and 18 slides.
    layers = model_of("shared_kv_gemma3n").layers_kept or ()
    assert [layer.kinds for layer in layers[15:20]] == [("window",)] * 4 + [("full",)]
    assert [layer.kinds for layer in layers[20:]] == [("shared",)] * 4
    assert [layer.reads for layer in layers[20:]] == [18, 18, 18, 18]
    assert {layer.window for layer in layers[20:]} == {32}
    assert model_of("shared_kv_gemma3n").layer_kinds == {"full": 4, "window": 16, "shared": 4}


def test_every_layer_is_classed_by_what_it_keeps() -> None:
    def kinds(name: str) -> list[tuple[str, ...]]:
        return [layer.kinds for layer in model_of(name).layers_kept or ()]

    assert kinds("dense") == [("full",)] * 2
    assert kinds("mla_hybrid_kda") == [("latent",), ("state",), ("state",), ("state",)]
    assert kinds("hybrid_parallel") == [("full", "state")] * 2
    assert Counter(kinds("compressed")) == {
        ("window",): 2, ("window", "compressed", "indexer", "state"): 1,
        ("window", "compressed", "state"): 1,
    }  # fmt: skip
    assert ("none",) in kinds("hybrid_with_plain_layers")
    assert kinds("looped") == [("full",)] * 6
    assert kinds("encoder") == [("none",)] * 2
    assert model_of("encoder").layer_kinds == {}


def test_states_compute_once_to_update_and_once_to_read() -> None:
    model = model_of("mamba_2")
    elements = model.state_bytes // 4
    # A multiplication and an addition for each element, when updated and when read.
    assert model.attention_flop(1) == 4 * elements
    assert model.attention_flop(10) == 40 * elements


def test_blocks_for_prediction_count_where_their_tensors_are() -> None:
    # llama.cpp's deepseek4.cpp looks for the tensors; others believe the key.
    keys: dict[str, Any] = {"nextn_predict_layers": 1, "attention__sliding_window": 32}
    sizes: dict[str, Any] = {"layers": 3, "width": 64, "heads": 2, "kv_heads": 1, "length": 32}
    assert build_model(dense("llama", **sizes, **keys)).layers == 2
    assert build_model(dense("deepseek4", **sizes, **keys)).layers == 3
    with_tensors = dense("deepseek4", **sizes, **keys)
    rows = [(t.name, t.shape, t.type) for t in with_tensors.tensors]
    rows.append(("blk.2.nextn.eh_proj.weight", (128, 64), "F32"))
    assert build_model(Header.build(with_tensors.metadata, rows)).layers == 2
