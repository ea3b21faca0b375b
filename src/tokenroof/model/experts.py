"""Experts: of a layer's many feed-forward networks a token passes through a few.

Expert tensors hold all experts of a layer, one after the other along their last dimension; for one
token the used share of them is read, biases and scales included. They are told by that dimension
together with their name: a router (`ffn_gate_inp`) has it as well and is read in full, and so is
arctic's `ffn_norm_exps`, which is as wide as the model. Shared experts (`_shexp`) are ordinary
tensors. Grouped ones (`_chexps`, grovemoe) are one for every `experts_per_group` experts, of which
as many as experts are used are picked. Files from before April 2024 hold each expert as a tensor
of its own (`ffn_up.3.weight`), of which a token reads the used share on average.

graniteswitch stacks low-rank adapters in the same way, of which a token uses one.

A micro-batch of u tokens that choose independently touches E (1 - (1 - k/E)^u) of E experts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from tokenroof.errors import ModelError
from tokenroof.gguf import Tensor
from tokenroof.model.hyperparameters import Hyperparameters

_ALONE = re.compile(r"(?:^|\.)ffn_(?:gate|up|down)\.(\d{1,4})\.[a-z]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of a model.

    Attributes:
        total: experts of a layer.
        used: of these, how many a token uses; of layers that differ, the most.
        used_by_layer: how many in each layer.
        per_group: experts that share one grouped expert; 0 without groups.
    """

    total: int
    used: int
    used_by_layer: tuple[int, ...]
    per_group: int = 0

    def share(self, layer: int | None, tensor: Tensor) -> tuple[int, int]:
        """How many of how many experts of a tensor a token reads."""
        used = self.used
        if layer is not None and layer < len(self.used_by_layer):
            used = self.used_by_layer[layer]
        held = tensor.shape[-1] if holds_all(tensor.name) else self.total
        return min(used, held), held


def find_experts(parameters: Hyperparameters, layers: int) -> Experts | None:
    """The experts of a model; None for a dense one.

    Raises:
        ModelError: more experts are used than there are, or none although there are some.
    """
    total = parameters.count("expert_count")
    if total <= 1:
        return None
    by_layer = parameters.per_layer("expert_used_count", layers)
    used = max(by_layer, default=0)
    if not 0 < used <= total:
        raise ModelError(
            "model.experts_used", key=parameters.key("expert_used_count"), used=used, total=total
        )
    return Experts(total, used, by_layer, parameters.count("experts_per_group"))


def is_expert_tensor(name: str, tensor: Tensor, experts: Experts | None) -> bool:
    """Whether a tensor holds the experts of a layer, one after the other."""
    if experts is None or not tensor.shape:
        return False
    alone = _ALONE.search(name)
    if alone is not None:
        return int(alone[1]) < experts.total
    held = tensor.shape[-1]
    if "_chexps" in name:
        return experts.per_group > 0 and held * experts.per_group >= experts.total
    return "_exps" in name and held == experts.total and not name.endswith(".input_scale")


def holds_all(name: str) -> bool:
    """Whether an expert tensor holds the experts of a layer, and not one of them alone."""
    return _ALONE.search(name) is None


def is_adapter_stack(parameters: Hyperparameters, name: str, tensor: Tensor) -> bool:
    """Whether a tensor holds the adapters of a matrix, one after the other: none, and each."""
    adapters = parameters.count("adapters.count")
    stacked = name.endswith((".lora_a", ".lora_b")) and bool(tensor.shape)
    return adapters > 0 and stacked and tensor.shape[-1] == adapters + 1


def expected_distinct(total: int, used: int, tokens: int) -> Fraction:
    """How many distinct experts a micro-batch touches, if every token chooses independently."""
    return total * (1 - (1 - Fraction(used, total)) ** tokens)
