"""What reading a prompt takes: operations, and the bytes that its micro-batches move.

The engine cuts a prompt into micro-batches of `ubatch` tokens. Each moves all dense weights once,
of the experts those that some token of it chose (see `experts`), a row a token of what is looked
up, and the rows of the cache that its tokens see, once; the output projection only in the last
one. Operations are those of `compute`; they do not depend on how the prompt is cut.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenroof.errors import UsageError
from tokenroof.model.cache_bytes import rows_of_micro_batch, rows_of_prompt
from tokenroof.model.caches import Cache
from tokenroof.model.compute import micro_batch_bytes
from tokenroof.model.experts import expected_distinct
from tokenroof.model.model import Model


@dataclass(frozen=True, slots=True)
class Prefill:
    """Reading `tokens` tokens on top of `depth`.

    Attributes:
        tokens: of the prompt.
        depth: tokens in the context before it.
        micro_batches: passes that it takes.
        linear_flop: operations with weights; None where it is not known what a token reads.
        attention_flop: operations of attention and states.
        weight_bytes: of weights, moved by all micro-batches together; None where not known.
        cache_bytes: of the cache, likewise.
    """

    tokens: int
    depth: int
    micro_batches: int
    linear_flop: int | None
    attention_flop: int | None
    weight_bytes: float | None
    cache_bytes: int | None


def expected_experts(model: Model, tokens: int) -> float | None:
    """Distinct experts of a layer that a micro-batch touches; None for a dense model."""
    if model.experts is None:
        return None
    return float(expected_distinct(model.experts.total, model.experts.used, tokens))


def micro_batch_weight_bytes(model: Model, tokens: int, *, with_head: bool = True) -> float | None:
    """Weight bytes that a micro-batch of `tokens` tokens moves; None where that is not known.

    `with_head` is for the last micro-batch of a prompt.
    """
    if not model.weights_known:
        return None
    return float(micro_batch_bytes(model.ledger, tokens, with_head=with_head))


def micro_batch_cache_bytes(
    model: Model, tokens: int, depth: int = 0, type_k: str = "f16", type_v: str = "f16"
) -> int | None:
    """Bytes of the cache rows that a micro-batch sees, once each, and of states, twice.

    None where a layer's cache is not understood.
    """

    def rows(cache: Cache) -> int:
        return rows_of_micro_batch(cache, depth, tokens)

    return model.kv_bytes(rows, type_k, type_v)


def prefill(
    model: Model,
    tokens: int,
    depth: int = 0,
    *,
    ubatch: int = 512,
    type_k: str = "f16",
    type_v: str = "f16",
) -> Prefill:
    """What reading a prompt takes.

    Raises:
        UsageError: no tokens, or cache types that llama.cpp does not keep for this model.
    """
    for name, value in (("prompt", tokens), ("ubatch", ubatch)):
        if value < 1:
            raise UsageError("model.not_positive", name=name, value=value)
    full, last = divmod(tokens - 1, ubatch)

    def rows(cache: Cache) -> int:
        return rows_of_prompt(cache, depth, tokens, ubatch)

    cache = model.kv_bytes(rows, type_k, type_v)
    end = micro_batch_weight_bytes(model, last + 1)
    before = micro_batch_weight_bytes(model, ubatch, with_head=False) if full else 0.0
    known = model.weights_known
    return Prefill(
        tokens=tokens,
        depth=depth,
        micro_batches=full + 1,
        linear_flop=model.linear_flop(tokens) if known else None,
        attention_flop=None if model.caches is None else model.attention_flop(tokens, depth),
        weight_bytes=None if end is None or before is None else full * before + end,
        # States are read and written once in each micro-batch.
        cache_bytes=None if cache is None else cache + full * 2 * model.state_bytes,
    )
