"""Falcon H1: attention and Mamba 2 side by side in every layer."""

from __future__ import annotations

from tokenroof.recipes import mamba, parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def falcon_h1(config: Config) -> Sketch:
    """Falcon H1."""
    width = config.width
    sketch = parts.start("falcon-h1", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.key_length", config.head)
    sketch.set("attention.value_length", config.head)
    shape = mamba.shape(
        inner=config.count("mamba_d_ssm"),
        state=config.count("mamba_d_state"),
        heads=config.count("mamba_n_heads"),
        groups=config.count("mamba_n_groups"),
        kernel=config.count("mamba_d_conv"),
        bias=config.flag("mamba_conv_bias", default=True),
    )
    mamba.keys(sketch, shape)
    normed = config.flag("mamba_rms_norm")
    bias = config.flag("attention_bias")
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm")
        block.put_bare("ffn_norm", width)
        mamba.layer(block, width, shape, normed=normed)
        heads, kv_heads = config.heads, config.kv_heads
        parts.attention(block, width, heads, kv_heads, config.head, bias=bias, output_bias=bias)
        parts.gated(block, width, config.feed_forward, bias=config.flag("mlp_bias"))
    return sketch
