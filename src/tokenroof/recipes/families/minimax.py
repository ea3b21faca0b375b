"""MiniMax M2 and M3."""

from __future__ import annotations

from tokenroof.notices import Notice
from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def minimax_m2(config: Config) -> Sketch:
    """MiniMax M2: norms over all heads together."""
    width, heads, kv_heads, head = config.width, config.heads, config.kv_heads, config.head
    sketch = parts.start("minimax-m2", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    inner = config.feed_forward
    sketch.set("feed_forward_length", inner)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("rope.dimension_count", config.count("rotary_dim"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.attention(block, width, heads, kv_heads, head)
        block.put("attn_q_norm", heads * head)
        block.put("attn_k_norm", kv_heads * head)
        parts.experts(block, width, inner, config.experts, probs_bias=True)
    return sketch


def minimax_m3(config: Config) -> Sketch:
    """MiniMax M3: an indexer picks blocks of the context."""
    width, head, inner = config.width, config.head, config.feed_forward
    sparse = config.part("sparse_attention_config")
    index_heads, index_head = (
        sparse.count("sparse_num_index_heads"),
        sparse.count("sparse_index_dim"),
    )
    dense = _dense_layers(config)
    dense_inner = config.count("prefix_dense_intermediate_size", "dense_intermediate_size")
    sketch = parts.start("minimax-m3", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", dense_inner)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("expert_shared_count", config.count("n_shared_experts"))
    sketch.set("expert_weights_scale", config.number("routed_scaling_factor"))
    sketch.set("expert_weights_norm", True)
    sketch.set("leading_dense_block_count", dense)
    sketch.set("rope.dimension_count", config.count("rotary_dim", default=head))
    sketch.set("attention.indexer.head_count", index_heads)
    sketch.set("attention.indexer.key_length", index_head)
    sketch.set("attention.indexer.top_k", sparse.count("sparse_topk_blocks"))
    sketch.set("attention.indexer.block_size", sparse.count("sparse_block_size"))
    sketch.set("attention.indexer.local_blocks", sparse.count("sparse_local_block"))
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "ffn_norm")
        parts.attention(block, width, config.heads, config.kv_heads, head)
        parts.qk_norm(block, head)
        if block.index < dense:
            parts.gated(block, width, dense_inner)
            continue
        parts.experts(block, width, inner, config.experts, probs_bias=True)
        parts.shared_expert(block, width, inner * config.count("n_shared_experts"))
        block.put("indexer.q_proj", width, index_heads * index_head)
        block.put("indexer.k_proj", width, index_head)
        block.put("indexer.q_norm", index_head)
        block.put("indexer.k_norm", index_head)
    if config.maybe("num_nextn_predict_layers"):
        sketch.notices.append(Notice("recipes.without_mtp"))
    return sketch


def _dense_layers(config: Config) -> int:
    sparse = config.counts("moe_layer_freq", config.layers)
    return next((layer for layer, each in enumerate(sparse) if each), config.layers)
