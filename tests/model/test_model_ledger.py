"""What of each tensor a token reads: lookups, shares of experts, what lies there unread."""

from __future__ import annotations

from fractions import Fraction

import pytest

from support.model_headers import Tensor, attention, dense, feed_forward, header
from tokenroof.model import Entry, Model, build_model
from tokenroof.model.prefill import micro_batch_weight_bytes

KEYS = {
    "block_count": 1, "embedding_length": 64, "attention.head_count": 2,
    "attention.head_count_kv": 2,
}  # fmt: skip


def model_with(architecture: str, tensors: list[Tensor], **keys: object) -> Model:
    """One block of attention and what is added to it."""
    base: list[Tensor] = [
        ("token_embd.weight", (64, 100), "F16"),
        ("output.weight", (64, 100), "F16"),
        *attention(0, 64, 2, 2, 32),
    ]
    named = {key.replace("__", "."): value for key, value in keys.items()}
    return build_model(header(architecture, KEYS | named, [*base, *tensors]))


def entry(model: Model, name: str) -> Entry:
    (found,) = [entry for entry in model.ledger if entry.name == name]
    return found


def test_of_an_untied_embedding_one_row_is_read() -> None:
    model = build_model(dense("llama", layers=1, width=64, heads=2, kv_heads=2, length=32))
    assert model.embedding == "row"
    assert entry(model, "token_embd.weight").kind == "lookup"
    assert entry(model, "token_embd.weight").decode_bytes == 64 * 2
    assert entry(model, "output.weight").decode_bytes == 64 * 100 * 2


def test_a_tied_embedding_is_read_in_full_and_stays_in_its_group() -> None:
    model = build_model(
        dense("llama", layers=1, width=64, heads=2, kv_heads=2, length=32, tied=True)
    )
    embedding = entry(model, "token_embd.weight")
    assert (model.embedding, embedding.kind, embedding.group) == ("tied", "read", "embedding")
    assert embedding.decode_bytes == 64 * 100 * 2


@pytest.mark.parametrize(
    "table", ["position_embd.weight", "token_types.weight", "per_layer_token_embd.weight"]
)
def test_of_other_tables_one_row_is_read(table: str) -> None:
    model = model_with("gpt2", [(table, (64, 1024), "F32")])
    assert entry(model, table).kind == "lookup"
    assert entry(model, table).decode_bytes == 64 * 4
    assert entry(model, table).group == "embedding"


def test_of_n_gram_embeddings_a_row_for_every_head_is_read() -> None:
    # (3 - 1) n-grams x 2 heads.
    model = model_with(
        "qwen4exp", [("per_layer_token_embd.weight", (16, 1000), "F16")],
        ple__ngram_size=3, ple__heads_per_ngram=2,
    )  # fmt: skip
    assert entry(model, "per_layer_token_embd.weight").decode_bytes == 4 * 16 * 2


def test_experts_are_told_by_name_and_last_dimension() -> None:
    model = model_with(
        "llama",
        [
            ("blk.0.ffn_gate_inp.weight", (64, 8), "F32"),
            ("blk.0.exp_probs_b.bias", (8,), "F32"),
            ("blk.0.ffn_up_exps.weight", (64, 96, 8), "F16"),
            ("blk.0.ffn_up_exps.bias", (96, 8), "F32"),
            ("blk.0.ffn_up_shexp.weight", (64, 96), "F16"),
            ("blk.0.ffn_norm_exps.weight", (64,), "F32"),
        ],
        expert_count=8, expert_used_count=2,
    )  # fmt: skip
    assert model.experts is not None
    assert (model.experts.total, model.experts.used, model.is_moe) == (8, 2, True)
    assert entry(model, "blk.0.ffn_up_exps.weight").decode_bytes == 64 * 96 * 2 * 2
    assert entry(model, "blk.0.ffn_up_exps.bias").decode_bytes == 96 * 2 * 4
    for whole in ("ffn_gate_inp.weight", "exp_probs_b.bias", "ffn_up_shexp.weight",
                  "ffn_norm_exps.weight"):  # fmt: skip
        found = entry(model, f"blk.0.{whole}")
        assert (found.kind, found.decode_bytes) == ("read", found.tensor.bytes)


def test_a_share_of_experts_may_be_a_fraction_of_a_byte() -> None:
    # One of 3 experts of an odd tensor: 5 x 3 F32 numbers are 60 bytes; of 7 bytes, a third.
    model = model_with(
        "llama", [("blk.0.ffn_up_exps.weight", (7, 1, 3), "I8")],
        expert_count=3, expert_used_count=2,
    )  # fmt: skip
    assert entry(model, "blk.0.ffn_up_exps.weight").decode_bytes == 14
    grouped = model_with(
        "llama", [("blk.0.ffn_up_exps.scale", (3,), "F16")],
        expert_count=3, expert_used_count=1,
    )  # fmt: skip
    assert entry(grouped, "blk.0.ffn_up_exps.scale").decode_bytes == 2
    assert isinstance(entry(grouped, "blk.0.ffn_up_exps.scale").share, Fraction)


def test_grouped_experts_are_fewer_and_as_many_of_them_are_used() -> None:
    # 16 experts in groups of 4: 4 grouped ones, of which 2 are picked.
    model = model_with(
        "grovemoe", [("blk.0.ffn_up_chexps.weight", (64, 32, 4), "F16")],
        expert_count=16, expert_used_count=2, experts_per_group=4,
    )  # fmt: skip
    found = entry(model, "blk.0.ffn_up_chexps.weight")
    assert (found.kind, found.decode_bytes) == ("expert", 64 * 32 * 2 * 2)


def test_layers_may_use_different_numbers_of_experts() -> None:
    tensors = [
        *attention(1, 64, 2, 2, 32),
        ("blk.0.ffn_up_exps.weight", (64, 96, 8), "F16"),
        ("blk.1.ffn_up_exps.weight", (64, 96, 8), "F16"),
    ]
    model = model_with("llama", tensors, block_count=2, expert_count=8, expert_used_count=[1, 4])
    assert entry(model, "blk.0.ffn_up_exps.weight").decode_bytes == 64 * 96 * 2 * 1
    assert entry(model, "blk.1.ffn_up_exps.weight").decode_bytes == 64 * 96 * 2 * 4


def test_experts_of_which_nobody_knows_how_many_are_used_give_no_number() -> None:
    model = model_with("llama", [("blk.0.ffn_up_exps.weight", (64, 96, 8), "F16")])
    assert model.decode_weight_bytes is None
    assert model.read_bytes(100) is None
    assert "experts_unknown" in {notice.id for notice in model.warnings}
    low, high = model.decode_weight_bounds
    assert (low, high) == (0, model.tensor_bytes)


@pytest.mark.parametrize(
    "name",
    ["v.blk.0.attn_q.weight", "a.conv1d.weight", "mm.0.weight", "mtp.fc.weight",
     "blk.0.vis_up.weight", "cls.output.weight", "blk.1.attn_q.weight",
     "blk.1.nextn.eh_proj.weight", "blk.0.exp_probs_b_vl.bias"],
)  # fmt: skip
def test_other_modalities_and_multi_token_prediction_are_resident_and_not_read(name: str) -> None:
    model = model_with("llama", [(name, (64, 2), "F16")], block_count=2, nextn_predict_layers=1)
    assert entry(model, name).kind == "unread"
    assert entry(model, name).decode_bytes == 0
    assert entry(model, name).group == "unread"
    assert model.layers == 1
    assert len(model.caches or ()) == 1


def test_a_classifier_as_wide_as_the_model_is_a_part_of_every_pass() -> None:
    tensors: list[Tensor] = [("cls.output.weight", (64, 64), "F16")]
    assert entry(model_with("qwen35", tensors), "cls.output.weight").kind == "read"


def test_of_two_sets_of_rotary_factors_one_is_read() -> None:
    tensors: list[Tensor] = [
        ("rope_factors_long.weight", (16,), "F32"),
        ("rope_factors_short.weight", (16,), "F32"),
    ]
    long = model_with("phi3", tensors, context_length=131_072,
                      rope__scaling__original_context_length=4096)  # fmt: skip
    assert entry(long, "rope_factors_long.weight").kind == "read"
    assert entry(long, "rope_factors_short.weight").kind == "unread"
    short = model_with("phi3", tensors, context_length=2048,
                       rope__scaling__original_context_length=4096)  # fmt: skip
    assert entry(short, "rope_factors_long.weight").kind == "unread"


def test_an_encoder_has_no_use_for_an_output_projection() -> None:
    model = build_model(
        dense("bert", layers=1, width=64, heads=2, kv_heads=2, length=32, tied=True,
              attention__causal=False)
    )  # fmt: skip
    assert model.embedding == "row"
    assert entry(model, "token_embd.weight").decode_bytes == 64 * 2
    assert model.kv_read(1000) == model.kv_allocated(1024) == 0
    assert "no_autoregressive_decode" in {notice.id for notice in model.warnings}


@pytest.mark.parametrize("architecture", ["dream", "llada", "llada-moe", "rnd1"])
def test_a_diffusion_model_keeps_no_cache_and_gives_the_weights_of_one_pass(
    architecture: str,
) -> None:
    model = build_model(dense(architecture, layers=2, width=64, heads=2, kv_heads=2, length=32))
    assert model.kv_bytes_per_token() == model.kv_read(100) == model.kv_allocated(1024) == 0
    assert model.decode_weight_bytes == model.tensor_bytes - 99 * 64 * 2
    assert "no_autoregressive_decode" in {notice.id for notice in model.warnings}
    assert model.depth_where_cache_outweighs_weights() is None


def test_layers_that_read_anothers_cache_do_not_make_keys_of_their_own() -> None:
    tensors = [t for block in range(1, 4) for t in attention(block, 64, 2, 2, 32)]
    model = model_with(
        "gemma4", tensors, block_count=4, attention__sliding_window=32,
        attention__sliding_window_pattern=[1, 0, 1, 0], attention__shared_kv_layers=2,
    )  # fmt: skip
    assert entry(model, "blk.1.attn_k.weight").kind == "read"
    for part in ("attn_k", "attn_v"):
        assert entry(model, f"blk.2.{part}.weight").kind == "unread"
    assert entry(model, "blk.2.attn_q.weight").kind == "read"
    # Allocated for two layers, read by four: a row is 2 heads x 32 x 2 (key, value) x 2 B.
    row = 2 * 32 * 2 * 2
    assert model.kv_bytes_per_token() == row
    assert model.kv_allocated(1024, ubatch=64) == 1024 * row + 256 * row
    assert model.kv_read(1000) == 2 * 1000 * row + 2 * 32 * row


def test_a_model_that_loops_reads_its_blocks_and_keeps_a_cache_once_a_pass() -> None:
    model = model_with("nanbeige", [], num_loops=3)
    blocks = 4 * 64 * 64 * 2
    assert model.decode_weight_bytes == 3 * blocks + 64 * 100 * 2 + 64 * 2
    assert model.kv_bytes_per_token() == 3 * 2 * 64 * 2
    assert model.layers == 3


def test_a_dense_and_an_expert_network_side_by_side_are_both_read() -> None:
    tensors = [
        *feed_forward(0, 64, 96),
        ("blk.0.ffn_gate_inp.weight", (64, 8), "F32"),
        ("blk.0.ffn_up_exps.weight", (64, 96, 8), "F16"),
    ]
    model = model_with("arctic", tensors, expert_count=8, expert_used_count=2)
    assert entry(model, "blk.0.ffn_up.weight").kind == "read"
    # hy_v3's graph takes the experts wherever a layer has a router.
    replaced = model_with("hy_v3", tensors, expert_count=8, expert_used_count=2)
    assert entry(replaced, "blk.0.ffn_up.weight").kind == "unread"


def test_experts_that_are_tensors_of_their_own_are_read_by_their_share() -> None:
    tensors = [("token_embd.weight", (64, 100), "F16"), *attention(0, 64, 2, 2, 32)]
    tensors += [("blk.0.ffn_gate_inp.weight", (64, 8), "F32")]
    tensors += [(f"blk.0.ffn_{part}.{expert}.weight", (64, 64), "F16")
                for expert in range(8) for part in ("gate", "up", "down")]  # fmt: skip
    keys = {"block_count": 1, "embedding_length": 64, "attention.head_count": 2,
            "expert_count": 8, "expert_used_count": 2}  # fmt: skip
    model = build_model(header("llama", keys, tensors))
    expert = 64 * 64 * 2
    rest = 100 * 64 * 2 + 4 * 64 * 64 * 2 + 64 * 8 * 4
    assert model.decode_weight_bytes == rest + 2 * 3 * expert
    assert model.active_weights == 4 * 64 * 64 + 64 * 8 + 2 * 3 * 64 * 64
    # 16 tokens touch 8 x (1 - (6 / 8)^16) = 7.92 experts.
    moved = micro_batch_weight_bytes(model, 16)
    assert moved == pytest.approx(rest + 8 * (1 - 0.75**16) * 3 * expert)
    assert "experts_alone" in {notice.id for notice in model.warnings}
