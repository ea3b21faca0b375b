"""Phi 2, 3, 3.5 and 4: Q, K and V in one matrix, gate and up in another."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def phi2(config: Config) -> Sketch:
    """Phi 1.5 and 2: biases everywhere, no gate."""
    width, inner = config.width, 4 * config.width
    sketch = parts.start("phi2", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.put("output_norm.bias", width)
    sketch.put("output.bias", config.vocabulary)
    sketch.set("feed_forward_length", inner)
    sketch.set("rope.dimension_count", parts.turned(config, 0.5))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", bias=True)
        heads = config.heads
        parts.attention(block, width, heads, heads, config.head, bias=True, output_bias=True)
        parts.plain(block, width, inner, bias=True)
    return sketch


def phi3(config: Config) -> Sketch:
    """Phi 3, 3.5 and 4."""
    width, inner = config.width, config.feed_forward
    rows = (config.heads + 2 * config.kv_heads) * config.head
    sketch = parts.start("phi3", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", inner)
    sketch.set("attention.sliding_window", config.maybe("sliding_window") or 0)
    _positions(sketch, config)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        block.put("attn_qkv", width, rows)
        block.put("attn_output", config.heads * config.head, width)
        block.put("ffn_up", width, 2 * inner)
        block.put("ffn_down", inner, width)
    return sketch


def phimoe(config: Config) -> Sketch:
    """Phi 3.5 MoE: layer norms and biases."""
    width, bias = config.width, config.flag("attention_bias", default=True)
    sketch = parts.start("phimoe", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.put("output_norm.bias", width)
    sketch.put("output.bias", config.vocabulary)
    sketch.set("feed_forward_length", config.feed_forward)
    _positions(sketch, config)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm", bias=True)
        parts.own_attention(block, config, bias=bias, output_bias=bias)
        parts.experts(block, width, config.feed_forward, config.experts)
    return sketch


def _positions(sketch: Sketch, config: Config) -> None:
    """How far a head is turned, and the factors for long contexts."""
    turned = parts.turned(config, 1.0)
    sketch.set("rope.dimension_count", turned)
    sketch.set(
        "rope.scaling.original_context_length", config.maybe("original_max_position_embeddings")
    )
    if isinstance(config.rope.raw("long_factor"), list):
        sketch.put("rope_factors_long", turned // 2)
        sketch.put("rope_factors_short", turned // 2)
