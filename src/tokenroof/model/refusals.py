"""Cache types that llama.cpp refuses for a model, so that no figure is given for them.

(llama_init_from_model.) A quantised cache needs head lengths of whole blocks; a latent row is keys
and values at once, so both types must be the same; quantised values need flash attention, which
llama.cpp switches off for grok.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenroof.errors import UsageError
from tokenroof.gguf.types import TensorType
from tokenroof.model.architectures import FLASH_ATTENTION_OFF
from tokenroof.model.attention import Heads
from tokenroof.model.caches import Cache


def check_kv_types(
    architecture: str,
    caches: Iterable[Cache],
    heads: Heads | None,
    key: TensorType,
    value: TensorType,
) -> None:
    """Refuse what llama.cpp refuses.

    Raises:
        UsageError: it does, with the reason.
    """
    rows = tuple(caches)
    if not rows:
        return
    joint = any(row.kind in ("latent", "compressed") or row.per_sequence for row in rows)
    if joint and key.id != value.id:
        raise UsageError(
            "model.kv_types_differ", type_k=key.name.lower(), type_v=value.name.lower()
        )
    if architecture in FLASH_ATTENTION_OFF and value.block_elements > 1:
        raise UsageError(
            "model.kv_value_quantised", architecture=architecture, type=value.name.lower()
        )
    if heads is None:
        return
    lengths = (
        (key, {heads.key_length, heads.key_length_sliding}),
        (value, {heads.value_length, heads.value_length_sliding}),
    )
    for kind, used in lengths:
        for length in used:
            if length % kind.block_elements:
                raise UsageError(
                    "model.kv_block",
                    type=kind.name.lower(),
                    block=kind.block_elements,
                    length=length,
                )
