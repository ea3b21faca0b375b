"""Llama 2 and 3, Mistral, Mixtral, and the many models that share their shape."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.families.deepseek import mistral4
from tokenroof.recipes.sketch import Block, Sketch


def llama(config: Config) -> Sketch:
    """Llama, Mistral and Mixtral."""
    return _llama("llama", config, tied=False)


def mistral3(config: Config) -> Sketch:
    """Ministral 3, and the Mistral Small that sees; of version 4 another architecture."""
    if config.text("model_type") == "mistral4":
        return mistral4(config)
    return _llama("mistral3", config, tied=False)


def smollm3(config: Config) -> Sketch:
    """SmolLM 3."""
    return _llama("smollm3", config, tied=True)


def arcee(config: Config) -> Sketch:
    """Arcee's AFM: no gate in the feed-forward part."""
    sketch = _start("arcee", config, tied=False)
    for block in sketch.blocks(config.layers):
        _attention(block, config)
        parts.norms(block, config.width, "ffn_norm")
        parts.plain(block, config.width, config.feed_forward)
    return sketch


def apertus(config: Config) -> Sketch:
    """Apertus: norms of query and key, no gate, and an activation with numbers of its own."""
    sketch = _start("apertus", config, tied=False)
    layers = config.layers
    for name in ("alpha_n", "alpha_p", "beta", "eps"):
        sketch.metadata[f"xielu.{name}"] = [0.0] * layers
    for block in sketch.blocks(layers):
        _attention(block, config)
        parts.norms(block, config.width, "ffn_norm")
        parts.qk_norm(block, config.head)
        parts.plain(block, config.width, config.feed_forward)
    return sketch


def llama4(config: Config) -> Sketch:
    """Llama 4: experts in every layer or every second one, beside one that all tokens use."""
    layers, width, experts = config.layers, config.width, config.experts
    inner, dense = config.feed_forward, config.count("intermediate_size_mlp")
    step = config.count("interleave_moe_layer_step", default=1)
    sketch = _start("llama4", config, tied=False)
    sketch.set("feed_forward_length", dense)
    sketch.set("interleave_moe_layer_step", step)
    sketch.set("expert_feed_forward_length", inner)
    for block in sketch.blocks(layers):
        _attention(block, config)
        parts.norms(block, width, "ffn_norm")
        if experts and (block.index + 1) % step == 0:
            parts.experts(block, width, inner, experts)
            parts.shared_expert(block, width, inner)
        else:
            parts.gated(block, width, dense)
    return sketch


def _llama(architecture: str, config: Config, *, tied: bool) -> Sketch:
    width, inner, experts = config.width, config.feed_forward, config.experts
    sketch = _start(architecture, config, tied=tied)
    for block in sketch.blocks(config.layers):
        _attention(block, config)
        parts.norms(block, width, "ffn_norm")
        if experts:
            parts.experts(block, width, inner, experts)
        else:
            parts.gated(block, width, inner, bias=config.flag("mlp_bias"))
    return sketch


def _start(architecture: str, config: Config, *, tied: bool) -> Sketch:
    sketch = parts.start(architecture, config)
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("rope.dimension_count", config.head)
    parts.ends(sketch, config, tied=config.tied(tied))
    if (config.rope.text("rope_type", "type") or "").lower() == "llama3":
        sketch.put("rope_freqs", config.head // 2)
    return sketch


def _attention(block: Block, config: Config) -> None:
    parts.norms(block, config.width, "attn_norm")
    bias = config.flag("attention_bias")
    parts.own_attention(block, config, bias=bias, output_bias=bias)
