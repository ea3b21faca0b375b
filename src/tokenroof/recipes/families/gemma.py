"""Gemma 1, 2 and 3: wide heads, a large tied embedding, norms before and after."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

_REAL_TOKENS = 262_144
"""Of the 262,208 rows of Gemma 3's embedding the converter keeps those that mean a token."""


def gemma(config: Config) -> Sketch:
    """Gemma 1."""
    sketch = _start("gemma", config, config.vocabulary)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.attention(block, config.width, config.heads, config.kv_heads, _head(config))
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def gemma2(config: Config) -> Sketch:
    """Gemma 2: every second layer slides."""
    sketch = _start("gemma2", config, config.vocabulary)
    sketch.set("attention.sliding_window", config.count("sliding_window", default=4096))
    sketch.set("attn_logit_softcapping", config.number("attn_logit_softcapping", default=50.0))
    sketch.set("final_logit_softcapping", config.number("final_logit_softcapping", default=30.0))
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "post_attention_norm")
        parts.norms(block, config.width, "ffn_norm", "post_ffw_norm")
        parts.attention(block, config.width, config.heads, config.kv_heads, _head(config))
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def gemma3(config: Config) -> Sketch:
    """Gemma 3: of six layers five slide."""
    config = config.defaulting(
        num_attention_heads=8,
        num_key_value_heads=4,
        head_dim=256,
        vocab_size=262_208,
        max_position_embeddings=131_072,
        rms_norm_eps=1e-6,
        rope_theta=1_000_000.0,
    )
    width, head, heads, kv_heads = config.width, config.head, config.heads, config.kv_heads
    sketch = _start("gemma3", config, min(config.vocabulary, _REAL_TOKENS))
    if config.maybe("sliding_window_pattern") != 1:
        sketch.set("attention.sliding_window", config.count("sliding_window"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "post_attention_norm")
        parts.norms(block, width, "ffn_norm", "post_ffw_norm")
        parts.attention(block, width, heads, kv_heads, head)
        parts.qk_norm(block, head)
        parts.gated(block, width, config.feed_forward)
    return sketch


def _start(architecture: str, config: Config, rows: int) -> Sketch:
    sketch = parts.start(architecture, config)
    sketch.set("vocab_size", rows)
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.key_length", _head(config))
    sketch.set("attention.value_length", _head(config))
    parts.ends(sketch, config, tied=True, vocabulary=rows)
    return sketch


def _head(config: Config) -> int:
    return config.count("head_dim", default=256)
