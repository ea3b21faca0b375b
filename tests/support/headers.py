"""Headers of models as small as a rule needs them: a few tensors, the keys a converter writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tokenroof.gguf import Header

Tensor = tuple[str, tuple[int, ...], str]


def header(
    architecture: str,
    keys: Mapping[str, Any],
    tensors: Iterable[Tensor],
    general: Mapping[str, Any] | None = None,
) -> Header:
    """A header whose keys are given without the architecture's prefix."""
    metadata: dict[str, Any] = {"general.architecture": architecture, **(general or {})}
    metadata |= {f"{architecture}.{key}": value for key, value in keys.items()}
    return Header.build(metadata, tensors)


def attention(block: int, width: int, heads: int, kv_heads: int, length: int) -> list[Tensor]:
    """The matrices of plain attention."""
    return [
        (f"blk.{block}.attn_q.weight", (width, heads * length), "F16"),
        (f"blk.{block}.attn_k.weight", (width, kv_heads * length), "F16"),
        (f"blk.{block}.attn_v.weight", (width, kv_heads * length), "F16"),
        (f"blk.{block}.attn_output.weight", (heads * length, width), "F16"),
    ]


def feed_forward(block: int, width: int, hidden: int) -> list[Tensor]:
    """The matrices of a gated feed-forward network."""
    return [
        (f"blk.{block}.ffn_gate.weight", (width, hidden), "F16"),
        (f"blk.{block}.ffn_up.weight", (width, hidden), "F16"),
        (f"blk.{block}.ffn_down.weight", (hidden, width), "F16"),
    ]


def dense(
    architecture: str,
    *,
    layers: int,
    width: int,
    heads: int,
    kv_heads: int,
    length: int,
    hidden: int = 64,
    vocabulary: int = 100,
    tied: bool = False,
    **keys: Any,
) -> Header:
    """A dense model with plain attention in every layer."""
    tensors: list[Tensor] = [("token_embd.weight", (width, vocabulary), "F16")]
    if not tied:
        tensors.append(("output.weight", (width, vocabulary), "F16"))
    for block in range(layers):
        tensors += attention(block, width, heads, kv_heads, length)
        tensors += feed_forward(block, width, hidden)
    dimensions = {
        "block_count": layers,
        "embedding_length": width,
        "context_length": 131_072,
        "attention.head_count": heads,
        "attention.head_count_kv": kv_heads,
        "attention.key_length": length,
        "attention.value_length": length,
    }
    return header(
        architecture,
        dimensions | {key.replace("__", "."): value for key, value in keys.items()},
        tensors,
    )
