"""NVIDIA's Nemotron: the old dense one, and the hybrids of Mamba 2 and attention."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import mamba, parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch

_KINDS = {
    **dict.fromkeys(("M", "mamba", "linear_attention"), "mamba"),
    **dict.fromkeys(("*", "attention", "full_attention"), "attention"),
    **dict.fromkeys(("-", "E", "moe", "mlp"), "feed forward"),
}


def nemotron(config: Config) -> Sketch:
    """Nemotron 4 and Minitron: layer norms with biases, no gate."""
    width = config.width
    sketch = parts.start("nemotron", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.put("output_norm.bias", width)
    sketch.set("feed_forward_length", config.feed_forward)
    sketch.set("attention.layer_norm_epsilon", config.number("norm_eps", "layer_norm_eps"))
    sketch.set("rope.dimension_count", parts.turned(config, 0.5))
    bias = config.flag("attention_bias")
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm", bias=True)
        parts.own_attention(block, config, bias=bias, output_bias=bias)
        parts.plain(block, width, config.feed_forward, bias=config.flag("mlp_bias"))
    return sketch


def nemotron_h(config: Config) -> Sketch:
    """Nemotron H, Nano 2 and Nemotron 3: each layer is one of three things."""
    pattern = config.raw("layers_block_type")
    if isinstance(pattern, list):
        config = config.defaulting(num_hidden_layers=len(pattern))
    kinds = _kinds(config)
    sparse = config.experts > 0
    sketch = parts.start("nemotron_h_moe" if sparse else "nemotron_h", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    shape = mamba.shape(
        inner=config.count("mamba_num_heads") * config.count("mamba_head_dim"),
        state=config.count("ssm_state_size", "mamba_state_dim"),
        heads=config.count("mamba_num_heads"),
        groups=config.count("n_groups", "mamba_n_groups", "mamba_num_groups"),
        kernel=config.count("conv_kernel", "mamba_d_conv"),
        bias=config.flag("use_conv_bias", default=True),
    )
    mamba.keys(sketch, shape)
    inner = config.count("moe_intermediate_size") if sparse else config.feed_forward
    by_kind = {"attention": config.kv_heads, "feed forward": inner}
    sketch.set("attention.head_count_kv", _only(kinds, "attention", by_kind))
    sketch.set("feed_forward_length", _only(kinds, "feed forward", by_kind))
    sketch.set("attention.key_length", config.head)
    sketch.set("attention.value_length", config.head)
    if sparse:
        _expert_keys(sketch, config)
    for block, kind in zip(sketch.blocks(len(kinds)), kinds, strict=True):
        parts.norms(block, config.width, "attn_norm")
        if kind == "mamba":
            mamba.layer(block, config.width, shape)
        elif kind == "attention":
            parts.own_attention(block, config)
        elif sparse:
            _experts(block, config)
        else:
            parts.plain(block, config.width, inner, bias=config.flag("mlp_bias"))
    if config.maybe("num_nextn_predict_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def _kinds(config: Config) -> list[str]:
    pattern = config.raw("hybrid_override_pattern") or config.raw("layers_block_type")
    layers = config.layers
    known = isinstance(pattern, str | list) and all(
        isinstance(each, str) and each in _KINDS for each in pattern
    )
    if not known or len(pattern) != layers:
        config.contradicts("hybrid_override_pattern", f"{len(pattern or '')} ≠ {layers}")
    return [_KINDS[each] for each in pattern]


def _only(kinds: list[str], kind: str, values: dict[str, int]) -> list[int]:
    return [values[kind] if each == kind else 0 for each in kinds]


def _expert_keys(sketch: Sketch, config: Config) -> None:
    sketch.set("expert_feed_forward_length", config.count("moe_intermediate_size"))
    shared = config.count("moe_shared_expert_intermediate_size")
    sketch.set("expert_shared_feed_forward_length", shared)
    sketch.set("expert_shared_count", config.count("n_shared_experts"))
    sketch.set("expert_weights_norm", config.flag("norm_topk_prob"))
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    sketch.set("moe_latent_size", config.maybe("moe_latent_size"))


def _experts(block: Block, config: Config) -> None:
    """Experts without a gate, that may work in a narrower space."""
    width, number, inner = config.width, config.experts, config.count("moe_intermediate_size")
    latent = config.maybe("moe_latent_size")
    narrow = latent or width
    block.put("ffn_gate_inp", width, number)
    block.put("exp_probs_b.bias", number)
    if latent:
        block.put("ffn_latent_down", width, latent)
        block.put("ffn_latent_up", latent, width)
    block.put("ffn_up_exps", narrow, inner, number)
    block.put("ffn_down_exps", inner, narrow, number)
    shared = config.count("moe_shared_expert_intermediate_size")
    block.put("ffn_up_shexp", width, shared)
    block.put("ffn_down_shexp", shared, width)
