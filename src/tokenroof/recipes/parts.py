"""Parts that many architectures share."""

from __future__ import annotations

from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch

GATING = {"softmax": 1, "sigmoid": 2, "sqrtsoftplus": 4}
"""llama.cpp's number of each way to weigh experts."""


def start(architecture: str, config: Config) -> Sketch:
    """A sketch with the keys that the converter writes for every architecture."""
    sketch = Sketch(architecture)
    layers, heads = config.layers, config.maybe("num_attention_heads", "n_head", "n_heads")
    sketch.set("block_count", layers)
    sketch.set("context_length", _context(config))
    sketch.set("embedding_length", config.width)
    sketch.set("vocab_size", config.vocabulary)
    sketch.set("attention.head_count", heads)
    if heads:
        sketch.set("attention.head_count_kv", config.kv_heads)
    if "head_dim" in config:
        sketch.set("attention.key_length", config.head)
        sketch.set("attention.value_length", config.head)
    sketch.set("attention.layer_norm_rms_epsilon", config.number("rms_norm_eps", "norm_eps"))
    sketch.set(
        "attention.layer_norm_epsilon",
        config.number("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"),
    )
    if config.experts:
        sketch.set("expert_count", config.experts)
        sketch.set("expert_used_count", config.experts_used)
        gating = config.text("scoring_func", "score_function", "moe_router_activation_func")
        sketch.set("expert_gating_func", GATING.get(gating or ""))
    _rope(sketch, config)
    return sketch


def _context(config: Config) -> int | None:
    return config.maybe(
        "max_position_embeddings", "n_ctx", "n_positions", "max_length", "max_sequence_length",
        "model_max_length", "seq_length",
    )  # fmt: skip


def _rope(sketch: Sketch, config: Config) -> None:
    rope = config.rope
    theta = rope.number("rope_theta") or config.number("rope_theta", "global_rope_theta")
    sketch.set("rope.freq_base", theta)
    kind = rope.text("rope_type", "type")
    factor = rope.number("factor")
    if kind in {"linear", "yarn"} and factor is not None:
        sketch.set("rope.scaling.type", kind)
        sketch.set("rope.scaling.factor", factor)
        if kind == "yarn":
            sketch.set(
                "rope.scaling.original_context_length",
                rope.maybe("original_max_position_embeddings"),
            )
    elif kind in {"su", "longrope"}:
        sketch.set("rope.scaling.type", "longrope")


def ends(sketch: Sketch, config: Config, *, tied: bool, vocabulary: int | None = None) -> None:
    """The embedding, the last norm and the output projection."""
    width, rows = config.width, vocabulary or config.vocabulary
    sketch.put("token_embd", width, rows)
    sketch.put("output_norm", width)
    if not tied:
        sketch.put("output", width, rows)


def attention(
    block: Block,
    width: int,
    heads: int,
    kv_heads: int,
    head: int,
    *,
    bias: bool = False,
    output_bias: bool = False,
) -> None:
    """Q, K, V and the way back."""
    sizes = {"attn_q": heads * head, "attn_k": kv_heads * head, "attn_v": kv_heads * head}
    for name, size in sizes.items():
        block.put(name, width, size)
        if bias:
            block.put(f"{name}.bias", size)
    block.put("attn_output", heads * head, width)
    if output_bias:
        block.put("attn_output.bias", width)


def own_attention(
    block: Block, config: Config, *, bias: bool = False, output_bias: bool = False
) -> None:
    """Q, K, V and the way back, of the sizes that the config says for all layers."""
    attention(
        block,
        config.width,
        config.heads,
        config.kv_heads,
        config.head,
        bias=bias,
        output_bias=output_bias,
    )


def turned(config: Config, default: float) -> int:
    """How much of a head is turned by position; a part of it by the config, or by default."""
    share = config.rope.number("partial_rotary_factor") or config.number("partial_rotary_factor")
    return int((share or default) * config.width) // config.heads


def qk_norm(block: Block, head: int) -> None:
    """Norms of the query's and the key's heads."""
    block.put("attn_q_norm", head)
    block.put("attn_k_norm", head)


def norms(block: Block, width: int, *names: str, bias: bool = False) -> None:
    """Norms of the layer's own width."""
    for name in names:
        block.put(name, width)
        if bias:
            block.put(f"{name}.bias", width)


def gated(block: Block, width: int, inner: int, *, bias: bool = False) -> None:
    """A feed-forward part with a gate."""
    plain(block, width, inner, bias=bias)
    block.put("ffn_gate", width, inner)
    if bias:
        block.put("ffn_gate.bias", inner)


def plain(block: Block, width: int, inner: int, *, bias: bool = False) -> None:
    """A feed-forward part without a gate."""
    block.put("ffn_up", width, inner)
    block.put("ffn_down", inner, width)
    if bias:
        block.put("ffn_up.bias", inner)
        block.put("ffn_down.bias", width)


def experts(block: Block, width: int, inner: int, number: int, *, probs_bias: bool = False) -> None:
    """Experts with gates, and their router."""
    block.put("ffn_gate_inp", width, number)
    block.put("ffn_gate_exps", width, inner, number)
    block.put("ffn_up_exps", width, inner, number)
    block.put("ffn_down_exps", inner, width, number)
    if probs_bias:
        block.put("exp_probs_b.bias", number)


def shared_expert(block: Block, width: int, inner: int) -> None:
    """The expert that every token uses."""
    block.put("ffn_gate_shexp", width, inner)
    block.put("ffn_up_shexp", width, inner)
    block.put("ffn_down_shexp", inner, width)


def next_token_block(block: Block, width: int) -> None:
    """What a block for multi-token prediction has besides a layer's own tensors."""
    block.put("nextn.eh_proj", 2 * width, width)
    block.put("nextn.enorm", width)
    block.put("nextn.hnorm", width)
    block.put("nextn.shared_head_norm", width)
