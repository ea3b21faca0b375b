"""MiMo V2: sliding layers with a sink for each head, keys longer than values."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def mimo2(config: Config) -> Sketch:
    """MiMo V2 Flash and its kin."""
    width, layers, heads = config.width, config.layers, config.heads
    key, value = config.head, config.count("v_head_dim")
    slides = config.counts("hybrid_layer_pattern", layers)
    sparse = config.counts("moe_layer_freq", layers)
    by_kind = (config.kv_heads, config.count("swa_num_key_value_heads"))
    kv_heads = [by_kind[1 if each else 0] for each in slides]
    inner = config.count("moe_intermediate_size")
    sketch = parts.start("mimo2", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("attention.head_count_kv", kv_heads)
    sketch.set("attention.value_length", value)
    sketch.set("attention.sliding_window", config.count("sliding_window"))
    sketch.set("attention.sliding_window_pattern", [bool(each) for each in slides])
    sketch.set("attention.value_scale", config.number("attention_value_scale"))
    share = config.number("partial_rotary_factor", default=1.0) or 1.0
    sketch.set("rope.dimension_count", int(key * share))
    sketch.set("rope.freq_base_swa", config.number("swa_rope_theta"))
    epsilon = config.number("layernorm_epsilon", "rms_norm_eps", default=1e-5)
    sketch.set("attention.layer_norm_rms_epsilon", epsilon)
    for block in sketch.blocks(layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        kv = kv_heads[block.index]
        parts.attention(block, width, heads, kv, key)
        block.put("attn_v", width, kv * value)
        block.put("attn_output", heads * value, width)
        sinks = "add_swa_attention_sink_bias", "add_full_attention_sink_bias"
        if config.flag(sinks[0 if slides[block.index] else 1]):
            block.put("attn_sinks", heads)
        if sparse[block.index]:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
        else:
            parts.gated(block, width, config.feed_forward)
    sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch
