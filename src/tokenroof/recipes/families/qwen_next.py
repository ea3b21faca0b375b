"""Qwen 3 Next, 3.5 and 3.6: three layers of gated delta rule for one of attention."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch

_EVERY = 4


def qwen3next(config: Config) -> Sketch:
    """Qwen 3 Next."""
    return _hybrid("qwen3next", config)


def qwen35(config: Config) -> Sketch:
    """Qwen 3.5 and 3.6, dense."""
    return _hybrid("qwen35", config)


def qwen35moe(config: Config) -> Sketch:
    """Qwen 3.5 and 3.6 with experts."""
    return _hybrid("qwen35moe", config)


def _hybrid(architecture: str, config: Config) -> Sketch:
    layers, width = config.layers, config.width
    kinds = config.texts("layer_types", layers)
    every = config.count("full_attention_interval", default=_EVERY)
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("ssm.conv_kernel", config.count("linear_conv_kernel_dim"))
    sketch.set("ssm.state_size", config.count("linear_key_head_dim"))
    sketch.set("ssm.group_count", config.count("linear_num_key_heads"))
    sketch.set("ssm.time_step_rank", config.count("linear_num_value_heads"))
    values = config.count("linear_value_head_dim") * config.count("linear_num_value_heads")
    sketch.set("ssm.inner_size", values)
    sketch.set("full_attention_interval", every)
    share = config.rope.number("partial_rotary_factor") or config.number("partial_rotary_factor")
    sketch.set("rope.dimension_count", int(config.head * (share or 0.25)))
    if architecture != "qwen3next":
        sections = config.part("rope_parameters").numbers("mrope_section") or (11, 11, 10)
        sketch.set("rope.dimension_sections", [*sections, 0][:4])
    if config.experts:
        sketch.set("expert_feed_forward_length", config.count("moe_intermediate_size"))
        shared = config.count("shared_expert_intermediate_size")
        sketch.set("expert_shared_feed_forward_length", shared)
    if "intermediate_size" in config:
        sketch.set("feed_forward_length", config.feed_forward)
    for block in sketch.blocks(layers):
        parts.norms(block, width, "attn_norm", "post_attention_norm")
        is_linear = (
            kinds[block.index] == "linear_attention" if kinds else (block.index + 1) % every != 0
        )
        if is_linear:
            _delta(block, config, fused=architecture == "qwen3next")
        else:
            _attention(block, config)
        _feed_forward(block, config)
    if config.maybe("mtp_num_hidden_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def _attention(block: Block, config: Config) -> None:
    """Attention whose query carries a gate of its own size."""
    width, heads, kv_heads, head = config.width, config.heads, config.kv_heads, config.head
    parts.attention(block, width, heads, kv_heads, head)
    block.put("attn_q", width, 2 * heads * head)
    parts.qk_norm(block, head)


def _delta(block: Block, config: Config, *, fused: bool) -> None:
    width = config.width
    keys = config.count("linear_key_head_dim") * config.count("linear_num_key_heads")
    heads, head = config.count("linear_num_value_heads"), config.count("linear_value_head_dim")
    values, kernel = heads * head, config.count("linear_conv_kernel_dim")
    block.put("attn_qkv", width, 2 * keys + values)
    block.put("attn_gate", width, values)
    block.put("ssm_conv1d", kernel, 2 * keys + values)
    block.put("ssm_dt.bias", heads)
    block.put_bare("ssm_a", heads)
    if fused:
        block.put("ssm_ba", width, 2 * heads)
    else:
        block.put("ssm_beta", width, heads)
        block.put("ssm_alpha", width, heads)
    block.put("ssm_norm", head)
    block.put("ssm_out", values, width)


def _feed_forward(block: Block, config: Config) -> None:
    width, experts = config.width, config.experts
    if not experts:
        parts.gated(block, width, config.feed_forward)
        return
    parts.experts(block, width, config.count("moe_intermediate_size"), experts)
    parts.shared_expert(block, width, config.count("shared_expert_intermediate_size"))
    block.put("ffn_gate_inp_shexp", width)
