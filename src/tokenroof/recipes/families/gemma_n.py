"""Gemma 3n and 4: embeddings per layer, layers that share the cache of others, wide full layers."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch

_SLIDES = "sliding_attention"


def gemma3n(config: Config) -> Sketch:
    """Gemma 3n."""
    config = config.defaulting(vocab_size=262_400, rms_norm_eps=1e-6)
    width, layers = config.width, config.layers
    inner = config.counts("intermediate_size", layers)
    copies, rank = config.count("altup_num_inputs"), config.count("laurel_rank")
    narrow = config.count("hidden_size_per_layer_input")
    sketch = parts.start("gemma3n", config)
    parts.ends(sketch, config, tied=True)
    sketch.set("feed_forward_length", list(inner))
    sketch.set("altup.num_inputs", copies)
    sketch.set("altup.active_idx", config.maybe("altup_active_idx") or 0)
    _per_layer(sketch, config, narrow)
    _windows(sketch, config)
    sketch.put("altup_proj", width, width, copies - 1)
    sketch.put("altup_unembd_proj", width, width, copies - 1)
    for block in sketch.blocks(layers):
        _norms(block, width)
        parts.attention(block, width, config.heads, config.kv_heads, config.head)
        parts.qk_norm(block, config.head)
        parts.gated(block, width, inner[block.index])
        _per_layer_block(block, width, narrow)
        block.put("altup_correct_coef", copies, copies)
        block.put("altup_correct_scale", width)
        block.put("altup_predict_coef", copies, copies * copies)
        block.put("altup_router", width, copies)
        block.put("altup_router_norm", width)
        block.put("laurel_l", width, rank)
        block.put("laurel_r", rank, width)
        block.put("laurel_post_norm", width)
    return sketch


def gemma4(config: Config) -> Sketch:
    """Gemma 4, dense, small with embeddings per layer, or with experts."""
    width, layers, heads = config.width, config.layers, config.heads
    kinds = config.texts("layer_types", layers)
    if kinds is None:
        config.contradicts("layer_types", "null")
    wide = config.count("global_head_dim", "head_dim")
    full_kv = config.maybe("num_global_key_value_heads") or config.kv_heads
    shared = config.maybe("num_kv_shared_layers") or 0
    narrow = config.maybe("hidden_size_per_layer_input") or 0
    sketch = parts.start("gemma4", config)
    parts.ends(sketch, config, tied=config.tied(default=True))
    sketch.put("rope_freqs", wide // 2)
    slides = [kind == _SLIDES for kind in kinds]
    kv_heads = [config.kv_heads if each else full_kv for each in slides]
    inner = _inner(config, layers - shared)
    sketch.set("attention.head_count_kv", kv_heads)
    sketch.set("feed_forward_length", inner)
    sketch.set("attention.key_length", wide)
    sketch.set("attention.value_length", wide)
    sketch.set("attention.key_length_swa", config.head)
    sketch.set("attention.value_length_swa", config.head)
    sketch.set("attention.sliding_window_pattern", slides)
    sketch.set("rope.dimension_count", wide)
    sketch.set("rope.dimension_count_swa", config.head)
    sketch.set("final_logit_softcapping", config.number("final_logit_softcapping"))
    _per_layer(sketch, config, narrow)
    sparse = config.flag("enable_moe_block", default=config.experts > 0)
    if sparse:
        sketch.set("expert_feed_forward_length", _expert_inner(config))
    for block in sketch.blocks(layers):
        head = config.head if slides[block.index] else wide
        _norms(block, width)
        parts.attention(block, width, heads, kv_heads[block.index], head)
        if config.flag("attention_k_eq_v") and not slides[block.index]:
            # Full layers use their keys as values.
            del sketch.tensors[f"blk.{block.index}.attn_v.weight"]
        parts.qk_norm(block, head)
        block.put("layer_output_scale", 1)
        parts.gated(block, width, inner[block.index])
        if sparse:
            _experts(block, config)
        if narrow:
            _per_layer_block(block, width, narrow)
    return sketch


def _inner(config: Config, first_shared: int) -> list[int]:
    """Widths of the feed-forward parts, wider where the cache of another layer is used."""
    width, double = config.feed_forward, config.flag("use_double_wide_mlp")
    return [
        2 * width if double and layer >= first_shared else width for layer in range(config.layers)
    ]


def _expert_inner(config: Config) -> int:
    return config.count("expert_intermediate_size", "moe_intermediate_size")


def _experts(block: Block, config: Config) -> None:
    """Experts beside the dense part, gate and up in one tensor."""
    width, number, inner = config.width, config.experts, _expert_inner(config)
    block.put("ffn_gate_inp", width, number)
    block.put("ffn_gate_inp.scale", width)
    parts.norms(block, width, "pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2")
    block.put("ffn_gate_up_exps", width, 2 * inner, number)
    block.put("ffn_down_exps", inner, width, number)
    block.put("ffn_down_exps.scale", number)


def _norms(block: Block, width: int) -> None:
    parts.norms(block, width, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")


def _windows(sketch: Sketch, config: Config) -> None:
    kinds = config.texts("layer_types", config.layers)
    if kinds:
        pattern = [kind == _SLIDES for kind in kinds]
        sketch.set("attention.sliding_window_pattern", pattern)


def _per_layer(sketch: Sketch, config: Config, narrow: int) -> None:
    """The table of embeddings for every layer, and what turns the main one into more of them."""
    layers, width = config.layers, config.width
    sketch.set("attention.sliding_window", config.count("sliding_window"))
    sketch.set("attention.shared_kv_layers", config.maybe("num_kv_shared_layers") or 0)
    sketch.set("embedding_length_per_layer_input", narrow)
    if narrow:
        sketch.put("per_layer_token_embd", narrow * layers, config.vocabulary)
        sketch.put("per_layer_model_proj", width, narrow * layers)
        sketch.put("per_layer_proj_norm", narrow)


def _per_layer_block(block: Block, width: int, narrow: int) -> None:
    block.put("inp_gate", width, narrow)
    block.put("proj", narrow, width)
    block.put("post_norm", width)
