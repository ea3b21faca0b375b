"""Models with experts whose layers are otherwise as Llama's."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.converter import half_type
from tokenroof.recipes.sketch import Sketch


def hunyuan_moe(config: Config) -> Sketch:
    """Hunyuan A13B."""
    width, inner, experts = config.width, config.uniform("moe_intermediate_size"), config.experts
    shared = config.feed_forward
    config = config.defaulting(moe_topk=None, num_experts_per_tok=config.uniform("moe_topk"))
    sketch = parts.start("hunyuan-moe", config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_feed_forward_length", shared)
    sketch.set("expert_shared_count", config.uniform("num_shared_expert"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config, bias=config.flag("attention_bias"))
        parts.qk_norm(block, config.head)
        parts.experts(block, width, inner, experts)
        parts.shared_expert(block, width, shared)
    return sketch


def ernie_moe(config: Config) -> Sketch:
    """ERNIE 4.5 with experts."""
    width, inner = config.width, config.count("moe_intermediate_size")
    first = config.count("moe_layer_start_index", least=0)
    shared = (config.maybe("moe_num_shared_experts") or 0) * inner
    sketch = parts.start("ernie4_5-moe", config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("leading_dense_block_count", first)
    sketch.set("interleave_moe_layer_step", config.count("moe_layer_interval", default=1))
    sketch.set("expert_shared_count", config.maybe("moe_num_shared_experts") or 0)
    if shared:
        sketch.set("expert_shared_feed_forward_length", shared)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config, bias=config.flag("use_bias"))
        if block.index < first:
            parts.gated(block, width, config.feed_forward)
            continue
        parts.experts(block, width, inner, config.experts, probs_bias=True)
        if shared:
            parts.shared_expert(block, width, shared)
    return sketch


def bailingmoe2(config: Config) -> Sketch:
    """Ling and Ring 2: Q, K and V in one matrix."""
    width, head, inner = config.width, config.head, config.count("moe_intermediate_size")
    dense, shared = (
        config.count("first_k_dense_replace", least=0),
        config.count("num_shared_experts"),
    )
    shared_inner = config.count("moe_shared_expert_intermediate_size", default=inner * shared)
    rows = (config.heads + 2 * config.kv_heads) * head
    sketch = parts.start("bailingmoe2", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    share = config.number("partial_rotary_factor", default=0.5) or 0.5
    sketch.set("rope.dimension_count", int(head * share))
    sketch.set("leading_dense_block_count", dense)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_feed_forward_length", shared_inner)
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    sketch.set("expert_shared_count", shared)
    sketch.set("expert_weights_norm", config.flag("norm_topk_prob"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        block.put("attn_qkv", width, rows)
        block.put("attn_output", config.heads * head, width)
        parts.qk_norm(block, head)
        if block.index < dense:
            parts.gated(block, width, config.feed_forward)
        else:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
            parts.shared_expert(block, width, shared_inner * shared)
    if config.maybe("num_nextn_predict_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def dots1(config: Config) -> Sketch:
    """dots.llm1."""
    width, inner = config.width, config.count("moe_intermediate_size")
    dense, shared = config.count("first_k_dense_replace", least=0), config.count("n_shared_experts")
    sketch = parts.start("dots1", config)
    sketch.set("expert_gating_func", parts.GATING["sigmoid"])
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("leading_dense_block_count", dense)
    sketch.set("expert_shared_count", shared)
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    sketch.set("expert_weights_norm", config.flag("norm_topk_prob"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config, bias=config.flag("attention_bias"))
        parts.qk_norm(block, config.head)
        if block.index < dense:
            parts.gated(block, width, config.feed_forward)
        else:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
            parts.shared_expert(block, width, inner * shared)
    return sketch


def olmoe(config: Config) -> Sketch:
    """OLMoE: norms over all heads together."""
    width = config.width
    sketch = parts.start("olmoe", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.layer_norm_rms_epsilon", 1e-5)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm", "attn_q_norm", "attn_k_norm")
        parts.own_attention(block, config)
        parts.experts(block, width, config.feed_forward, config.experts)
    return sketch


def dbrx(config: Config) -> Sketch:
    """DBRX: Q, K and V in one matrix, a layer norm after attention's own."""
    own, inner_part = config.part("attn_config"), config.part("ffn_config")
    inner = inner_part.count("ffn_hidden_size")
    config = config.defaulting(
        hidden_size=config.count("d_model"),
        max_position_embeddings=config.maybe("max_seq_len"),
        num_key_value_heads=own.count("kv_n_heads"),
        rope_theta=own.number("rope_theta"),
        num_experts=inner_part.count("moe_num_experts"),
        num_experts_per_tok=inner_part.count("moe_top_k"),
    )
    width, head = config.width, config.head
    sketch = parts.start("dbrx", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", inner)
    sketch.set("attention.layer_norm_epsilon", 1e-5)
    sketch.set("attention.clamp_kqv", own.number("clip_qkv"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "attn_output_norm")
        block.put("attn_qkv", width, (config.heads + 2 * config.kv_heads) * head)
        block.put("attn_output", config.heads * head, width)
        parts.experts(block, width, inner, config.experts)
        # Of this model the converter narrows the router as well, and the quantiser leaves it so.
        block.put("ffn_gate_inp", width, config.experts, stored=half_type(config))
    return sketch


def grok(config: Config) -> Sketch:
    """Grok: norms around both parts, and since its second version a dense part beside experts."""
    width = config.width
    inner = config.count("moe_intermediate_size", "intermediate_size")
    sketch = parts.start("grok", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", config.maybe("moe_intermediate_size"))
    sketch.set("rope.dimension_count", config.head)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "attn_output_norm", "ffn_norm", "post_ffw_norm")
        parts.own_attention(block, config)
        parts.experts(block, width, inner, config.experts)
        if config.flag("residual_moe"):
            parts.gated(block, width, config.feed_forward)
    return sketch
