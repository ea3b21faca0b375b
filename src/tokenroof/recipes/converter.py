"""In which type llama.cpp's converter stores each tensor, before anything is quantised.

Vectors and norms are F32, and so are a few small matrices; all else is in the type of the
checkpoint, two bytes a weight.
"""

from __future__ import annotations

from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Shape, Sketch

_F32_ENDS = (
    "_norm.weight", "ffn_gate_inp.weight", "ffn_gate_inp_shexp.weight", "position_embd.weight",
    "token_types.weight", "ssm_conv1d.weight", "shortconv.conv.weight", "ssm_conv1d_q.weight",
    "ssm_conv1d_k.weight", "ssm_conv1d_v.weight", "indexer.proj.weight",
    "altup_correct_coef.weight", "altup_predict_coef.weight",
)  # fmt: skip


def half_type(config: Config) -> str:
    """The type of 16 bits that the converter writes: that of the checkpoint."""
    return "F16" if config.text("torch_dtype", "dtype") == "float16" else "BF16"


def converted(sketch: Sketch, config: Config) -> list[tuple[str, Shape, str]]:
    """Every tensor with the type that the converter gives it."""
    half = half_type(config)
    return [
        (name, shape, sketch.stored.get(name) or _stored(name, shape, half))
        for name, shape in sketch.tensors.items()
    ]


def _stored(name: str, shape: Shape, half: str) -> str:
    is_f32 = len(shape) < 2 or not name.endswith(".weight") or name.endswith(_F32_ENDS)
    return "F32" if is_f32 else half
