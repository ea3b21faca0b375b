"""Models that run the same blocks several times for one token.

Every pass reads its weights again and keeps a cache of its own. nanbeige runs all blocks
`num_loops` times. hrm_text has a low and a high stack of `hrm.layers_per_stack` blocks each: in
each of h cycles the low one runs l times and then the high one once; its `block_count` already
counts the passes, h x (l + 1) x layers_per_stack.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from tokenroof import units
from tokenroof.errors import ModelError
from tokenroof.model.hyperparameters import MOST_LAYERS, Hyperparameters


@dataclass(frozen=True)
class Passes:
    """How blocks are passed through.

    Attributes:
        order: the block of each pass, in order: one cache for each.
    """

    order: tuple[int, ...]

    @property
    def looped(self) -> bool:
        """Whether any block runs more than once."""
        return len(self.counts) < len(self.order)

    @cached_property
    def counts(self) -> Counter[int]:
        """How often each block runs for a token."""
        return Counter(self.order)


def passes(parameters: Hyperparameters, layers: int) -> Passes:
    """The passes through the blocks that one token needs.

    Raises:
        ModelError: more passes than any model makes.
    """
    loops = parameters.count("num_loops")
    stack = parameters.count("hrm.layers_per_stack")
    high, low = parameters.count("hrm.h_cycles"), parameters.count("hrm.l_cycles")
    if loops > 1:
        _check(parameters, "num_loops", layers * loops)
        return Passes(tuple(range(layers)) * loops)
    if stack and high and low:
        _check(parameters, "hrm.h_cycles", stack * high * (low + 1))
        low_stack, high_stack = tuple(range(stack)), tuple(range(stack, 2 * stack))
        return Passes((low_stack * low + high_stack) * high)
    return Passes(tuple(range(layers)))


def _check(parameters: Hyperparameters, name: str, runs: int) -> None:
    if runs > MOST_LAYERS:
        raise ModelError(
            "model.too_many_passes",
            key=parameters.key(name),
            passes=units.count(runs),
            most=MOST_LAYERS,
        )
