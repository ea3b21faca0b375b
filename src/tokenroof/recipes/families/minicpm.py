"""MiniCPM: Llama's shape with scales, and latent attention in its third version."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def minicpm(config: Config) -> Sketch:
    """MiniCPM 1, 2 and 4."""
    sketch = _start("minicpm", config)
    sketch.set("embedding_scale", config.number("scale_emb"))
    sketch.set("rope.dimension_count", config.head)
    _factors(sketch, config, config.head)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config)
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def minicpm3(config: Config) -> Sketch:
    """MiniCPM 3. The matrix that unfolds the latent row stays whole, so the rows are unfolded."""
    width, heads = config.width, config.heads
    query, rank = config.count("q_lora_rank"), config.count("kv_lora_rank")
    plain, turned = config.count("qk_nope_head_dim"), config.count("qk_rope_head_dim")
    if width % heads:
        config.contradicts("num_attention_heads", f"{width} / {heads}")
    value = width // heads
    sketch = _start("minicpm3", config)
    sketch.set("attention.q_lora_rank", query)
    sketch.set("attention.kv_lora_rank", rank)
    sketch.set("attention.key_length", plain + turned)
    sketch.set("rope.dimension_count", turned)
    _factors(sketch, config, turned)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        block.put("attn_q_a", width, query)
        block.put("attn_q_a_norm", query)
        block.put("attn_q_b", query, heads * (plain + turned))
        block.put("attn_kv_a_mqa", width, rank + turned)
        block.put("attn_kv_a_norm", rank)
        block.put("attn_kv_b", rank, heads * (plain + value))
        block.put("attn_output", heads * value, width)
        parts.gated(block, width, config.feed_forward)
    return sketch


def _start(architecture: str, config: Config) -> Sketch:
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    sketch.set("feed_forward_length", config.feed_forward)
    return sketch


def _factors(sketch: Sketch, config: Config, turned: int) -> None:
    if isinstance(config.rope.raw("long_factor"), list):
        sketch.put("rope_factors_long", turned // 2)
        sketch.put("rope_factors_short", turned // 2)
