"""Which models a calibration measures, and what each is for.

A rate is learnt from models that differ in its work and in little else:

    bytes of a type     the same shape stored in each type
    rows, layers        as many bytes in few wide layers and in many narrow ones; a large vocabulary
    norms, small works  `gemma3`, which has three times as many of them in a layer
    cache, attention    ratios of query to key heads from 1 to 8 and heads of 64, 128 and 256
                        numbers, at short and long depths
    windows             `gemma3` again: five of six layers look back over 512 tokens only
    experts             the same layers with four and with eight of 32 experts used

Every file is larger than the last-level cache of most processors (at least 120 MB), or the weights
would come from there and not from memory. The first model is measured again in the middle and at
the end: what it differs by is the machine's drift.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tokenroof.calibrate.shapes import Shape

Mode = Literal["quick", "full"]

ANCHOR = "anchor"


@dataclass(frozen=True, slots=True)
class Trial:
    """A shape, the prompt lengths that it is measured at, and how often each.

    Attributes:
        is_left_out: another shape has every kind of work that this one has; leaving it out of the
            fit shows how well such a model is predicted.
        tells_depth: its lengths are far enough apart to show what depth costs a token; of the
            others the shortest counts in decode.
    """

    shape: Shape
    lengths: tuple[int, ...]
    rounds: int
    is_left_out: bool = False
    tells_depth: bool = False

    @property
    def cost(self) -> float:
        """About what the trial takes, in operations: for the ETA."""
        weights = self.shape.weights_active
        return self.rounds * sum(2.0 * weights * (length + 40) + 1e9 for length in self.lengths)


TYPES = {
    "F16": 12,
    "Q8_0": 18,
    "Q6_K": 20,
    "Q5_K": 22,
    "Q4_K": 24,
    "Q4_0": 24,
    "IQ4_XS": 24,
    "MXFP4": 24,
}
"""The types that most files hold, and the layers that make such a model large enough."""

MORE_TYPES = {"Q5_0": 22, "Q3_K": 28, "IQ4_NL": 24, "BF16": 12, "Q5_1": 20, "Q4_1": 22, "Q2_K": 32}
"""Types of smaller files, and those that a quantiser falls back to."""

QUICK_FALLBACK = {"Q5_0": 22}


BASE = Shape("", "Q4_K", layers=24, width=1024, feed_forward=2816, heads=16, kv_heads=4)
WIDE = replace(BASE, width=2048, feed_forward=5632, heads=32, kv_heads=8)
NARROW = replace(BASE, width=512, feed_forward=1536, heads=8, kv_heads=2)
HEADS = replace(BASE, type_name="F16", layers=10)
"""F16 takes the most bytes for the least arithmetic, so that long prompts are read soonest."""

EXPERTS = replace(BASE, layers=8, feed_forward=768, experts=32, experts_used=4)
ONE_HEAD = replace(BASE, type_name="Q8_0", heads=4, kv_heads=1, head_length=256)


def trials(mode: Mode) -> tuple[Trial, ...]:
    """The design, in the order in which it is measured."""
    full = mode == "full"
    short, rounds = ((64, 512), 3) if full else ((64, 256), 2)
    deep = (64, 1024, 4096) if full else (64, 1536)

    def plain(name: str, shape: Shape) -> Trial:
        return Trial(replace(shape, name=name), short, rounds)

    def extra(name: str, shape: Shape, lengths: tuple[int, ...] = short) -> Trial:
        return Trial(
            replace(shape, name=name),
            lengths,
            rounds,
            is_left_out=True,
            tells_depth=lengths == deep,
        )

    anchor = plain(ANCHOR, BASE)
    stored = {**TYPES, **(MORE_TYPES if full else QUICK_FALLBACK)}
    types = [
        plain(f"type-{name}", replace(BASE, type_name=name, layers=layers))
        for name, layers in stored.items()
    ]
    widths = [
        extra("wide-Q8_0", replace(WIDE, type_name="Q8_0", layers=4)),
        extra("wide-Q4_K", replace(WIDE, layers=6)),
        extra("narrow-Q8_0", replace(NARROW, type_name="Q8_0", layers=56)),
        plain(
            "vocabulary",
            replace(
                ONE_HEAD, layers=6, width=640, feed_forward=2048, vocabulary=262_144, tied=True
            ),
        ),
    ]
    attention = [
        extra("heads-2x64", replace(HEADS, kv_heads=8), deep),
        extra("heads-8x64", replace(HEADS, heads=32), deep),
        extra("heads-4x128", replace(HEADS, heads=8, kv_heads=2, head_length=128), deep),
        extra("heads-4x256", replace(HEADS, heads=4, kv_heads=1, head_length=256), deep),
    ]
    window = Trial(
        replace(ONE_HEAD, name="window", layers=18, window=512), deep, rounds, tells_depth=True
    )
    experts = [
        plain("experts-4", EXPERTS),
        extra("experts-8", replace(EXPERTS, experts_used=8)),
    ]
    if full:
        widths.append(extra("narrow-Q4_K", replace(NARROW, layers=90)))
        attention += [
            extra("heads-1x128", replace(HEADS, heads=8, kv_heads=8, head_length=128), deep),
            replace(extra("heads-4x64", HEADS, (64, 8192)), tells_depth=True),
        ]
        experts.append(
            extra("experts-2", replace(EXPERTS, type_name="Q8_0", experts=8, experts_used=2))
        )
    middle = len(types) // 2
    return (
        anchor,
        *types[:middle],
        *attention,
        anchor,
        *types[middle:],
        *widths,
        window,
        *experts,
        anchor,
    )
