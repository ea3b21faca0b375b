"""Qwen 2, 2.5 and 3, dense and with experts."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch


def qwen2(config: Config) -> Sketch:
    """Qwen 2 and 2.5: biases on Q, K and V."""
    sketch = _start("qwen2", config)
    _dense(sketch, config, bias=True)
    return sketch


def qwen2vl(config: Config) -> Sketch:
    """Qwen 2 and 2.5 VL: the language part."""
    sketch = _start("qwen2vl", config)
    sketch.set("rope.dimension_sections", _sections(config, (16, 24, 24)))
    _dense(sketch, config, bias=True)
    return sketch


def qwen3(config: Config) -> Sketch:
    """Qwen 3: norms of query and key."""
    sketch = _start("qwen3", config)
    _dense(sketch, config, bias=config.flag("attention_bias"), normed=True)
    return sketch


def qwen3vl(config: Config) -> Sketch:
    """Qwen 3 VL: the language part."""
    sketch = _start("qwen3vl", config)
    _see(sketch, config)
    _dense(sketch, config, bias=config.flag("attention_bias"), normed=True)
    return sketch


def qwen2moe(config: Config) -> Sketch:
    """Qwen 1.5 and 2 with experts, and one that all tokens use."""
    sketch = _start("qwen2moe", config)
    _all_sparse(config)
    inner, shared = (
        config.count("moe_intermediate_size"),
        config.count("shared_expert_intermediate_size"),
    )
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_feed_forward_length", shared)
    for block in sketch.blocks(config.layers):
        _attention(block, config, bias=True)
        parts.experts(block, config.width, inner, config.experts)
        parts.shared_expert(block, config.width, shared)
        block.put("ffn_gate_inp_shexp", config.width)
    return sketch


def qwen3moe(config: Config) -> Sketch:
    """Qwen 3 with experts."""
    sketch = _start("qwen3moe", config)
    _sparse(sketch, config)
    return sketch


def qwen3vlmoe(config: Config) -> Sketch:
    """Qwen 3 VL with experts: the language part."""
    sketch = _start("qwen3vlmoe", config)
    _see(sketch, config)
    _sparse(sketch, config)
    return sketch


def _start(architecture: str, config: Config) -> Sketch:
    sketch = parts.start(architecture, config)
    sketch.set("feed_forward_length", config.feed_forward)
    parts.ends(sketch, config, tied=config.tied(default=False))
    return sketch


def _see(sketch: Sketch, config: Config) -> None:
    sketch.set("rope.dimension_sections", _sections(config, (24, 20, 20)))
    vision = config.part("vision_config")
    sketch.set("n_deepstack_layers", len(vision.numbers("deepstack_visual_indexes")))


def _sections(config: Config, default: tuple[int, ...]) -> list[int]:
    sections = config.rope.numbers("mrope_section") or default
    return [*sections, 0][:4]


def _dense(sketch: Sketch, config: Config, *, bias: bool, normed: bool = False) -> None:
    for block in sketch.blocks(config.layers):
        _attention(block, config, bias=bias, normed=normed)
        parts.gated(block, config.width, config.feed_forward)


def _all_sparse(config: Config) -> None:
    """Refuse layers without experts, which transformers' class may have and llama.cpp may not."""
    for key, plain in (("mlp_only_layers", []), ("decoder_sparse_step", 1)):
        if key in config and config.raw(key) != plain:
            config.contradicts(key, f"{config.raw(key)} ≠ {plain}")


def _sparse(sketch: Sketch, config: Config) -> None:
    _all_sparse(config)
    inner = config.count("moe_intermediate_size")
    sketch.set("expert_feed_forward_length", inner)
    for block in sketch.blocks(config.layers):
        _attention(block, config, bias=config.flag("attention_bias"), normed=True)
        parts.experts(block, config.width, inner, config.experts)


def _attention(block: Block, config: Config, *, bias: bool, normed: bool = False) -> None:
    width, head = config.width, config.head
    parts.norms(block, width, "attn_norm", "ffn_norm")
    parts.attention(block, width, config.heads, config.kv_heads, head, bias=bias)
    if normed:
        parts.qk_norm(block, head)
