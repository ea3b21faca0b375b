"""LFM 2: short convolutions, and attention in some layers."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch


def lfm2(config: Config) -> Sketch:
    """LFM 2 and 2.5, dense."""
    inner = _inner(config)
    sketch = _start("lfm2", config)
    sketch.set("feed_forward_length", inner)
    for block in sketch.blocks(config.layers):
        _mixer(block, config)
        parts.gated(block, config.width, inner)
    return sketch


def lfm2moe(config: Config) -> Sketch:
    """LFM 2 with experts."""
    width, inner = config.width, config.count("moe_intermediate_size")
    dense = config.count("num_dense_layers", least=0)
    sketch = _start("lfm2moe", config)
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("leading_dense_block_count", dense)
    sketch.set("expert_gating_func", parts.GATING["sigmoid"])
    for block in sketch.blocks(config.layers):
        _mixer(block, config)
        if block.index < dense:
            parts.gated(block, width, config.feed_forward)
        else:
            parts.experts(block, width, inner, config.experts, probs_bias=True)
    return sketch


def _start(architecture: str, config: Config) -> Sketch:
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    # The norm after the last layer bears the name that the converter gives it.
    width = sketch.tensors.pop("output_norm.weight")[0]
    sketch.put("token_embd_norm", width)
    kinds = _kinds(config)
    heads = [0 if kind == "conv" else config.kv_heads for kind in kinds]
    sketch.set("attention.head_count_kv", heads)
    sketch.set("shortconv.l_cache", config.count("conv_L_cache"))
    return sketch


def _kinds(config: Config) -> tuple[str, ...]:
    layers = config.layers
    kinds = config.texts("layer_types", layers)
    if kinds is not None:
        return kinds
    full = set(config.numbers("full_attn_idxs"))
    return tuple("full_attention" if layer in full else "conv" for layer in range(layers))


def _inner(config: Config) -> int:
    """The width after the adjustments that the config asks for."""
    width = config.count("block_ff_dim", "intermediate_size")
    if not config.flag("block_auto_adjust_ff_dim", default=True):
        return width
    width = int(2 * width / 3)
    factor = config.number("block_ffn_dim_multiplier")
    if factor is not None:
        width = int(factor * width)
    multiple = config.count("block_multiple_of", default=256)
    return -(-width // multiple) * multiple


def _mixer(block: Block, config: Config) -> None:
    width = config.width
    parts.norms(block, width, "attn_norm", "ffn_norm")
    if _kinds(config)[block.index] == "conv":
        block.put("shortconv.conv", config.count("conv_L_cache"), width)
        block.put("shortconv.in_proj", width, 3 * width)
        block.put("shortconv.out_proj", width, width)
    else:
        parts.attention(block, width, config.heads, config.kv_heads, config.head)
        parts.qk_norm(block, config.head)
