"""Which models a calibration measures, and what each is for.

A rate is learnt from models that differ in its work and in little else:

    bytes of a type     the same shape stored in each type
    rows, layers        as many bytes in few wide layers and in many narrow ones
    logits              a large vocabulary
    norms, small works  `gemma3`, which has three times as many of them in a layer
    cache, attention    ratios of query to key heads from 1 to 8 and heads of 64, 128 and 256
                        numbers, close together and far apart, at short and long depths
    windows             `gemma3` again: five of six layers look back over 512 tokens only
    experts             the same layers with four and with eight of 32 experts used

Every file is larger than the last-level cache of most processors (at least 120 MB), or the weights
would come from there and not from memory.

A machine's speed wanders over minutes by more than it does within seconds, and depends on where in
memory a file came to lie. So all models are measured in turn, each in a new file, and all again,
as often as there is time; the medians over the turns count. One model, the anchor, is measured
three times in every turn: what it differs by is the machine's drift.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tokenroof.calibrate.shapes import Shape

Mode = Literal["quick", "full"]

ANCHOR, ANCHORS_OF_A_TURN = "anchor", 3


@dataclass(frozen=True, slots=True)
class Trial:
    """A shape, and the prompt lengths that it is measured at, once.

    Attributes:
        is_left_out: another shape has every kind of work that this one has; leaving it out of the
            fit shows how well such a model is predicted.
    """

    shape: Shape
    lengths: tuple[int, ...]
    is_left_out: bool = False

    @property
    def cost(self) -> float:
        """About what the trial takes, in operations: for the ETA."""
        weights = self.shape.weights_active
        return 5e10 + sum(2.0 * weights * (length + 40) + 1e9 for length in self.lengths)


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

QUICK_FALLBACK = {"Q5_0": 22}
"""What a quantiser falls back to where a row's length is no multiple of 256."""

MORE_TYPES = {"Q3_K": 28, "IQ4_NL": 24, "BF16": 12, "Q5_1": 20, "Q4_1": 22, "Q2_K": 32}
"""Types of smaller files, and further fallbacks."""

TURNS = {"quick": 2, "full": 4}
LONGEST, TURNS_OF_LONGEST = 8192, 2

BASE = Shape("", "Q4_K", layers=24, width=1024, feed_forward=2816, heads=16, kv_heads=4)
NARROW = replace(BASE, width=512, feed_forward=1536, heads=8, kv_heads=2)
WIDTHS = (
    replace(
        BASE, name="wide-Q4_K", layers=6, width=2048, feed_forward=5632, heads=32, kv_heads=8
    ),
    replace(NARROW, name="narrow-Q8_0", type_name="Q8_0", layers=56),
)  # fmt: skip

HEADS = replace(BASE, type_name="F16", layers=10)
"""F16 takes the most bytes for the least arithmetic, so that long prompts are read soonest."""

FAR_HEADS = replace(HEADS, name="heads-2x128", heads=8, kv_heads=4, head_length=128)
NEAR_HEADS = (
    replace(HEADS, name="heads-8x64", heads=32),
    replace(HEADS, name="heads-4x128", heads=8, kv_heads=2, head_length=128),
    replace(HEADS, name="heads-4x256", heads=4, kv_heads=1, head_length=256),
)

ONE_HEAD = replace(BASE, type_name="Q8_0", heads=4, kv_heads=1, head_length=256)
WINDOW = replace(ONE_HEAD, name="window", layers=18, window=512)
VOCABULARY = replace(
    ONE_HEAD,
    name="vocabulary",
    layers=6,
    width=640,
    feed_forward=2048,
    vocabulary=262_144,
    tied=True,
)
EXPERTS = replace(BASE, name="experts-4", layers=8, feed_forward=768, experts=32, experts_used=4)


def trials(mode: Mode) -> tuple[Trial, ...]:
    """The design, in the order in which it is measured: all shapes in turn, and all again."""
    short, deep = ((64, 512), (64, 1024, 4096)) if mode == "full" else ((64, 256), (64, 1536))
    turn = _full_turn(short, deep) if mode == "full" else _quick_turn(short, deep)
    anchor, middle = Trial(replace(BASE, name=ANCHOR), short), len(turn) // 2
    turns = [(anchor, *turn[:middle], anchor, *turn[middle:], anchor)] * TURNS[mode]
    return tuple(
        trial
        for number, each in enumerate(turns)
        for trial in each
        if max(trial.lengths) < LONGEST or number < TURNS_OF_LONGEST
    )


def _quick_turn(short: tuple[int, ...], deep: tuple[int, ...]) -> list[Trial]:
    return [
        *_types({**TYPES, **QUICK_FALLBACK}, short),
        Trial(FAR_HEADS, deep),
        *(Trial(each, deep, is_left_out=True) for each in NEAR_HEADS),
        *(Trial(each, short, is_left_out=True) for each in WIDTHS),
        Trial(VOCABULARY, short),
        Trial(WINDOW, deep),
        Trial(EXPERTS, short),
        Trial(replace(EXPERTS, name="experts-8", experts_used=8), short, is_left_out=True),
    ]


def _full_turn(short: tuple[int, ...], deep: tuple[int, ...]) -> list[Trial]:
    few_experts = replace(EXPERTS, name="experts-2", type_name="Q8_0", experts=8, experts_used=2)
    q6_vocabulary = replace(
        BASE, name="vocabulary-Q6_K", type_name="Q6_K", layers=8, vocabulary=131_072, tied=True
    )
    single_heads = replace(FAR_HEADS, name="heads-1x128", kv_heads=8)
    return [
        *_quick_turn(short, deep),
        *_types(MORE_TYPES, short),
        Trial(replace(NARROW, name="narrow-Q4_K", layers=90), short, is_left_out=True),
        Trial(q6_vocabulary, short, is_left_out=True),
        Trial(single_heads, deep, is_left_out=True),
        Trial(replace(HEADS, name="heads-4x64"), (64, LONGEST), is_left_out=True),
        Trial(few_experts, short, is_left_out=True),
    ]


def _types(layers: dict[str, int], lengths: tuple[int, ...]) -> list[Trial]:
    return [
        Trial(replace(BASE, name=f"type-{name}", type_name=name, layers=count), lengths)
        for name, count in layers.items()
    ]
