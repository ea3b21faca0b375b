"""Step 3.5 and 3.7 Flash: sliding layers with more heads, a gate for each head."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

_SLIDES = "sliding_attention"


def step35(config: Config) -> Sketch:
    """Step 3.5 Flash and 3.7 Flash."""
    width, head, layers = config.width, config.head, config.layers
    other = config.part("attention_other_setting")
    full = (config.heads, config.count("num_attention_groups"))
    slides = (
        other.count("num_attention_heads", default=full[0]),
        other.count("num_attention_groups", default=full[1]),
    )
    kinds = config.raw("layer_types")
    if not isinstance(kinds, list) or len(kinds) < layers:
        config.contradicts("layer_types", f"≠ {layers}")
    heads = [slides if kind == _SLIDES else full for kind in kinds[:layers]]
    inner, shared = config.count("moe_intermediate_size"), config.count("share_expert_dim")
    sparse = _sparse_layers(config)
    sketch = parts.start("step35", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.head_count", [each[0] for each in heads])
    sketch.set("attention.head_count_kv", [each[1] for each in heads])
    sketch.set("attention.value_length", head)
    sketch.set("attention.sliding_window", config.count("sliding_window"))
    sketch.set("attention.sliding_window_pattern", [kind == _SLIDES for kind in kinds[:layers]])
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_feed_forward_length", shared)
    sketch.set("expert_weights_scale", config.number("moe_router_scaling_factor"))
    sketch.set("expert_weights_norm", config.flag("norm_expert_weight"))
    sketch.set("leading_dense_block_count", min(sparse, default=0))
    sketch.set("moe_every_n_layers", config.count("moe_every_n_layer", default=1))
    for block, (query_heads, kv_heads) in zip(sketch.blocks(layers), heads, strict=True):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.attention(block, width, query_heads, kv_heads, head)
        parts.qk_norm(block, head)
        block.put("attn_gate", width, query_heads)
        if block.index in sparse:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
            parts.shared_expert(block, width, shared)
        else:
            parts.gated(block, width, config.feed_forward)
    if (config.rope.text("rope_type") or "").lower() == "llama3":
        sketch.put("rope_freqs", head // 2)
    if config.maybe("num_nextn_predict_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def _sparse_layers(config: Config) -> set[int]:
    listed = config.raw("moe_layers_enum")
    if listed is None:
        return set(range(config.layers))
    try:
        return {int(each) for each in str(listed).strip("()[]").split(",") if each.strip()}
    except ValueError:
        config.contradicts("moe_layers_enum", str(listed)[:40])
