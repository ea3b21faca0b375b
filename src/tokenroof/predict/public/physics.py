"""How long a token, and a prompt, takes on one processor: the sum of what it is made of.

*Decode.* Weights of a type are read at the memory's bandwidth, less what is lost on the way
(`slack`), or unpacked and multiplied at the processor's own rate (`unpack`), whichever is slower,
with a smooth corner between (a norm of order 3). To this come one launch for every matrix, the
layers of experts and of states, the token itself, a hop to every further card, and the cache at a
rate of its own with the arithmetic of attention.

*Prefill.* Operations at the processor's rate times its efficiency, with a loss for experts that
see few tokens and for short micro-batches; or reading all weights for each micro-batch, whichever
is slower (a norm of order 2); then launches, attention, and the cache. The rate lies between that
of its plain arithmetic and that of its units for small numbers, since a kernel unpacks and scales
with the one and multiplies with the other (`units`: how far towards the latter). And a clock lasts
only as far as the power does: power grows with the square of the voltage times the clock, the
voltage about with the clock, so the clock follows the cube root of the watts that there are for an
operation (`power`: believed to be 1/3).

Every term is positive, falls with bandwidth and grows with bytes, and the memory's part alone is
never less than bytes over bandwidth: so more bandwidth or power is never slower, more depth and
more bytes never faster, whatever the coefficients are.

All arguments are arrays, one entry a part of a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.predict.memory.footprint import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DECODE = (
    "slack",
    "matrix",
    "token",
    "hop",
    "expert_layer",
    "state_layer",
    "expert_bytes",
    "cache",
    "attention",
    "engine",
    *(f"unpack:{kind}" for kind in KINDS),
)
PREFILL = (
    "compute",
    "units",
    "power",
    "weights",
    "matrix",
    "batch",
    "experts",
    "few_tokens",
    "short",
    "state_layer",
    "attention",
    "engine",
    *(f"multiply:{kind}" for kind in KINDS),
)

Values = Mapping[str, "Floats"]


@dataclass(frozen=True, slots=True)
class Decode:
    """What one token asks of a processor.

    Attributes:
        bandwidth: of its memory, bytes per second.
        arithmetic: its rate without matrix units, operations per second.
        read_bytes: of weights, a row a part and a column a kind of kernel.
        expert_bytes: of these, those of experts.
        weights: weights that those bytes hold.
        matrices, expert_layers, state_layers: steps.
        hops: to further cards, and between cards and host.
        cache_bytes: of caches and states.
        attention_flop: operations of attention and states.
    """

    bandwidth: Floats
    arithmetic: Floats
    read_bytes: Floats
    expert_bytes: Floats
    weights: Floats
    matrices: Floats
    expert_layers: Floats
    state_layers: Floats
    hops: Floats
    cache_bytes: Floats
    attention_flop: Floats


@dataclass(frozen=True, slots=True)
class Prefill:
    """What a prompt asks of a processor.

    Attributes:
        bandwidth, arithmetic: as of `Decode`.
        gain: the rate of its units for small numbers over its arithmetic; 1 where it has none.
        power: watts for each operation, over those of a usual card; 1 where nobody says.
        tokens: of a full micro-batch, or of the prompt where that is shorter.
        batches: micro-batches.
        linear_flop: operations with weights.
        kinds: what share of the weights is of each kind of kernel.
        expert_share: what share of the operations is with experts.
        tokens_per_expert: of a micro-batch, on average.
        weight_bytes: moved by all micro-batches together.
        cache_bytes: likewise.
        attention_flop: operations of attention and states.
        matrices, state_layers: steps of a micro-batch.
        overlap: what is left of the time where cards work on several micro-batches at once.
    """

    bandwidth: Floats
    arithmetic: Floats
    gain: Floats
    power: Floats
    tokens: Floats
    batches: Floats
    linear_flop: Floats
    kinds: Floats
    expert_share: Floats
    tokens_per_expert: Floats
    weight_bytes: Floats
    cache_bytes: Floats
    attention_flop: Floats
    matrices: Floats
    state_layers: Floats
    overlap: Floats


def decode_seconds(values: Values, asked: Decode) -> Floats:
    """Seconds of one token, before the least that the memory allows."""
    import numpy as np

    lost = 1 + np.exp(values["slack"])
    experts = np.exp(values["expert_bytes"])
    seconds = asked.matrices * np.exp(values["matrix"]) + np.exp(values["token"])
    for column, kind in enumerate(KINDS):
        moved = asked.read_bytes[:, column] + asked.expert_bytes[:, column] * experts
        memory = moved * lost / asked.bandwidth
        unpacked = asked.weights[:, column] * np.exp(values[f"unpack:{kind}"]) / asked.arithmetic
        seconds = seconds + np.cbrt(memory**3 + unpacked**3)
    seconds = seconds + asked.expert_layers * np.exp(values["expert_layer"])
    seconds = seconds + asked.state_layers * np.exp(values["state_layer"])
    seconds = seconds + asked.hops * np.exp(values["hop"])
    cache = asked.cache_bytes * (1 + np.exp(values["cache"])) * lost / asked.bandwidth
    attention = asked.attention_flop * np.exp(values["attention"]) / asked.arithmetic
    total: Floats = (seconds + cache + attention) * np.exp(values["engine"])
    return total


def least_decode_seconds(asked: Decode) -> Floats:
    """What the memory alone takes: the ceiling's time."""
    least: Floats = (asked.read_bytes.sum(axis=1) + asked.cache_bytes) / asked.bandwidth
    return least


def prefill_seconds(values: Values, asked: Prefill) -> Floats:
    """Seconds of a prompt."""
    import numpy as np

    rate = np.exp(values["compute"]) / asked.arithmetic
    rate = rate / asked.gain ** np.exp(values["units"]) / asked.power ** np.exp(values["power"])
    kinds = sum(
        asked.kinds[:, column] * np.exp(values[f"multiply:{kind}"])
        for column, kind in enumerate(KINDS)
    )
    few = np.exp(values["few_tokens"]) / np.maximum(asked.tokens_per_expert, 1e-3)
    experts = 1 + asked.expert_share * (np.exp(values["experts"]) + few)
    # Added, not multiplied: the product of two losses that fall with the tokens would make a longer
    # prompt faster.
    short = np.exp(values["short"]) / asked.tokens
    computed = asked.linear_flop * rate * kinds * (experts + short)
    moved = asked.weight_bytes * (1 + np.exp(values["weights"])) / asked.bandwidth
    steps = (
        asked.matrices * np.exp(values["matrix"])
        + np.exp(values["batch"])
        + asked.state_layers * np.exp(values["state_layer"])
    )
    seconds = np.hypot(computed, moved) + asked.batches * steps
    attention = asked.attention_flop * np.exp(values["attention"]) * rate
    whole = seconds + attention + asked.cache_bytes / asked.bandwidth
    total: Floats = whole * asked.overlap * np.exp(values["engine"])
    return total
