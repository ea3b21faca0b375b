"""Published sizes of KV caches, to the byte.

Sources: llama.cpp's allocator (its logs for Llama-3.1-8B, Qwen3-8B, Llama-2-7B, gpt-oss-20b), and
the arithmetic of the field reports beside each test.
"""

from __future__ import annotations

import pytest

from support.article_models import gpt_oss_20b
from support.model_headers import Tensor, attention, dense, header
from tokenroof.errors import UsageError
from tokenroof.model import Model, build_model

MIB = 2**20
GIB = 2**30


def llama_3_1_8b() -> Model:
    return build_model(dense("llama", layers=32, width=4096, heads=32, kv_heads=8, length=128))


def gemma_3_12b() -> Model:
    return build_model(
        dense(
            "gemma3",
            layers=48, width=3840, heads=16, kv_heads=8, length=256, tied=True,
            attention__sliding_window=1024,
        )
    )  # fmt: skip


def qwen35moe(layers: int = 40, kv_heads: int = 2, length: int = 256) -> Model:
    """A hybrid: every fourth layer attends, the others are gated delta nets."""
    width = 2048
    tensors: list[Tensor] = [("token_embd.weight", (width, 100), "F16")]
    for block in range(layers):
        if (block + 1) % 4 == 0:
            tensors += attention(block, width, 16, kv_heads, length)
        else:
            tensors += [
                (f"blk.{block}.attn_qkv.weight", (width, 8192), "F16"),
                (f"blk.{block}.attn_gate.weight", (width, 4096), "F16"),
                (f"blk.{block}.ssm_conv1d.weight", (4, 8192), "F32"),
                (f"blk.{block}.ssm_out.weight", (4096, width), "F16"),
            ]
    keys = {
        "block_count": layers, "embedding_length": width, "full_attention_interval": 4,
        "attention.head_count": 16, "attention.head_count_kv": kv_heads,
        "attention.key_length": length, "attention.value_length": length,
        "ssm.conv_kernel": 4, "ssm.inner_size": 4096, "ssm.state_size": 128,
        "ssm.group_count": 16, "ssm.time_step_rank": 32,
    }  # fmt: skip
    return build_model(header("qwen35", keys, tensors))


@pytest.mark.parametrize(
    ("layers", "kv_heads", "length", "bytes_per_token"),
    [
        (32, 8, 128, 131_072),  # Llama-3.1-8B
        (36, 8, 128, 147_456),  # Qwen3-8B
        (32, 32, 128, 524_288),  # Llama-2-7B
        (80, 8, 128, 327_680),  # Llama-3-70B
    ],
)
def test_a_token_takes_two_rows_of_every_kv_head_in_every_layer(
    layers: int, kv_heads: int, length: int, bytes_per_token: int
) -> None:
    model = build_model(
        dense("llama", layers=layers, width=4096, heads=32, kv_heads=kv_heads, length=length)
    )
    assert model.kv_bytes_per_token() == bytes_per_token
    assert model.kv_read(1000) == 1000 * bytes_per_token
    assert model.kv_allocated(8192) == 8192 * bytes_per_token


def test_a_quantised_cache_takes_its_blocks() -> None:
    # q8_0: 34 bytes for 32 numbers instead of 64; q4_0: 18.
    model = llama_3_1_8b()
    assert model.kv_bytes_per_token("q8_0", "q8_0") == 69_632
    assert model.kv_bytes_per_token("q4_0", "q4_0") == 131_072 * 18 // 64
    assert model.kv_bytes_per_token("q8_0", "f16") == 65_536 + 34_816
    assert model.kv_bytes_per_token("f32", "bf16") == 131_072 + 65_536


def test_quantised_caches_of_a_hybrid_follow_from_the_format() -> None:
    # 16 layers x 4 heads x 256 at 262,144 tokens: 4.50 GiB in q4_0, 8.50 GiB in q8_0.
    model = build_model(dense("llama", layers=16, width=4096, heads=16, kv_heads=4, length=256))
    assert model.kv_allocated(262_144, type_k="q4_0", type_v="q4_0") == 4.5 * GIB
    assert model.kv_allocated(262_144, type_k="q8_0", type_v="q8_0") == 8.5 * GIB


def test_gemma_3_12b_grows_in_8_layers_and_keeps_480_mib_of_windows() -> None:
    model = gemma_3_12b()
    assert model.kv_bytes_per_token() == 65_536
    assert model.layer_kinds == {"full": 8, "window": 40}
    windows = (model.kv_allocated(32_768) or 0) - 32_768 * 65_536
    assert windows == 480 * MIB


def test_four_unified_slots_keep_windows_for_all_of_them() -> None:
    # 4 x 1024 + 512 = 4608 cells, three times the 1536 of one slot.
    model = gemma_3_12b()
    allocated = model.kv_allocated(32_768, sequences=4, unified=True) or 0
    assert allocated - 32_768 * 65_536 == 1440 * MIB


def test_slots_that_are_not_unified_have_a_padded_context_each() -> None:
    # -c 4096 -np 2 gives 2,048 each; 4,000 / 3 = 1,333 is padded to 1,536 each.
    model = llama_3_1_8b()
    assert model.kv_allocated(4096, sequences=2) == 2 * 2048 * 131_072
    assert model.kv_allocated(4000, sequences=3) == 3 * 1536 * 131_072


def test_windows_as_long_as_the_context_on_request() -> None:
    # 48 layers of 8 x (256 + 256) x 2 B at 4,096 cells.
    assert gemma_3_12b().kv_allocated(4096, swa_full=True) == 48 * 8192 * 4096


def test_the_micro_batch_is_cut_to_the_context_before_it_is_padded() -> None:
    # 300 tokens: the micro-batch is 300, not 512; the window's cache never exceeds the context.
    model = gemma_3_12b()
    assert model.kv_allocated(300) == 48 * 8192 * 512
    # At 1,100 tokens: context 1,280 cells; window 1,024 + min(64, 1,100) = 1,088 -> 1,280.
    assert model.kv_allocated(1100, ubatch=64) == 48 * 8192 * 1280
    assert model.kv_allocated(2000, ubatch=64) == 8 * 8192 * 2048 + 40 * 8192 * 1280


def test_gpt_oss_120b_grows_by_half_of_its_layers() -> None:
    model = build_model(
        dense("gpt-oss", layers=36, width=2880, heads=64, kv_heads=8, length=64,
              attention__sliding_window=128)
    )  # fmt: skip
    assert model.kv_bytes_per_token() == 36_864
    # An engine that keeps all layers alike would need 73,728; which one is meant is said.
    assert "engine_windows" in {notice.id for notice in model.warnings}


def test_gpt_oss_20b_keeps_18_mib_of_windows_and_384_mib_at_16384() -> None:
    model = build_model(gpt_oss_20b())
    assert (model.kv_allocated(16_384) or 0) == 384 * MIB + 18 * MIB


def test_mla_keeps_one_latent_row_and_no_values() -> None:
    # DeepSeek-V3: 61 layers x (512 + 64) x 2 B.
    tensors: list[Tensor] = [
        (f"blk.{block}.attn_kv_a_mqa.weight", (7168, 576), "Q8_0") for block in range(61)
    ]
    keys = {
        "block_count": 61, "embedding_length": 7168, "attention.head_count": 128,
        "attention.head_count_kv": 1, "attention.key_length": 576, "attention.value_length": 512,
        "attention.key_length_mla": 192, "attention.value_length_mla": 128,
        "attention.kv_lora_rank": 512,
    }  # fmt: skip
    model = build_model(header("deepseek2", keys, tensors))
    assert model.kv_bytes_per_token() == 70_272
    assert model.layer_kinds == {"latent": 61}
    # Absorbed: 128 heads compare with 512 + 64 numbers and take up 512, per position.
    assert model.attention_flop(1, 0) == 61 * 2 * 128 * (2 * 512 + 64)
    with pytest.raises(UsageError, match="share one row"):
        model.kv_bytes_per_token("q8_0", "f16")


def test_an_old_mla_file_keeps_full_keys_and_values() -> None:
    tensors: list[Tensor] = [
        (f"blk.{block}.attn_kv_a_mqa.weight", (2048, 576), "Q8_0") for block in range(27)
    ]
    keys = {
        "block_count": 27, "embedding_length": 2048, "attention.head_count": 16,
        "attention.head_count_kv": 16, "attention.key_length": 192,
        "attention.value_length": 128, "attention.kv_lora_rank": 512,
    }  # fmt: skip
    model = build_model(header("deepseek2", keys, tensors))
    assert model.kv_bytes_per_token() == 27 * 16 * (192 + 128) * 2
    assert model.layer_kinds == {"full": 27}


def test_a_hybrid_grows_only_where_it_attends() -> None:
    # 40 blocks, every fourth attends: 10 x 2 heads x (256 + 256) x 2 B.
    model = qwen35moe()
    assert model.kv_bytes_per_token() == 20_480
    assert (model.kv_allocated(65_536) or 0) - model.state_bytes == 1.25 * GIB
    assert (model.kv_allocated(262_144) or 0) - model.state_bytes == 5 * GIB
    # qwen3.5-9b: 8 of 32 layers, 4 heads: 110,000 tokens need 3.60 GB.
    assert 110_000 * (qwen35moe(32, 4).kv_bytes_per_token() or 0) == 3_604_480_000


def test_states_do_not_grow_and_count_twice_when_read() -> None:
    # 30 layers: (3 x 8,192 + 128 x 4,096) x 4 B each.
    model = qwen35moe()
    states = 30 * (3 * 8192 + 128 * 4096) * 4
    assert model.state_bytes == states
    assert model.kv_read(0) == 2 * states
    assert model.kv_read(1000) == 2 * states + 1000 * 20_480
    assert model.kv_allocated(256) == states + 256 * 20_480
    assert model.kv_allocated(256, sequences=2, unified=True) == 2 * states + 256 * 20_480
