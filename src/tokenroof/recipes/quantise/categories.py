"""What a tensor is for, by its name, as far as the quantiser cares."""

from __future__ import annotations

from enum import Enum


class Category(Enum):
    """Kinds of tensors that have rules of their own."""

    OUTPUT = "output"
    EMBEDDING = "embedding"
    ATTENTION_V = "attention v"
    ATTENTION_K = "attention k"
    ATTENTION_Q = "attention q"
    ATTENTION_OUTPUT = "attention output"
    FFN_UP = "ffn up"
    FFN_GATE = "ffn gate"
    FFN_DOWN = "ffn down"
    OTHER = "other"


_EMBEDDINGS = frozenset({"token_embd.weight", "per_layer_token_embd.weight"})

_PARTS = (
    ("attn_qkv.weight", Category.ATTENTION_V),
    ("attn_kv_b.weight", Category.ATTENTION_V),
    ("attn_v.weight", Category.ATTENTION_V),
    ("attn_k.weight", Category.ATTENTION_K),
    ("attn_q.weight", Category.ATTENTION_Q),
    ("attn_output.weight", Category.ATTENTION_OUTPUT),
    ("ffn_up", Category.FFN_UP),
    ("ffn_gate", Category.FFN_GATE),
    ("ffn_down", Category.FFN_DOWN),
)
"""The first part of a name that fits decides. Tensors in which V is fused with others count as V:
what is most sensitive in them decides."""


def category(name: str) -> Category:
    """The category of a tensor."""
    if name == "output.weight":
        return Category.OUTPUT
    if name in _EMBEDDINGS:
        return Category.EMBEDDING
    for part, found in _PARTS:
        if part in name:
            return found
    return Category.OTHER
