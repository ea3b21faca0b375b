"""Ordinary attention: keys and values of every head and token.

A token leaves head_count_kv x key_length numbers as keys and head_count_kv x value_length as
values in every attention layer. Lengths are width / heads where the file does not name them;
sliding layers may have lengths of their own (`*_swa`). A layer with no KV heads keeps nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenroof.errors import ModelError
from tokenroof.model.blocks import Block, has
from tokenroof.model.hyperparameters import Hyperparameters

_KEYS_OR_VALUES = ("attn_k", "attn_qkv", "attn_kv_a_mqa", "attn_kv", "attn_kv_b", "attn_k_b")


@dataclass(frozen=True, slots=True)
class Heads:
    """The attention heads of each layer.

    Attributes:
        query: query heads of each layer.
        kv: key and value heads of each layer.
        key_length: numbers of one head's key, in full layers.
        value_length: numbers of one head's value, in full layers.
        key_length_sliding: the same in sliding layers.
        value_length_sliding: the same in sliding layers.
    """

    query: tuple[int, ...]
    kv: tuple[int, ...]
    key_length: int
    value_length: int
    key_length_sliding: int
    value_length_sliding: int

    def lengths(self, slides: bool) -> tuple[int, int]:
        """Key and value length of a full or a sliding layer."""
        if slides:
            return self.key_length_sliding, self.value_length_sliding
        return self.key_length, self.value_length


def attends(block: Block) -> bool:
    """Whether a block makes keys and values. It may carry a state instead: see `recurrent`."""
    return has(block, _KEYS_OR_VALUES)


def attention_heads(parameters: Hyperparameters, layers: int) -> Heads | None:
    """The heads of every layer; None where the file does not name their number.

    Raises:
        ModelError: heads that contradict the width or each other.
    """
    if "attention.head_count" not in parameters:
        return None
    query = parameters.per_layer("attention.head_count", layers)
    if "attention.head_count_kv" in parameters:
        kv = parameters.per_layer("attention.head_count_kv", layers)
    else:
        kv = query
    for layer, (heads, kv_heads) in enumerate(zip(query, kv, strict=True)):
        if heads and kv_heads > heads:
            raise ModelError(
                "model.more_kv_heads",
                key=parameters.key("attention.head_count_kv"),
                kv_heads=kv_heads,
                heads=heads,
                layer=layer,
            )
    key = parameters.count("attention.key_length") or _default_length(parameters, query)
    value = parameters.count("attention.value_length") or _default_length(parameters, query)
    return Heads(
        query,
        kv,
        key,
        value,
        parameters.count("attention.key_length_swa") or key,
        parameters.count("attention.value_length_swa") or value,
    )


def _default_length(parameters: Hyperparameters, query: tuple[int, ...]) -> int:
    heads = next((number for number in query if number), 0)
    width = parameters.count("embedding_length")
    if heads == 0:
        return 0
    if width == 0 or width % heads:
        raise ModelError(
            "model.heads_do_not_divide",
            heads_key=parameters.key("attention.head_count"),
            heads=heads,
            width_key=parameters.key("embedding_length"),
            width=width,
        )
    return width // heads
