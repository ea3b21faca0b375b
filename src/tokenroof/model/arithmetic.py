"""Which attention each layer computes, from its heads and windows (the sums are in `compute`)."""

from __future__ import annotations

from tokenroof.model.attention import Heads, attends
from tokenroof.model.blocks import Tensors
from tokenroof.model.compute import Attention
from tokenroof.model.hyperparameters import Hyperparameters
from tokenroof.model.latent import compression_ratios, has_indexer
from tokenroof.model.loops import Passes
from tokenroof.model.recurrent import attends_beside, recurrent_kind
from tokenroof.model.windows import Windows


def attentions(
    parameters: Hyperparameters,
    tensors: Tensors,
    heads: Heads | None,
    windows: Windows,
    passes: Passes,
    *,
    causal: bool,
) -> tuple[Attention, ...]:
    """The attention of every layer that has one; layers that read another's cache compute too."""
    if heads is None:
        return ()
    layers = len(windows.slides)
    ratios = compression_ratios(parameters, layers)
    indexer_flop = 2 * (
        parameters.count("attention.indexer.head_count")
        * parameters.count("attention.indexer.key_length")
    )
    found: list[Attention] = []
    for slot, number in enumerate(passes.order):
        layer = slot % layers
        block = tensors.block(number)
        kind = recurrent_kind(parameters, layer, block)
        if not attends(block) or (kind is not None and not attends_beside(kind, block)):
            continue
        slides = windows.slides[layer]
        flop = 2 * heads.query[layer] * sum(heads.lengths(slides))
        window = windows.window if slides else None
        found.append(Attention(flop, window, causal=causal))
        ratio = ratios[layer] if "attn_kv.weight" in block else 0
        if ratio:
            found.append(Attention(flop, tokens_per_position=ratio, causal=causal))
        if has_indexer(parameters, layer, block):
            found.append(Attention(indexer_flop, tokens_per_position=max(ratio, 1), causal=causal))
    return tuple(found)
