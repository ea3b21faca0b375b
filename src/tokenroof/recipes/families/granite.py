"""IBM's Granite: as Llama with scales, with experts, and as a hybrid with Mamba 2."""

from __future__ import annotations

from tokenroof.recipes import mamba, parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch

_SCALES = {
    "attention.scale": "attention_multiplier",
    "embedding_scale": "embedding_multiplier",
    "residual_scale": "residual_multiplier",
    "logit_scale": "logits_scaling",
}


def granite(config: Config) -> Sketch:
    """Granite 3 and 4.1, dense."""
    sketch = _start("granite", config)
    for block in sketch.blocks(config.layers):
        _attention(block, config)
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        bias = config.flag("mlp_bias")
        parts.gated(block, config.width, config.feed_forward, bias=bias)
    return sketch


def granitemoe(config: Config) -> Sketch:
    """Granite 3 with experts."""
    sketch = _start("granitemoe", config)
    _shared_key(sketch, config)
    for block in sketch.blocks(config.layers):
        _attention(block, config)
        parts.norms(block, config.width, "attn_norm")
        _feed_forward(block, config)
    return sketch


def granitehybrid(config: Config) -> Sketch:
    """Granite 4: mostly Mamba 2; some models of the kind are attention throughout."""
    width, layers = config.width, config.layers
    attends = _attending(config)
    if all(attends):
        return granitemoe(config) if config.experts else _without_mamba(config)
    sketch = _start("granitehybrid", config)
    _shared_key(sketch, config)
    heads = config.count("mamba_n_heads", "mamba_num_heads")
    head = config.maybe("mamba_d_head")
    shape = mamba.shape(
        inner=config.count("mamba_expand", default=2) * width,
        state=config.count("mamba_d_state"),
        heads=heads,
        groups=config.count("mamba_n_groups"),
        kernel=config.count("mamba_d_conv"),
        bias=config.flag("mamba_conv_bias", default=True),
    )
    if head and heads * head != shape.inner:
        config.contradicts("mamba_d_head", f"{heads} × {head} ≠ {shape.inner}")
    mamba.keys(sketch, shape)
    kv_heads = [config.kv_heads if each else 0 for each in attends]
    sketch.set("attention.head_count_kv", kv_heads)
    if not config.experts:
        sketch.set("feed_forward_length", _dense_inner(config))
    sketch.set("rope.scaling.finetuned", False)
    for block in sketch.blocks(layers):
        parts.norms(block, width, "attn_norm")
        if attends[block.index]:
            _attention(block, config)
        else:
            mamba.layer(block, width, shape)
        _feed_forward(block, config)
    return sketch


def _without_mamba(config: Config) -> Sketch:
    sketch = _start("granite", config)
    inner = _dense_inner(config)
    sketch.set("feed_forward_length", inner)
    for block in sketch.blocks(config.layers):
        _attention(block, config)
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.gated(block, config.width, inner)
    return sketch


def _attending(config: Config) -> list[bool]:
    kinds = config.texts("layer_types", config.layers)
    if kinds is not None:
        return [kind == "attention" for kind in kinds]
    attending = set(config.numbers("attn_layer_indices"))
    return [layer in attending for layer in range(config.layers)]


def _start(architecture: str, config: Config) -> Sketch:
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("rope.dimension_count", config.head)
    for key, name in _SCALES.items():
        sketch.set(key, config.number(name, default=1.0 if key == "logit_scale" else None))
    return sketch


def _shared_key(sketch: Sketch, config: Config) -> None:
    shared = config.maybe("shared_intermediate_size") or None
    sketch.set("expert_shared_feed_forward_length", shared)


def _dense_inner(config: Config) -> int:
    return config.count("shared_intermediate_size", "intermediate_size")


def _attention(block: Block, config: Config) -> None:
    bias = config.flag("attention_bias")
    parts.attention(
        block,
        config.width,
        config.heads,
        config.kv_heads,
        config.head,
        bias=bias,
        output_bias=bias,
    )


def _feed_forward(block: Block, config: Config) -> None:
    width, number = config.width, config.experts
    parts.norms(block, width, "ffn_norm")
    if not number:
        parts.gated(block, width, _dense_inner(config))
        return
    parts.experts(block, width, config.feed_forward, number)
    shared = config.maybe("shared_intermediate_size")
    if shared:
        parts.shared_expert(block, width, shared)
