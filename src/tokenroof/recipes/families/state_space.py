"""Mamba without any attention, of both versions."""

from __future__ import annotations

from tokenroof.recipes import mamba as second, parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

_CONTEXT = 2**20
"""The converter writes it: a state has no length."""


def mamba(config: Config) -> Sketch:
    """Mamba and Falcon Mamba."""
    width = config.count("hidden_size", "d_model")
    inner = config.count("intermediate_size", "d_inner", default=2 * width)
    if inner != 2 * width:
        config.contradicts("intermediate_size", f"{inner} ≠ 2 · {width}")
    state, kernel = config.count("state_size", default=16), config.count("conv_kernel", default=4)
    is_auto = config.raw("time_step_rank") == "auto"
    rank = -(-width // 16) if is_auto else config.count("time_step_rank", default=-(-width // 16))
    sketch = _start("mamba", config, width, multiple=8)
    sketch.set("ssm.conv_kernel", kernel)
    sketch.set("ssm.inner_size", inner)
    sketch.set("ssm.state_size", state)
    sketch.set("ssm.time_step_rank", rank)
    sketch.set("ssm.dt_b_c_rms", config.text("model_type") == "falcon_mamba")
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm")
        block.put("ssm_in", width, 2 * inner)
        block.put("ssm_conv1d", kernel, inner)
        block.put("ssm_conv1d.bias", inner)
        block.put("ssm_x", inner, rank + 2 * state)
        block.put("ssm_dt", rank, inner)
        block.put("ssm_dt.bias", inner)
        block.put_bare("ssm_a", state, inner)
        block.put_bare("ssm_d", inner)
        block.put("ssm_out", inner, width)
    return sketch


def mamba2(config: Config) -> Sketch:
    """Mamba 2 and Codestral Mamba."""
    width, head = config.count("hidden_size", "d_model"), config.count("head_dim", default=64)
    inner = config.count("expand", default=2) * width
    if inner % head:
        config.contradicts("head_dim", f"{inner} / {head}")
    sketch = _start("mamba2", config, width, multiple=16)
    shape = second.shape(
        inner=inner,
        state=config.count("state_size", default=128),
        heads=inner // head,
        groups=config.count("n_groups", default=1),
        kernel=config.count("conv_kernel", default=4),
        bias=True,
    )
    second.keys(sketch, shape)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm")
        second.layer(block, width, shape)
    return sketch


def _start(architecture: str, config: Config, width: int, *, multiple: int) -> Sketch:
    """The keys; the embedding has a whole multiple of rows."""
    multiple = config.count("pad_vocab_size_multiple", default=multiple)
    rows = -(-config.vocabulary // multiple) * multiple
    sketch = Sketch(architecture)
    sketch.set("block_count", config.layers)
    sketch.set("context_length", _CONTEXT)
    sketch.set("embedding_length", width)
    sketch.set("feed_forward_length", 0)
    sketch.set("attention.head_count", 0)
    sketch.set("vocab_size", rows)
    epsilon = config.number("layer_norm_epsilon", "rms_norm_eps", default=1e-5)
    sketch.set("attention.layer_norm_rms_epsilon", epsilon)
    sketch.put("token_embd", width, rows)
    sketch.put("output_norm", width)
    if not config.tied(default=True):
        sketch.put("output", width, rows)
    return sketch
