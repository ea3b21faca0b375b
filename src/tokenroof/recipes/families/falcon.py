"""Falcon, the first: one matrix for Q, K and V, layer norms, no gate."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

_CONTEXT = 2048
"""The converter writes it, since no config says it."""


def falcon(config: Config) -> Sketch:
    """Falcon 7B, 40B and 180B. The two larger have a norm for each part of a layer."""
    keys = config.count("num_kv_heads", "n_head_kv", default=1)
    config = config.defaulting(num_key_value_heads=keys, max_position_embeddings=_CONTEXT)
    width, kv_heads, head = config.width, config.kv_heads, config.head
    sketch = parts.start("falcon", config)
    # The published checkpoints hold the output projection beside the embedding.
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.put("output_norm.bias", width)
    inner = 4 * width
    sketch.set("feed_forward_length", inner)
    norms = (
        ["attn_norm", "attn_norm_2"] if config.flag("new_decoder_architecture") else ["attn_norm"]
    )
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, *norms, bias=True)
        block.put("attn_qkv", width, width + 2 * kv_heads * head)
        block.put("attn_output", width, width)
        parts.plain(block, width, inner)
    return sketch
