"""The three models of the first article and the small real model: known figures, to the byte.

The figures are the article's (weight bytes and KV bytes a token), the contract's example for
gpt-oss-20b, and hand arithmetic shown beside them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.small_model import small_model
from tokenroof.errors import UsageError
from tokenroof.gguf import Header, read_header
from tokenroof.model import Cache, build_model, inspection
from tokenroof.model.cache_bytes import rows_of_micro_batch, rows_of_prompt
from tokenroof.model.prefill import (
    expected_experts,
    micro_batch_cache_bytes,
    micro_batch_weight_bytes,
    prefill,
)


@pytest.mark.parametrize(
    ("header", "weight_bytes", "kv_bytes_per_token"),
    [
        (qwen3_8b, 4_869_359_872, 147_456),
        (gpt_oss_20b, 2_574_705_396, 24_576),
        (qwen3_coder_30b, 1_919_597_696, 98_304),
    ],
)
def test_a_token_of_the_articles_models_reads_what_the_article_says(
    header: Callable[[], Header], weight_bytes: int, kv_bytes_per_token: int
) -> None:
    model = build_model(header())
    assert model.decode_weight_bytes == weight_bytes
    assert model.kv_bytes_per_token() == kv_bytes_per_token
    assert model.decode_weight_bounds == (weight_bytes, weight_bytes)


def test_the_cache_of_qwen3_8b_outweighs_its_weights_after_33022_tokens() -> None:
    # 4,869,359,872 / 147,456 = 33,022.46: at 33,022 the cache is still the smaller one.
    model = build_model(qwen3_8b())
    assert model.depth_where_cache_outweighs_weights() == 33_022


def test_the_cache_of_a_model_with_windows_outweighs_its_weights_by_its_full_layers() -> None:
    # The windows are full: 12 x 2,048 x 128 B. Then 2,048 x 12 x d <= weights - windows.
    model = build_model(gpt_oss_20b())
    assert model.depth_where_cache_outweighs_weights() == (2_574_705_396 - 3_145_728) // 24_576


def test_the_inspection_of_gpt_oss_is_the_contracts_example() -> None:
    document = inspection(build_model(gpt_oss_20b()), [470, 31_600], [32_768]).to_dict()
    assert document["schema"] == "tokenroof.inspect/1"
    assert (
        document["model"].items()
        >= {
            "name": "Gpt Oss 20B",
            "architecture": "gpt-oss",
            "file_type": "MXFP4_MOE",
            "parameters": 20_914_757_184,
            "bits_per_weight": 4.63,
            "tensor_bytes": 12_096_558_336,
            "parts": 1,
        }.items()
    )
    assert document["groups"] == {
        "embedding": {"bytes": 615_329_280, "tensors": 1},
        "experts": {"bytes": 10_178_887_680, "tensors": 144},
        "other": {"bytes": 1_302_341_376, "tensors": 314},
        "unread": {"bytes": 0, "tensors": 0},
    }
    assert document["types"][0] == {"type": "MXFP4", "tensors": 72, "bytes": 10_152_345_600}
    assert document["decode"].items() >= {"weight_bytes": 2_574_705_396, "embedding": "row"}.items()
    assert document["experts"] == {"total": 32, "used": 4}
    assert document["kv"].items() >= {
        "type_k": "f16", "type_v": "f16", "bytes_per_token": 24_576, "state_bytes": 0,
    }.items()  # fmt: skip
    read = [(row["depth"], row["bytes"]) for row in document["kv"]["read"]]
    assert read == [(470, 14_696_448), (31_600, 779_747_328)]
    assert document["kv"]["allocated"] == [{"context": 32_768, "bytes": 824_180_736}]
    assert "tensors" not in document
    assert all(warning.keys() == {"id", "text", "where"} for warning in document["warnings"])


def test_the_tensor_rows_sum_to_the_file_and_to_what_a_token_reads() -> None:
    model = build_model(gpt_oss_20b())
    document = inspection(model, tensors=True).to_dict()
    rows = {row["name"]: row for row in document["tensors"]}
    assert rows["blk.0.attn_q.weight"] == {
        "name": "blk.0.attn_q.weight", "shape": [2880, 4096], "type": "Q8_0",
        "bytes": 12_533_760, "class": "read", "decode_bytes": 12_533_760,
    }  # fmt: skip
    # One row of 2,880 elements in blocks of 32 elements and 34 bytes; 4 of 32 experts.
    assert rows["token_embd.weight"]["decode_bytes"] == 2880 // 32 * 34
    assert rows["blk.0.ffn_up_exps.weight"]["decode_bytes"] == 2880 * 2880 * 4 // 32 * 17
    assert rows["blk.0.ffn_up_exps.bias"]["decode_bytes"] == 2880 * 4 * 4
    assert sum(row["decode_bytes"] for row in rows.values()) == 2_574_705_396
    assert sum(row["bytes"] for row in rows.values()) == 12_096_558_336
    assert {row["class"] for row in rows.values()} == {"read", "lookup", "expert"}


def test_every_tensor_of_the_small_real_model_is_read_as_its_embedding_is_tied() -> None:
    model = build_model(read_header(small_model()))
    assert model.embedding == "tied"
    assert model.decode_weight_bytes == model.tensor_bytes == 246_587_904
    # 18 layers, every sixth full; one KV head of 256 as key and value in f16.
    assert model.layer_kinds == {"full": 3, "window": 15}
    assert model.kv_read(1000) == (3 * 1000 + 15 * 512) * 2 * 256 * 2


def test_prefill_of_qwen3_8b_takes_872_teraflop_for_35700_tokens() -> None:
    # 36 layers of 4096 x (4096 + 2 x 1024 + 4096) + 3 x 4096 x 12288 weights; the head
    # 4096 x 151936, once. Attention: 36 layers x 4 x 32 x 128 per position seen.
    model = build_model(qwen3_8b())
    assert model.active_weights == 36 * (4096 * 10_240 + 3 * 4096 * 12_288)
    assert model.head_weights == 4096 * 151_936
    assert model.linear_flop(35_700) == 2 * 35_700 * 6_945_767_424 + 2 * 622_329_856
    assert model.attention_flop(35_700) == 36 * 16_384 * (35_700 * 35_701 // 2)
    assert round(model.linear_flop(35_700) / 1e12) == 496
    assert round(model.attention_flop(35_700) / 1e12) == 376
    assert round(model.prefill_flop(35_700) / 1e12) == 872


def test_the_next_token_computes_what_a_prompt_of_one_token_on_that_depth_does() -> None:
    model = build_model(qwen3_8b())
    attention = 36 * 16_384 * 1001
    assert model.decode_flop(1000) == 2 * (6_945_767_424 + 622_329_856) + attention


def test_sliding_layers_compute_over_their_window_only() -> None:
    model = build_model(gpt_oss_20b())
    a_position = 2 * 64 * (64 + 64)
    # At depth 1000 a token sees 1,001 positions in 12 layers and 128 in the other 12.
    assert model.attention_flop(1, 1000) == 12 * a_position * (1001 + 128)
    # Of 300 tokens from the start, token i sees min(i, 128): 128 x 129 / 2 + 172 x 128.
    seen = 300 * 301 // 2 + 128 * 129 // 2 + 172 * 128
    assert model.attention_flop(300) == 12 * a_position * seen


def test_a_micro_batch_touches_nearly_all_experts_and_one_token_its_own() -> None:
    model = build_model(qwen3_coder_30b())
    assert expected_experts(model, 1) == 8
    # 128 x (1 - (120 / 128)^512) = 128.0000: none is left out.
    assert expected_experts(model, 512) == pytest.approx(128, rel=1e-9)
    # 16 tokens: 128 x (1 - (15 / 16)^16) = 82.4.
    assert expected_experts(model, 16) == pytest.approx(82.42, abs=0.01)
    assert expected_experts(build_model(qwen3_8b()), 16) is None


def test_a_micro_batch_moves_dense_weights_once_and_of_experts_those_that_are_chosen() -> None:
    model = build_model(qwen3_coder_30b())
    assert micro_batch_weight_bytes(model, 1) == model.decode_weight_bytes
    many = micro_batch_weight_bytes(model, 4096)
    rows = 2048 // 256 * 144 * 4096
    table = 2048 * 151_936 // 256 * 144
    assert many == pytest.approx(model.tensor_bytes - table + rows, rel=1e-9)
    head = 2048 * 151_936 // 256 * 210
    without = micro_batch_weight_bytes(model, 4096, with_head=False)
    assert many is not None
    assert without == pytest.approx(many - head, rel=1e-9)


def test_a_micro_batch_reads_the_cache_once_beside_its_weights() -> None:
    assert micro_batch_cache_bytes(build_model(qwen3_8b()), 512, 1000) == 1512 * 147_456
    # A window of 128 ends 127 rows before the first of the 512 tokens; 12 layers of each kind.
    a_layer = 2048 * 12
    assert micro_batch_cache_bytes(build_model(gpt_oss_20b()), 512, 1000) == a_layer * (1512 + 639)
    assert micro_batch_cache_bytes(build_model(gpt_oss_20b()), 512) == a_layer * (512 + 512)


def test_a_prompt_is_read_in_micro_batches_the_last_one_with_the_head() -> None:
    model = build_model(qwen3_8b())
    read = prefill(model, 1300, ubatch=512)
    assert read.micro_batches == 3
    assert read.linear_flop == 1300 * 2 * 6_945_767_424 + 2 * 622_329_856
    # Attention: 4 x 32 heads x 128 x (1300 x 1301 / 2) in each of 36 layers.
    assert read.attention_flop == 36 * 4 * 32 * 128 * (1300 * 1301 // 2)
    # The cache after 512, 1,024 and 1,300 tokens.
    assert read.cache_bytes == (512 + 1024 + 1300) * 147_456
    head, rows = 510_504_960, 4096 // 256 * 144
    blocks = 4_869_359_872 - head - rows
    assert read.weight_bytes == 3 * blocks + head + 1300 * rows


def test_a_prompt_that_fits_one_micro_batch_moves_what_it_moves() -> None:
    model = build_model(qwen3_coder_30b())
    assert prefill(model, 300).micro_batches == 1
    assert prefill(model, 300).weight_bytes == micro_batch_weight_bytes(model, 300)
    with pytest.raises(UsageError):
        prefill(model, 0)


@pytest.mark.parametrize("depth", [0, 5, 127, 1000])
@pytest.mark.parametrize("tokens", [1, 7, 8, 9, 300, 1301])
@pytest.mark.parametrize("ubatch", [1, 8, 100])
@pytest.mark.parametrize(
    "cache",
    [
        Cache(0, "full", 1),
        Cache(0, "window", 1, window=1),
        Cache(0, "window", 1, window=128),
        Cache(0, "window", 1, window=3000),
        Cache(0, "compressed", 1, tokens_per_row=4),
        Cache(0, "compressed", 1, tokens_per_row=128),
    ],
)
def test_rows_of_a_prompt_are_those_of_its_micro_batches(
    cache: Cache, ubatch: int, tokens: int, depth: int
) -> None:
    starts = range(0, tokens, ubatch)
    summed = sum(
        rows_of_micro_batch(cache, depth + start, min(ubatch, tokens - start)) for start in starts
    )
    assert rows_of_prompt(cache, depth, tokens, ubatch) == summed


def test_a_prompt_of_any_length_is_answered_at_once() -> None:
    assert prefill(build_model(qwen3_8b()), 10**15, ubatch=1).micro_batches == 10**15
