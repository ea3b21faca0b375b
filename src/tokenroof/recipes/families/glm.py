"""GLM 4, dense and with experts; ChatGLM before it."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def glm4(config: Config) -> Sketch:
    """GLM 4 of 2025: four norms a layer, gate and up in one matrix."""
    width, head = config.width, config.head
    sketch = parts.start("glm4", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("rope.dimension_count", _turned(config, head))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
        bias = config.flag("attention_bias")
        parts.attention(block, width, config.heads, config.kv_heads, head, bias=bias)
        block.put("ffn_up", width, 2 * config.feed_forward)
        block.put("ffn_down", config.feed_forward, width)
    return sketch


def glm4moe(config: Config) -> Sketch:
    """GLM 4.5 to 4.7: their files hold the block for multi-token prediction."""
    width, head, layers = config.width, config.head, config.layers
    inner, experts = config.count("moe_intermediate_size"), config.experts
    extra = config.maybe("num_nextn_predict_layers") or 0
    dense = config.maybe("first_k_dense_replace") or 0
    shared = config.maybe("n_shared_experts") or 0
    sketch = parts.start("glm4moe", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("block_count", layers + extra)
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("rope.dimension_count", _turned(config, head))
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_count", shared)
    sketch.set("leading_dense_block_count", dense)
    sketch.set("expert_gating_func", parts.GATING["sigmoid"])
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    sketch.set("expert_weights_norm", config.flag("norm_topk_prob"))
    if extra:
        sketch.set("nextn_predict_layers", extra)
    for block in sketch.blocks(layers + extra):
        parts.norms(block, width, "attn_norm", "post_attention_norm")
        bias = config.flag("attention_bias")
        parts.attention(block, width, config.heads, config.kv_heads, head, bias=bias)
        if config.flag("use_qk_norm"):
            parts.qk_norm(block, head)
        if block.index < dense:
            parts.gated(block, width, config.feed_forward)
        else:
            parts.experts(block, width, inner, experts, probs_bias=True)
            if shared:
                parts.shared_expert(block, width, inner * shared)
        if block.index >= layers:
            parts.next_token_block(block, width)
            if not config.flag("mtp_shares_embedding"):
                block.put("nextn.embed_tokens", width, config.vocabulary)
                block.put("nextn.shared_head_head", width, config.vocabulary)
    return sketch


def chatglm(config: Config) -> Sketch:
    """ChatGLM 3 and GLM 4 of 2024: Q, K and V in one matrix, gate and up in another."""
    width, head = config.width, config.head
    kv_heads = config.kv_heads if config.flag("multi_query_attention", default=True) else None
    kv_heads = kv_heads or config.heads
    rows = (config.heads + 2 * kv_heads) * head
    sketch = parts.start("chatglm", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.head_count_kv", kv_heads)
    sketch.set(
        "attention.layer_norm_rms_epsilon",
        config.number("layernorm_epsilon", "rms_norm_eps", default=1e-5),
    )
    sketch.set("rope.dimension_count", _turned(config, head))
    bias = config.flag("add_qkv_bias", "add_bias_linear", "attention_bias")
    is_fused = "multi_query_group_num" in config
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        if is_fused:
            block.put("attn_qkv", width, rows)
            if bias:
                block.put("attn_qkv.bias", rows)
            block.put("attn_output", config.heads * head, width)
        else:
            parts.attention(block, width, config.heads, kv_heads, head, bias=bias)
        block.put("ffn_up", width, 2 * config.feed_forward)
        block.put("ffn_down", config.feed_forward, width)
    return sketch


def _turned(config: Config, head: int) -> int:
    """How much of a head is turned by position."""
    share = config.rope.number("partial_rotary_factor")
    share = share if share is not None else config.number("partial_rotary_factor")
    return int(head * (0.5 if share is None else share))
