"""Layers that carry a state instead of a growing cache.

The state of a sequence has the same size at every depth, is F32, and is read and written back for
every token. Its two parts are the last inputs of a short convolution and the matrix that sums up
the past:

    kind                     convolution                              matrix
    Mamba 1 and 2, GDN       (conv - 1) x channels of the conv1d      state_size x inner_size
    KDA                      3 x (conv - 1) x heads x head_dim        head_dim^2 x heads
    RWKV                     token_shift_count x width                width x wkv.head_size
    short convolution        (l_cache - 1) x width                    -
    lightning attention      -                                        key_length^2 x heads

(llama_hparams::n_embd_r, n_embd_s.) The kind is told by the layer's tensors. A layer may do both,
attend and carry a state, side by side (falcon-h1).
"""

from __future__ import annotations

from typing import Literal

from tokenroof.model.architectures import RECURRENT_INTERVALS
from tokenroof.model.attention import Heads
from tokenroof.model.blocks import Block, has, has_prefix
from tokenroof.model.caches import State
from tokenroof.model.hyperparameters import Hyperparameters

RecurrentKind = Literal["ssm", "kda", "rwkv", "short_convolution", "lightning"]

_DEFAULT_KDA_HISTORY = 3
_DEFAULT_TOKEN_SHIFT = 2


def recurrent_kind(parameters: Hyperparameters, layer: int, block: Block) -> RecurrentKind | None:
    """What kind of state a layer carries; None for none."""
    if has_prefix(block, "time_mix_"):
        return "rwkv"
    if has_prefix(block, "shortconv."):
        return "short_convolution"
    if has(block, ("ssm_conv1d_q",)):
        return "kda"
    if has_prefix(block, "ssm_"):
        return "ssm"
    lightning = has(block, ("attn_norm_2",)) and has(block, ("attn_qkv",))
    if lightning and has(block, ("attn_gate",)) and _is_marked(parameters, layer):
        return "lightning"
    return None


def attends_beside(kind: RecurrentKind, block: Block) -> bool:
    """Whether a layer with a state attends as well, in parallel.

    A gated delta net has a fused `attn_qkv` of its own, but its output goes through `ssm_out`.
    """
    return kind == "ssm" and has(block, ("attn_output",)) and has(block, ("attn_k", "attn_qkv"))


def _is_marked(parameters: Hyperparameters, layer: int) -> bool:
    marks = parameters.array("attention.recurrent_layers")
    if marks is not None:
        return layer < len(marks) and bool(marks[layer])
    every = parameters.number("attention.recurrent_layers")
    if every is not None:
        return bool(every)
    interval = parameters.count("full_attention_interval") or RECURRENT_INTERVALS.get(
        parameters.architecture, 0
    )
    return interval > 0 and (layer + 1) % interval != 0


def recurrent_states(
    parameters: Hyperparameters,
    layer: int,
    block: Block,
    kind: RecurrentKind,
    heads: Heads | None,
) -> list[State]:
    """The states of one layer, of one sequence."""
    convolution, matrix = _elements(parameters, block, kind, heads)
    convolution += _ngram_history(parameters, layer)
    states = [State(layer, "convolution", convolution), State(layer, "recurrent", matrix)]
    return [state for state in states if state.elements]


def _elements(
    parameters: Hyperparameters,
    block: Block,
    kind: RecurrentKind,
    heads: Heads | None,
) -> tuple[int, int]:
    width = parameters.count("embedding_length")
    query_heads = heads.query[0] if heads and heads.query else 0
    match kind:
        case "rwkv":
            shifts = parameters.count("token_shift_count", _DEFAULT_TOKEN_SHIFT)
            return shifts * width, width * parameters.count("wkv.head_size")
        case "short_convolution":
            return width * max(parameters.count("shortconv.l_cache") - 1, 0), 0
        case "kda":
            dimension = parameters.count("kda.head_dim")
            kernel = parameters.count("ssm.conv_kernel")
            history = kernel - 1 if kernel else _DEFAULT_KDA_HISTORY
            return 3 * history * query_heads * dimension, dimension**2 * query_heads
        case "lightning":
            length = heads.key_length if heads else 0
            return 0, length**2 * query_heads
        case "ssm":
            matrix = parameters.count("ssm.state_size") * parameters.count("ssm.inner_size")
            return _ssm_convolution(parameters, block), matrix


def _ssm_convolution(parameters: Hyperparameters, block: Block) -> int:
    convolution = block.get("ssm_conv1d.weight")
    if convolution is not None and len(convolution.shape) >= 2:
        kernel, channels = convolution.shape[0], convolution.shape[-1]
    else:
        kernel = parameters.count("ssm.conv_kernel")
        channels = parameters.count("ssm.inner_size") + 2 * parameters.count(
            "ssm.group_count"
        ) * parameters.count("ssm.state_size")
    return max(kernel - 1, 0) * channels


def _ngram_history(parameters: Hyperparameters, layer: int) -> int:
    """The history of the n-gram embeddings' convolution, in the one layer that has them."""
    layers = parameters.array("ple.layers")
    kernel = parameters.count("ple.conv_kernel")
    if not layers or layer not in layers or kernel == 0:
        return 0
    streams = parameters.count("hyper_connection.count")
    width = parameters.count("embedding_length")
    return (kernel - 1) * parameters.count("ple.ngram_size") * streams * width
