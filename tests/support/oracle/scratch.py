"""Tiny models of architectures that the recorded oracles have not, tensor by tensor.

llama.cpp's own fixtures leave them out. Names, shapes and keys are those that its loader asks for
(src/models/*.cpp, llama.cpp 0.5.0), in the form of the recorded models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = tuple[str, tuple[int, ...], str]

WIDTH, WORDS, HIDDEN = 256, 128, 384
FEATURES, SOUNDS = 64, 96

_DIMENSIONS: dict[str, Any] = {
    "block_count": 2,
    "context_length": 256,
    "embedding_length": WIDTH,
    "feed_forward_length": HIDDEN,
    "vocab_size": WORDS,
}


def _model(
    architecture: str, keys: Mapping[str, Any], rows: list[Row], block: Callable[[int], list[Row]]
) -> dict[str, Any]:
    metadata = {f"{architecture}.{key}": value for key, value in {**_DIMENSIONS, **keys}.items()}
    blocks = [row for number in range(2) for row in block(number)]
    return {
        "metadata": {"general.architecture": architecture, **metadata},
        "tensors": [*rows, *blocks],
    }


def _rows(prefix: str, shapes: Mapping[str, tuple[int, ...]]) -> list[Row]:
    return [
        (f"{prefix}{name}" if "." in name else f"{prefix}{name}.weight", shape, "F32")
        for name, shape in shapes.items()
    ]


_HEADED = _rows(
    "", {"token_embd": (WIDTH, WORDS), "output_norm": (WIDTH,), "output": (WIDTH, WORDS)}
)
_NORMS = {"attn_norm": (WIDTH,), "ffn_norm": (WIDTH,)}
_DENSE = {
    "ffn_gate": (WIDTH, HIDDEN), "ffn_up": (WIDTH, HIDDEN), "ffn_down": (HIDDEN, WIDTH),
}  # fmt: skip


def _ocr(number: int) -> list[Row]:
    """DeepSeek's first mixture of experts, without MLA."""
    plain = {f"attn_{part}": (WIDTH, WIDTH) for part in ("q", "k", "v", "output")}
    experts = {
        "ffn_gate_inp": (WIDTH, 8),
        "ffn_gate_exps": (WIDTH, 128, 8),
        "ffn_up_exps": (WIDTH, 128, 8),
        "ffn_down_exps": (128, WIDTH, 8),
        "ffn_gate_shexp": (WIDTH, 256),
        "ffn_up_shexp": (WIDTH, 256),
        "ffn_down_shexp": (256, WIDTH),
    }
    return _rows(f"blk.{number}.", {**_NORMS, **plain, **(experts if number else _DENSE)})


def _rwkv_6_on_qwen2(number: int) -> list[Row]:
    """Grouped keys and values with biases, and no `time_mix_first`."""
    mixing = {
        "w1": (WIDTH, 160),
        "w2": (32, WIDTH, 5),
        "lerp_x": (WIDTH, 1, 1),
        "lerp_fused": (WIDTH, 1, 1, 5),
        "decay": (WIDTH,),
        "decay_w1": (WIDTH, 64),
        "decay_w2": (64, WIDTH),
        "key": (WIDTH, 128),
        "key.bias": (128,),
        "value": (WIDTH, 128),
        "value.bias": (128,),
        "receptance": (WIDTH, WIDTH),
        "receptance.bias": (WIDTH,),
        "gate": (WIDTH, WIDTH),
        "output": (WIDTH, WIDTH),
    }
    block = f"blk.{number}."
    return _rows(block, {**_NORMS, **_DENSE}) + _rows(f"{block}time_mix_", mixing)


def _rwkv_7_on_qwen2(number: int) -> list[Row]:
    """Without gates, group norms or heads of attention."""
    mixing: dict[str, tuple[int, ...]] = {
        "lerp_fused": (WIDTH, 1, 1, 5),
        **{f"{letter}0": (WIDTH,) for letter in "wav"},
        **{f"{letter}1": (WIDTH, rank) for letter, rank in (("w", 64), ("a", 32), ("v", 32))},
        **{f"{letter}2": (rank, WIDTH) for letter, rank in (("w", 64), ("a", 32), ("v", 32))},
        **dict.fromkeys(("k_k", "k_a", "r_k"), (WIDTH,)),
        **dict.fromkeys(("key", "value", "receptance", "output"), (WIDTH, WIDTH)),
    }
    block = f"blk.{number}."
    return _rows(block, {**_NORMS, **_DENSE}) + _rows(f"{block}time_mix_", mixing)


def _sound_head() -> list[Row]:
    """Six layers of convolutions and attention over all positions."""
    one = (1, FEATURES)
    rows = _rows(
        "",
        {
            "token_embd": (FEATURES, WORDS),
            "conv1d": (7, FEATURES, FEATURES),
            "conv1d.bias": one,
            "token_embd_norm": (FEATURES,),
            "token_embd_norm.bias": (FEATURES,),
            "output_norm": (FEATURES,),
            "output_norm.bias": (FEATURES,),
            "output": (FEATURES, SOUNDS),
            "output.bias": (SOUNDS,),
        },
    )
    for layer in range(6):
        parts: dict[str, tuple[int, ...]] = {"attn_norm": one, "attn_norm.bias": one}
        if layer == 2:
            for part in ("q", "k", "v", "output"):
                parts |= {f"attn_{part}": (1, FEATURES, FEATURES), f"attn_{part}.bias": one}
        elif layer < 5:
            parts = {}
            for part in "12":
                parts |= {f"norm{part}": one, f"norm{part}.bias": one}
                parts |= {f"conv{part}": (3, FEATURES, FEATURES), f"conv{part}.bias": one}
        rows += _rows(f"posnet.{layer}.", parts)
    # Its convolutions run in F16 alone.
    return [(name, shape, "F16" if len(shape) == 3 else kind) for name, shape, kind in rows]


def _sound_block(number: int) -> list[Row]:
    dense = {
        "dw.bias": (1, FEATURES), "norm": (FEATURES,), "norm.bias": (FEATURES,),
        "pw1": (FEATURES, HIDDEN), "pw1.bias": (HIDDEN,), "pw2": (HIDDEN, FEATURES),
        "pw2.bias": (FEATURES,), "gamma": (FEATURES,),
    }  # fmt: skip
    prefix = f"convnext.{number}."
    return [(f"{prefix}dw.weight", (7, 1, FEATURES), "F16"), *_rows(prefix, dense)]


SCRATCH: dict[str, Any] = {
    "deepseek2-ocr": _model(
        "deepseek2-ocr",
        {
            "attention.head_count": 2, "attention.head_count_kv": 2,
            "leading_dense_block_count": 1, "expert_feed_forward_length": 128,
            "expert_shared_count": 2, "expert_count": 8, "expert_used_count": 2,
        },
        _HEADED, _ocr,
    ),
    "rwkv6qwen2": _model(
        "rwkv6qwen2",
        {
            "attention.head_count": 4, "attention.head_count_kv": 2, "wkv.head_size": 64,
            "time_mix_extra_dim": 32, "time_decay_extra_dim": 64, "token_shift_count": 1,
        },
        _HEADED, _rwkv_6_on_qwen2,
    ),
    "arwkv7": _model(
        "arwkv7",
        {
            "wkv.head_size": 64, "token_shift_count": 1, "attention.decay_lora_rank": 64,
            "attention.iclr_lora_rank": 32, "attention.value_residual_mix_lora_rank": 32,
        },
        _HEADED, _rwkv_7_on_qwen2,
    ),
    "wavtokenizer-dec": _model(
        "wavtokenizer-dec",
        {
            "block_count": 6, "embedding_length": SOUNDS, "features_length": FEATURES,
            "posnet.embedding_length": FEATURES, "posnet.block_count": 6,
            "convnext.embedding_length": FEATURES, "convnext.block_count": 2,
            "attention.head_count": 1, "attention.group_norm_groups": 8,
        },
        _sound_head(), _sound_block,
    ),
}  # fmt: skip
