"""Tensors that lie in a file and that no decoded token reads.

* Other modalities: vision and audio towers and their projectors, the vision experts of cogvlm.
* Multi-token prediction: the last `nextn_predict_layers` blocks of `block_count`.
* The encoder of an encoder-decoder model, which runs once for a prompt.
* Keys and values of layers that read another layer's cache.
* One of the two sets of long-context rotary factors.
* Heads that classify instead of writing (unless as wide as the model: then a part of it), and the
  output projection of a model that has no use for one.
* What mixes with earlier blocks, in the first one.
* What a graph of the architecture has no use for (`architectures.UNTOUCHED`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokenroof.gguf import Tensor
from tokenroof.model.architectures import EXPERTS_REPLACE_DENSE, UNTOUCHED
from tokenroof.model.blocks import Block, Tensors, has, has_prefix
from tokenroof.model.experts import Experts
from tokenroof.model.hyperparameters import Hyperparameters

Reason = Literal["modality", "prediction", "encoder", "shared", "idle"]
"""Why no decoded token reads a tensor: it is for images or sound, for multi-token prediction, for
the encoder; another layer's keys and values are used instead; no graph has a use for it."""

_OTHER_MODALITIES = ("v.", "a.", "mm.", "vision", "audio", "resampler.")
_PREDICTION = ("mtp.", "nextn.")
_KEYS_AND_VALUES = ("attn_k.", "attn_v.", "attn_k_norm.", "attn_v_norm.")
_BIASED = ("attn_q.bias", "attn_k.bias", "attn_v.bias")
_DENSE = tuple(
    f"ffn_{part}.{kind}" for part in ("gate", "up", "down") for kind in ("weight", "bias")
)
_OF_LATER_BLOCKS = ("attn_res_score.", "time_mix_v0.", "time_mix_v1.", "time_mix_v2.")
_LERPS = tuple(f"time_mix_lerp_{part}." for part in "gkrvw")


@dataclass(frozen=True)
class Unread:
    """Answers for one model whether a tensor is left alone.

    Attributes:
        parameters: the model's.
        tensors: all of them.
        layers: blocks that the plain model runs: multi-token prediction left out.
        kv_layers: first layers that keep keys and values of their own.
        experts: the model's.
        has_head: whether the model writes tokens.
        long_context: whether the long set of rotary factors is used.
    """

    parameters: Hyperparameters
    tensors: Tensors
    layers: int
    kv_layers: int
    experts: Experts | None
    has_head: bool
    long_context: bool

    def __call__(self, tensor: Tensor, block: int | None, part: str) -> Reason | None:
        """Why no decoded token reads this tensor; None where one does."""
        if "nextn." in part:
            return "prediction"
        untouched = UNTOUCHED.get(self.parameters.architecture, ())
        if part.endswith(".input_scale") or part.startswith(untouched):
            return "idle"
        return self._of_the_whole(tensor) if block is None else self._of_block(block, part)

    def _of_the_whole(self, tensor: Tensor) -> Reason | None:
        name = tensor.name
        reason: Reason | None = None
        if name.startswith(_OTHER_MODALITIES):
            reason = "modality"
        elif name.startswith(_PREDICTION):
            reason = "prediction"
        elif name.startswith("enc."):
            if self.tensors.has_decoder:
                reason = "encoder"
        elif self._is_idle(name):
            reason = "idle"
        return reason

    def _is_idle(self, name: str) -> bool:
        if name.startswith("output."):
            return not self.has_head
        if name.startswith("rope_factors_"):
            return name.startswith("rope_factors_long") != self.long_context
        return name.startswith("cls") and not self._is_square_head(name)

    def _is_square_head(self, name: str) -> bool:
        """Whether a classifier maps the width of the model to itself: a part of every pass."""
        weight = self.tensors.by_name.get("cls.output.weight")
        if not name.startswith("cls.output."):
            return False
        width = self.parameters.count("embedding_length")
        return weight is not None and tuple(weight.shape) == (width, width)

    def _of_block(self, block: int, part: str) -> Reason | None:
        if block >= self.layers:
            return "prediction"
        if part.startswith(("vis_", "exp_probs_b_vl.")):
            return "modality"
        if block >= self.kv_layers and part.startswith(_KEYS_AND_VALUES):
            return "shared"
        parts = self.tensors.block(block)
        replaced = self.parameters.architecture in EXPERTS_REPLACE_DENSE
        idle = (
            part in _BIASED and _has_no_use_for_bias(part, parts),
            part.startswith("attn_k_norm.") and _is_idle_key_norm(parts),
            part.startswith(_OF_LATER_BLOCKS) and block == 0,
            part.startswith(_LERPS) and has_prefix(parts, "time_mix_lerp_fused"),
            part == "ssm_in.weight" and _is_delta_net(parts),
            replaced and part in _DENSE and has(parts, ("ffn_gate_inp",)),
        )
        return "idle" if any(idle) else None


def _has_no_use_for_bias(part: str, parts: Block) -> bool:
    """A bias without its weight, or one of KDA, whose graph adds none."""
    return part.replace(".bias", ".weight") not in parts or has(parts, ("ssm_conv1d_q",))


def _is_idle_key_norm(parts: Block) -> bool:
    """Plain keys are normalised together with queries or not at all."""
    return has(parts, ("attn_q", "attn_qkv")) and not has(parts, ("attn_q_norm",))


def _is_delta_net(parts: Block) -> bool:
    """Whether the inputs of a gated delta net come from `attn_qkv`, not from `ssm_in`."""
    return has(parts, ("attn_qkv",)) and has(parts, ("attn_gate",))
