"""The three models of the first article, rebuilt as headers from their published dimensions.

Sources: the models' config.json (Qwen/Qwen3-8B, openai/gpt-oss-20b, Qwen/Qwen3-Coder-30B-A3B) and
llama.cpp's quantiser for the types: in Q4_K_M, attn_v and ffn_down are Q6_K in the first and the
last eighth of the layers and in every third one between, else Q4_K; the output is Q6_K. Ollama's
build of qwen3:8b stores every attn_v in F16. gpt-oss keeps its experts in MXFP4, the rest in Q8_0.
"""

from __future__ import annotations

from tokenroof.gguf import Header

Tensor = tuple[str, tuple[int, ...], str]


def gets_more_bits(index: int, count: int) -> bool:
    """Whether Q4_K_M stores the tensor with this index of `count` in a better type."""
    eighth = count // 8
    return index < eighth or index >= 7 * count // 8 or (index - eighth) % 3 == 2


def qwen3_8b() -> Header:
    """qwen3:8b as Ollama serves it: dense, 36 layers, 8 KV heads of 128."""
    width, layers, vocabulary = 4096, 36, 151_936
    tensors: list[Tensor] = [
        ("token_embd.weight", (width, vocabulary), "Q4_K"),
        ("output_norm.weight", (width,), "F32"),
        ("output.weight", (width, vocabulary), "Q6_K"),
    ]
    for layer in range(layers):
        better = "Q6_K" if gets_more_bits(layer, layers) else "Q4_K"
        tensors += _qwen3_attention(layer, width, heads=32, kv_heads=8, value_type="F16")
        tensors += [
            (f"blk.{layer}.ffn_gate.weight", (width, 12_288), "Q4_K"),
            (f"blk.{layer}.ffn_up.weight", (width, 12_288), "Q4_K"),
            (f"blk.{layer}.ffn_down.weight", (12_288, width), better),
        ]
    metadata = {
        "general.architecture": "qwen3",
        "general.name": "Qwen3 8B",
        "general.file_type": 15,
        "qwen3.block_count": layers,
        "qwen3.context_length": 40_960,
        "qwen3.embedding_length": width,
        "qwen3.feed_forward_length": 12_288,
        "qwen3.attention.head_count": 32,
        "qwen3.attention.head_count_kv": 8,
        "qwen3.attention.key_length": 128,
        "qwen3.attention.value_length": 128,
    }
    return Header.build(metadata, tensors)


def qwen3_coder_30b() -> Header:
    """qwen3-coder:30b: 48 layers, 8 of 128 experts of width 768, 4 KV heads of 128."""
    width, layers, vocabulary, experts, expert_width = 2048, 48, 151_936, 128, 768
    tensors: list[Tensor] = [
        ("token_embd.weight", (width, vocabulary), "Q4_K"),
        ("output_norm.weight", (width,), "F32"),
        ("output.weight", (width, vocabulary), "Q6_K"),
    ]
    for layer in range(layers):
        better = "Q6_K" if gets_more_bits(layer, layers) else "Q4_K"
        tensors += _qwen3_attention(layer, width, heads=32, kv_heads=4, value_type=better)
        tensors += [
            (f"blk.{layer}.ffn_gate_inp.weight", (width, experts), "F32"),
            (f"blk.{layer}.ffn_gate_exps.weight", (width, expert_width, experts), "Q4_K"),
            (f"blk.{layer}.ffn_up_exps.weight", (width, expert_width, experts), "Q4_K"),
            (f"blk.{layer}.ffn_down_exps.weight", (expert_width, width, experts), better),
        ]
    metadata = {
        "general.architecture": "qwen3moe",
        "general.name": "Qwen3 Coder 30B A3B Instruct",
        "general.file_type": 15,
        "qwen3moe.block_count": layers,
        "qwen3moe.context_length": 262_144,
        "qwen3moe.embedding_length": width,
        "qwen3moe.feed_forward_length": 5472,
        "qwen3moe.expert_count": experts,
        "qwen3moe.expert_used_count": 8,
        "qwen3moe.expert_feed_forward_length": expert_width,
        "qwen3moe.attention.head_count": 32,
        "qwen3moe.attention.head_count_kv": 4,
        "qwen3moe.attention.key_length": 128,
        "qwen3moe.attention.value_length": 128,
    }
    return Header.build(metadata, tensors)


def gpt_oss_20b() -> Header:
    """gpt-oss-20b: 24 layers, every other sliding over 128 tokens, 4 of 32 experts."""
    width, layers, vocabulary, experts = 2880, 24, 201_088, 32
    queries, keys = 64 * 64, 8 * 64
    tensors: list[Tensor] = [
        ("token_embd.weight", (width, vocabulary), "Q8_0"),
        ("output_norm.weight", (width,), "F32"),
        ("output.weight", (width, vocabulary), "Q8_0"),
    ]
    for layer in range(layers):
        block = f"blk.{layer}"
        tensors += [
            (f"{block}.attn_norm.weight", (width,), "F32"),
            (f"{block}.attn_q.weight", (width, queries), "Q8_0"),
            (f"{block}.attn_q.bias", (queries,), "F32"),
            (f"{block}.attn_k.weight", (width, keys), "Q8_0"),
            (f"{block}.attn_k.bias", (keys,), "F32"),
            (f"{block}.attn_v.weight", (width, keys), "Q8_0"),
            (f"{block}.attn_v.bias", (keys,), "F32"),
            (f"{block}.attn_output.weight", (queries, width), "Q8_0"),
            (f"{block}.attn_output.bias", (width,), "F32"),
            (f"{block}.attn_sinks.weight", (64,), "F32"),
            (f"{block}.post_attention_norm.weight", (width,), "F32"),
            (f"{block}.ffn_gate_inp.weight", (width, experts), "F32"),
            (f"{block}.ffn_gate_inp.bias", (experts,), "F32"),
        ]
        for part in ("gate", "up", "down"):
            tensors += [
                (f"{block}.ffn_{part}_exps.weight", (width, width, experts), "MXFP4"),
                (f"{block}.ffn_{part}_exps.bias", (width, experts), "F32"),
            ]
    metadata = {
        "general.architecture": "gpt-oss",
        "general.name": "Gpt Oss 20B",
        "general.file_type": 38,
        "gpt-oss.block_count": layers,
        "gpt-oss.context_length": 131_072,
        "gpt-oss.embedding_length": width,
        "gpt-oss.feed_forward_length": width,
        "gpt-oss.expert_count": experts,
        "gpt-oss.expert_used_count": 4,
        "gpt-oss.expert_feed_forward_length": width,
        "gpt-oss.attention.head_count": 64,
        "gpt-oss.attention.head_count_kv": 8,
        "gpt-oss.attention.key_length": 64,
        "gpt-oss.attention.value_length": 64,
        "gpt-oss.attention.sliding_window": 128,
    }
    return Header.build(metadata, tensors)


def _qwen3_attention(
    layer: int, width: int, *, heads: int, kv_heads: int, value_type: str
) -> list[Tensor]:
    block, length = f"blk.{layer}", 128
    return [
        (f"{block}.attn_norm.weight", (width,), "F32"),
        (f"{block}.attn_q.weight", (width, heads * length), "Q4_K"),
        (f"{block}.attn_k.weight", (width, kv_heads * length), "Q4_K"),
        (f"{block}.attn_v.weight", (width, kv_heads * length), value_type),
        (f"{block}.attn_output.weight", (heads * length, width), "Q4_K"),
        (f"{block}.attn_q_norm.weight", (length,), "F32"),
        (f"{block}.attn_k_norm.weight", (length,), "F32"),
        (f"{block}.ffn_norm.weight", (width,), "F32"),
    ]
