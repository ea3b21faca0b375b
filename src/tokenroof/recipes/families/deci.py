"""DeciLM and the Nemotrons that were cut out of Llama: every layer has its own widths."""

from __future__ import annotations

from typing import NamedTuple

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

_MULTIPLE = 256


class _Layer(NamedTuple):
    heads: int
    kv_heads: int
    inner: int


def deci(config: Config) -> Sketch:
    """Llama Nemotron Super and Ultra."""
    width, head = config.width, config.head
    heads = config.heads

    def read(each: Config) -> _Layer:
        attention, feed_forward = each.part("attention"), each.part("ffn")
        grouped = attention.maybe("n_heads_in_group")
        linear = attention.flag("replace_with_linear")
        inner = int(2 * (feed_forward.number("ffn_mult") or 0.0) * width / 3)
        return _Layer(
            heads if grouped or linear else 0,
            heads // grouped if grouped else 0,
            -(-inner // _MULTIPLE) * _MULTIPLE,
        )

    layers = config.parts("block_configs", config.layers, read)
    sketch = parts.start("deci", config.defaulting(num_key_value_heads=heads))
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("attention.head_count", [each.heads for each in layers])
    sketch.set("attention.head_count_kv", [each.kv_heads for each in layers])
    sketch.set("feed_forward_length", [each.inner for each in layers])
    sketch.set("attention.key_length", head)
    sketch.set("attention.value_length", head)
    sketch.set("rope.dimension_count", head)
    if (config.rope.text("rope_type") or "").lower() == "llama3":
        sketch.put("rope_freqs", head // 2)
    for block, layer in zip(sketch.blocks(config.layers), layers, strict=True):
        if layer.kv_heads:
            parts.norms(block, width, "attn_norm")
            parts.attention(block, width, layer.heads, layer.kv_heads, head)
        elif layer.heads:
            parts.norms(block, width, "attn_norm")
            block.put("attn_output", width, width)
        if layer.inner:
            parts.norms(block, width, "ffn_norm")
            parts.gated(block, width, layer.inner)
    return sketch
