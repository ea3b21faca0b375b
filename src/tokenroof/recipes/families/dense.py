"""Dense models that differ from Llama in a norm, a bias or a matrix."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def olmo2(config: Config) -> Sketch:
    """OLMo 2 and 3: norms after each part, and over all heads together."""
    width, head, layers = config.width, config.head, config.layers
    sketch = _start("olmo2", config, tied=False)
    if config.maybe("sliding_window"):
        kinds = config.texts("layer_types", layers)
        sketch.set("attention.sliding_window", config.count("sliding_window"))
        slides = [
            kinds[layer] == "sliding_attention" if kinds else (layer + 1) % 4 != 0
            for layer in range(layers)
        ]
        sketch.set("attention.sliding_window_pattern", slides)
    for block in sketch.blocks(layers):
        parts.own_attention(block, config)
        block.put("attn_q_norm", config.heads * head)
        block.put("attn_k_norm", config.kv_heads * head)
        parts.norms(block, width, "post_attention_norm", "post_ffw_norm")
        parts.gated(block, width, config.feed_forward)
    return sketch


def exaone(config: Config) -> Sketch:
    """EXAONE 3, 3.5 and Deep."""
    sketch = _start("exaone", config, tied=False)
    # The config calls it a layer norm's; the norms are of the root mean square.
    epsilon = config.number("rms_norm_eps", "layer_norm_epsilon", default=1e-5)
    sketch.set("attention.layer_norm_rms_epsilon", epsilon)
    sketch.set("rope.dimension_count", config.head)
    _llama3_factors(sketch, config)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config)
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def exaone4(config: Config) -> Sketch:
    """EXAONE 4: norms after each part."""
    layers, pattern = config.layers, config.raw("sliding_window_pattern")
    sketch = _start("exaone4", config, tied=False)
    kinds = config.texts("layer_types", layers)
    if config.maybe("sliding_window"):
        sketch.set("attention.sliding_window", config.count("sliding_window"))
        if kinds:
            slides = [kind == "sliding_attention" for kind in kinds]
            sketch.set("attention.sliding_window_pattern", slides)
        elif isinstance(pattern, str) and pattern:
            slides = [pattern[layer % len(pattern)] == "L" for layer in range(layers)]
            sketch.set("attention.sliding_window_pattern", slides)
    _llama3_factors(sketch, config)
    for block in sketch.blocks(layers):
        parts.own_attention(block, config)
        parts.qk_norm(block, config.head)
        parts.norms(block, config.width, "post_attention_norm", "post_ffw_norm")
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def command_r(config: Config) -> Sketch:
    """Command R: one norm for both parts of a layer."""
    return _cohere("command-r", config)


def cohere2(config: Config) -> Sketch:
    """Command R7B and A: three layers slide for one that is full."""
    sketch = _cohere("cohere2", config)
    sketch.set("attention.sliding_window", config.count("sliding_window"))
    share = config.number("rotary_pct", default=1.0) or 1.0
    sketch.set("rope.dimension_count", int(share * config.head))
    return sketch


def seed_oss(config: Config) -> Sketch:
    """Seed OSS: biases on Q, K and V."""
    sketch = _start("seed_oss", config, tied=False)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "post_attention_norm")
        parts.own_attention(block, config, bias=config.flag("attention_bias"))
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def hunyuan_dense(config: Config) -> Sketch:
    """Hunyuan, dense."""
    sketch = _start("hunyuan-dense", config, tied=True)
    sketch.metadata.pop("hunyuan-dense.expert_count", None)
    sketch.metadata.pop("hunyuan-dense.expert_used_count", None)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config, bias=config.flag("attention_bias"))
        if config.flag("use_qk_norm", default=True):
            parts.qk_norm(block, config.head)
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def ernie(config: Config) -> Sketch:
    """ERNIE 4.5, dense."""
    sketch = _start("ernie4_5", config, tied=True)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config, bias=config.flag("use_bias"))
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def starcoder2(config: Config) -> Sketch:
    """StarCoder 2: layer norms and biases everywhere, no gate."""
    width = config.width
    bias = config.flag("use_bias", default=True)
    sketch = _start("starcoder2", config, tied=True)
    sketch.put("output_norm.bias", width)
    sketch.set("attention.layer_norm_epsilon", config.number("norm_epsilon", default=1e-5))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm", bias=True)
        parts.own_attention(block, config, bias=bias, output_bias=bias)
        parts.plain(block, width, config.feed_forward, bias=bias)
    return sketch


def internlm2(config: Config) -> Sketch:
    """InternLM 2 and 2.5."""
    sketch = _start("internlm2", config, tied=False)
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm", "ffn_norm")
        parts.own_attention(block, config)
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def stablelm(config: Config) -> Sketch:
    """StableLM 2 and Stable Code: layer norms, a part of each head turned."""
    width = config.width
    sketch = _start("stablelm", config, tied=False)
    sketch.put("output_norm.bias", width)
    sketch.set("use_parallel_residual", config.flag("use_parallel_residual"))
    share = config.number("partial_rotary_factor", "rope_pct", default=0.25) or 0.25
    sketch.set("rope.dimension_count", int(share * config.head))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", bias=True)
        if not config.flag("use_parallel_residual"):
            parts.norms(block, width, "ffn_norm", bias=True)
        parts.own_attention(block, config, bias=config.flag("use_qkv_bias"))
        if config.flag("qk_layernorm"):
            block.put("attn_q_norm", config.head, config.heads)
            block.put("attn_k_norm", config.head, config.kv_heads)
        parts.gated(block, width, config.feed_forward)
    return sketch


def _llama3_factors(sketch: Sketch, config: Config) -> None:
    if (config.rope.text("rope_type") or "").lower() == "llama3":
        sketch.put("rope_freqs", config.head // 2)


def _cohere(architecture: str, config: Config) -> Sketch:
    sketch = _start(architecture, config, tied=True)
    sketch.set("logit_scale", config.number("logit_scale", default=0.0625))
    for block in sketch.blocks(config.layers):
        parts.norms(block, config.width, "attn_norm")
        parts.own_attention(block, config)
        if config.flag("use_qk_norm"):
            block.put("attn_q_norm", config.head, config.heads)
            block.put("attn_k_norm", config.head, config.kv_heads)
        parts.gated(block, config.width, config.feed_forward)
    return sketch


def _start(architecture: str, config: Config, *, tied: bool) -> Sketch:
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(tied))
    sketch.set("feed_forward_length", config.feed_forward)
    return sketch
