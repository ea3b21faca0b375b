"""DeepSeek V1 to V3.2, Kimi K2, GLM 4.7 Flash and GLM 5: latent attention and many experts.

Multi-head latent attention keeps one short row for all heads. The converter splits the matrix that
unfolds it into one for keys and one for values, each a small matrix for every head, so that the
row need not be unfolded at all.
"""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Block, Sketch


def deepseek(config: Config) -> Sketch:
    """DeepSeek's first model with experts."""
    width, inner = config.width, config.count("moe_intermediate_size")
    sketch = _start("deepseek", config, config.layers)
    sketch.set("rope.dimension_count", config.head)
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.attention(block, width, config.heads, config.kv_heads, config.head)
        _feed_forward(block, config, inner, probs_bias=False)
    return sketch


def deepseek2(config: Config) -> Sketch:
    """DeepSeek V2 to V3.1 and their kin."""
    return _latent("deepseek2", config)


def glm4_lite(config: Config) -> Sketch:
    """GLM 4.7 Flash: DeepSeek's architecture, with a router that corrects itself."""
    sketch = _latent("deepseek2", config.defaulting(topk_method="noaux_tc"))
    if config.maybe("num_nextn_predict_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def deepseek32(config: Config) -> Sketch:
    """DeepSeek V3.2: an indexer picks the rows that attention reads."""
    return _indexed("deepseek32", config)


def glm_dsa(config: Config) -> Sketch:
    """GLM 5: as DeepSeek V3.2."""
    sketch = _indexed("glm-dsa", config.defaulting(topk_method="noaux_tc"))
    share = config.rope.number("partial_rotary_factor", default=1.0) or 1.0
    sketch.set("rope.dimension_count", int(config.count("qk_rope_head_dim") * share))
    kinds = config.texts("indexer_types", config.layers)
    if kinds:
        sketch.set("attention.indexer.types", [kind == "full" for kind in kinds])
        # Layers that share the choice of the one before have no indexer of their own.
        sharing = tuple(f"blk.{at}.indexer." for at, kind in enumerate(kinds) if kind != "full")
        for name in [each for each in sketch.tensors if each.startswith(sharing)]:
            del sketch.tensors[name]
    return sketch


def mistral4(config: Config) -> Sketch:
    """Mistral Small 4: DeepSeek's architecture."""
    return _latent("mistral4", config.defaulting(first_k_dense_replace=0))


def _latent(architecture: str, config: Config) -> Sketch:
    sketch = _start(architecture, config, config.layers)
    _latent_keys(sketch, config)
    for block in sketch.blocks(config.layers):
        _latent_layer(block, config)
    return sketch


def _indexed(architecture: str, config: Config) -> Sketch:
    extra = config.maybe("num_nextn_predict_layers") or 0
    layers = config.layers
    sketch = _start(architecture, config, layers + extra)
    _latent_keys(sketch, config)
    heads, head = config.count("index_n_heads"), config.count("index_head_dim")
    sketch.set("attention.indexer.head_count", heads)
    sketch.set("attention.indexer.key_length", head)
    sketch.set("attention.indexer.top_k", config.count("index_topk"))
    if extra:
        sketch.set("nextn_predict_layers", extra)
    for block in sketch.blocks(layers + extra):
        _latent_layer(block, config)
        block.put("indexer.k_norm", head)
        block.put("indexer.k_norm.bias", head)
        block.put("indexer.proj", config.width, heads)
        block.put("indexer.attn_k", config.width, head)
        block.put("indexer.attn_q_b", config.count("q_lora_rank"), heads * head)
        if block.index >= layers:
            parts.next_token_block(block, config.width)
    return sketch


def _start(architecture: str, config: Config, blocks: int) -> Sketch:
    sketch = parts.start(architecture, config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("block_count", blocks)
    sketch.set("feed_forward_length", config.feed_forward)
    dense = config.maybe("first_k_dense_replace")
    if dense is None:
        dense = 0 if config.experts else config.layers
    if dense > config.layers:
        config.contradicts("first_k_dense_replace", f"{dense} > {config.layers}")
    sketch.set("leading_dense_block_count", dense)
    inner = config.count("moe_intermediate_size", "intermediate_size")
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_count", config.maybe("n_shared_experts") or 0)
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    if config.flag("norm_topk_prob"):
        sketch.set("expert_weights_norm", True)
    return sketch


def _latent_keys(sketch: Sketch, config: Config) -> None:
    rank, turned = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    sketch.set("attention.head_count_kv", 1)
    sketch.set("attention.q_lora_rank", config.maybe("q_lora_rank") or None)
    sketch.set("attention.kv_lora_rank", rank)
    sketch.set("attention.key_length", rank + turned)
    sketch.set("attention.value_length", rank)
    sketch.set("attention.key_length_mla", config.count("qk_nope_head_dim") + turned)
    sketch.set("attention.value_length_mla", config.count("v_head_dim"))
    sketch.set("rope.dimension_count", turned)
    sketch.set("attention.layer_norm_rms_epsilon", config.number("rms_norm_eps", default=1e-6))
    scale = config.rope.number("mscale_all_dim")
    sketch.set("rope.scaling.yarn_log_multiplier", None if scale is None else 0.1 * scale)


def _latent_layer(block: Block, config: Config) -> None:
    width, heads = config.width, config.heads
    rank, turned = config.count("kv_lora_rank"), config.count("qk_rope_head_dim")
    plain, value = config.count("qk_nope_head_dim"), config.count("v_head_dim")
    query_rank = config.maybe("q_lora_rank")
    parts.norms(block, width, "attn_norm", "ffn_norm")
    if query_rank:
        block.put("attn_q_a", width, query_rank)
        block.put("attn_q_a_norm", query_rank)
        block.put("attn_q_b", query_rank, heads * (plain + turned))
    else:
        block.put("attn_q", width, heads * (plain + turned))
    block.put("attn_kv_a_mqa", width, rank + turned)
    block.put("attn_kv_a_norm", rank)
    block.put("attn_k_b", plain, rank, heads)
    block.put("attn_v_b", rank, value, heads)
    block.put("attn_output", heads * value, width)
    inner = config.count("moe_intermediate_size", "intermediate_size")
    _feed_forward(block, config, inner, probs_bias=config.text("topk_method") == "noaux_tc")


def _feed_forward(block: Block, config: Config, inner: int, *, probs_bias: bool) -> None:
    width, experts = config.width, config.experts
    if not experts or block.index < (config.maybe("first_k_dense_replace") or 0):
        parts.gated(block, width, config.feed_forward)
        return
    parts.experts(block, width, inner, experts, probs_bias=probs_bias)
    shared = config.maybe("n_shared_experts")
    if shared:
        parts.shared_expert(block, width, inner * shared)
