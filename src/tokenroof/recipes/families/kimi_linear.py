"""Kimi Linear: three layers of delta attention for one of latent attention."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch


def kimi_linear(config: Config) -> Sketch:
    """Kimi Linear."""
    layers, width, inner = config.layers, config.width, config.count("moe_intermediate_size")
    linear = config.part("linear_attn_config")
    full = {layer - 1 for layer in linear.numbers("full_attn_layers")}
    rank, turned = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    dense, shared = (
        config.count("first_k_dense_replace", least=0),
        config.count("num_shared_experts"),
    )
    sketch = parts.start("kimi-linear", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.head_count_kv", [int(layer in full) for layer in range(layers)])
    sketch.set("attention.kv_lora_rank", rank)
    sketch.set("attention.key_length", rank + turned)
    sketch.set("attention.value_length", rank)
    sketch.set("attention.key_length_mla", config.count("qk_nope_head_dim") + turned)
    sketch.set("attention.value_length_mla", config.count("v_head_dim"))
    sketch.set("rope.dimension_count", turned)
    sketch.set("ssm.conv_kernel", linear.count("short_conv_kernel_size"))
    sketch.set("kda.head_dim", linear.count("head_dim"))
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_count", shared)
    sketch.set("leading_dense_block_count", dense)
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    for block in sketch.blocks(layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        if block.index in full:
            _latent(block, config)
        else:
            _delta(block, config, linear)
        if block.index < dense:
            parts.gated(block, width, config.feed_forward)
        else:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
            parts.shared_expert(block, width, inner * shared)
    return sketch


def _latent(block: Block, config: Config) -> None:
    width, heads = config.width, config.heads
    rank, turned = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    plain, value = config.count("qk_nope_head_dim"), config.count("v_head_dim")
    block.put("attn_q", width, heads * (plain + turned))
    block.put("attn_kv_a_mqa", width, rank + turned)
    block.put("attn_kv_a_norm", rank)
    block.put("attn_k_b", plain, rank, heads)
    block.put("attn_v_b", rank, value, heads)
    block.put("attn_output", heads * value, width)


def _delta(block: Block, config: Config, linear: Config) -> None:
    width, heads = config.width, linear.count("num_heads")
    head, kernel = linear.count("head_dim"), linear.count("short_conv_kernel_size")
    inner = heads * head
    parts.attention(block, width, heads, heads, head)
    for name in ("q", "k", "v"):
        block.put(f"ssm_conv1d_{name}", kernel, 1, inner, 1)
    for name in ("f", "g"):
        block.put(f"ssm_{name}_a", width, head)
        block.put(f"ssm_{name}_b", head, inner)
    block.put("ssm_beta", width, heads)
    block.put_bare("ssm_a", 1, heads, 1, 1)
    block.put("ssm_dt.bias", inner)
    block.put("ssm_norm", head)
