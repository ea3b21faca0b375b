"""From a placement to what each processor is asked, in the columns that the physics takes.

A question has one step for every processor that has a part in it. Steps of cards that work in
turn, and of the host, add; of cards that work side by side the slowest counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenroof.hardware.device_table import KnownDevice, devices_by_name
from tokenroof.predict.memory.footprint import (
    KINDS,
    Footprint,
    added,
    attention_share,
    footprint,
)
from tokenroof.predict.memory.placement import HOST
from tokenroof.predict.public import rates
from tokenroof.predict.public.conditions import Conditions, levels, levels_of
from tokenroof.predict.public.device_class import DeviceClass, says_cpu

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenroof.predict.memory.parts import Part, Processor
    from tokenroof.predict.public.physics import Decode, Prefill
    from tokenroof.predict.question import Question

    Floats = NDArray[np.float64]

_COUNT = re.compile(r"\d+x ")

PIPELINE_GAIN = 0.85
"""What of the gain by overlapping is reached, by prompts of 512 to 8,192 tokens on 2 to 8 cards."""

LEAST_TOKENS_COPIED = 32
"""From so many tokens on a card copies weights from the host, and computes with them itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """One processor's part in one question.

    Attributes:
        question: its place in the list.
        place: `gpu` or `cpu`: which coefficients.
        levels: its classes.
        known: the device; None for memory or figures alone.
        bandwidth: bytes per second.
        arithmetic: operations per second without matrix units, known or supposed.
        gain, power: see `physics.Prefill`.
        link: bytes per second that a card gets from the host.
        asked: what lies there.
        states: layers with states there.
        cache_bytes: read of caches and states.
        attention_share: what share of all attention it does.
        attention_flop: of one token.
        hops: to the next card; of a host behind cards, all crossings to them.
        is_main: whether it is the processor that computes prompts.
    """

    question: int
    place: str
    levels: dict[str, str]
    known: KnownDevice | None
    bandwidth: float
    arithmetic: float
    gain: float
    power: float
    link: float
    asked: Footprint
    states: float
    cache_bytes: float
    attention_share: float
    attention_flop: float
    hops: float
    is_main: bool

    @property
    def key(self) -> str:
        """What the processor is called among those that were measured."""
        return f"{'' if self.known is None else self.known.name} [{self.place}]"


def steps_of(question: Question, number: int) -> list[Step] | None:
    """What every processor does for a token; None where nothing is known of one of them."""
    case, model = question.case, question.model
    conditions = Conditions(
        case.backend, case.engine, case.engine_version, case.date, case.flash_attention
    )
    active = [part for part in question.placing.fitted.path.parts if part.read_bytes]
    factor = 1.0
    own = model.decode_weight_bytes
    if case.weight_bytes is not None and own:
        factor = case.weight_bytes / float(own)
    cards = [part for part in active if part.processor.place != HOST]
    # By its weights: at another depth it is the same one.
    main = max(cards or active, key=lambda part: part.read_bytes - part.cache_bytes)
    all_attention = float(model.attention_flop(1, question.depth))
    found = []
    for part in active:
        on_cpu = part.processor.kind == "cpu" or (
            part.processor.place == HOST and (bool(cards) or says_cpu(case.backend))
        )
        known = _known(part.processor)
        bandwidth = part.processor.bandwidth_bytes_per_second
        if bandwidth is None or (known is None and not on_cpu):
            return None
        of = (
            levels(known, conditions, on_cpu=on_cpu)
            if known is not None
            else _plain_host(conditions)
        )
        if of["vendor"].startswith("other"):
            return None
        on_cpu = of["vendor"].startswith("cpu")
        share = attention_share(part, model)
        plain = rates.arithmetic(known, bandwidth, case.threads, on_cpu=on_cpu)
        found.append(
            Step(
                question=number,
                place="cpu" if on_cpu else "gpu",
                levels=of,
                known=known,
                bandwidth=bandwidth,
                arithmetic=plain,
                gain=rates.gain(known, plain, on_cpu=on_cpu),
                power=rates.power(known, plain, on_cpu=on_cpu),
                link=rates.link(known),
                asked=_scaled(footprint(part.hold.pieces), factor),
                states=_states(part),
                cache_bytes=part.cache_bytes,
                attention_share=share,
                attention_flop=all_attention * share,
                hops=_hops(question, part, main, has_cards=bool(cards)),
                is_main=part is main,
            )
        )
    return found


def decode_columns(steps: Sequence[Step]) -> Decode:
    """One row a step."""
    from tokenroof.predict.public.physics import Decode

    return Decode(
        bandwidth=_column(steps, lambda step: step.bandwidth),
        arithmetic=_column(steps, lambda step: step.arithmetic),
        read_bytes=_table(steps, lambda step: step.asked.read_bytes),
        expert_bytes=_table(steps, lambda step: step.asked.expert_bytes),
        weights=_table(steps, lambda step: step.asked.weights),
        matrices=_column(steps, lambda step: step.asked.matrices),
        expert_layers=_column(steps, lambda step: step.asked.expert_layers),
        state_layers=_column(steps, lambda step: step.states),
        hops=_column(steps, lambda step: step.hops),
        cache_bytes=_column(steps, lambda step: step.cache_bytes),
        attention_flop=_column(steps, lambda step: step.attention_flop),
    )


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as a whole, of which every step computes its share.

    Attributes:
        tokens: to read.
        ubatch: of a micro-batch, as asked for.
        linear_flop, attention_flop: operations.
        weight_bytes, cache_bytes: moved by all micro-batches.
        batches: micro-batches.
        tokens_per_expert: of a micro-batch, on average; of a dense model its tokens.
        weights: that one token is multiplied with, in all places.
        stored_bytes: of all matrices, in all places.
        overlap: see `physics.Prefill`.
    """

    tokens: int
    ubatch: int
    linear_flop: float
    attention_flop: float
    weight_bytes: float
    cache_bytes: float
    batches: int
    tokens_per_expert: float
    weights: float
    stored_bytes: float
    overlap: float = 1.0


def prompt_of(question: Question, steps: Sequence[Step]) -> Prompt | None:
    """What a question's prompt takes; None without one."""
    from tokenroof.model.prefill import prefill

    case, model = question.case, question.model
    if case.prompt is None or not steps:
        return None
    setup = question.placing.setup
    ubatch = case.ubatch or setup.allocation.ubatch
    made = prefill(
        model, case.prompt, question.depth, ubatch=ubatch, type_k=setup.type_k, type_v=setup.type_v
    )
    if made.linear_flop is None or made.weight_bytes is None or made.cache_bytes is None:
        return None
    tokens = min(ubatch, case.prompt)
    experts = model.experts
    own = float(model.decode_weight_bytes or 0)
    factor = case.weight_bytes / own if case.weight_bytes is not None and own else 1.0
    return Prompt(
        tokens=case.prompt,
        ubatch=tokens,
        linear_flop=float(made.linear_flop),
        attention_flop=float(made.attention_flop or 0),
        weight_bytes=made.weight_bytes * factor,
        cache_bytes=float(made.cache_bytes),
        batches=made.micro_batches,
        tokens_per_expert=tokens * experts.used / experts.total if experts else float(tokens),
        weights=sum(step.asked.all_weights for step in steps),
        stored_bytes=sum(step.asked.stored_bytes for step in steps),
        overlap=_overlap(question, steps, max(1.0, case.prompt / ubatch)),
    )


def _overlap(question: Question, steps: Sequence[Step], batches: float) -> float:
    """What is left of a prompt's time where micro-batches follow one another through cards.

    g cards that each take a g-th of a micro-batch's time are through b of them after b + g - 1
    such parts, where one after the other would take b x g. Part of that is lost in waiting. A
    micro-batch that is not full counts as far as it is.
    """
    cards = len(steps)
    if not question.placing.fitted.placement.is_pipeline or cards < 2:
        return 1.0
    at_best = (batches + cards - 1) / (batches * cards)
    return 1 - PIPELINE_GAIN * (1 - at_best)


def prefill_columns(steps: Sequence[Step], prompts: Sequence[Prompt]) -> Prefill:
    """One row a step, each with its question's prompt."""
    import numpy as np

    from tokenroof.predict.public.physics import Prefill

    pairs = list(zip(steps, prompts, strict=True))

    def column(value: Callable[[Step, Prompt], float]) -> Floats:
        return np.array([value(step, prompt) for step, prompt in pairs], dtype=np.float64)

    weights = _table(steps, lambda step: step.asked.weights)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    share = _column(steps, lambda step: step.attention_share)
    part = column(lambda step, prompt: step.asked.all_weights / max(prompt.weights, 1.0))
    stored = column(lambda step, prompt: step.asked.stored_bytes / max(prompt.stored_bytes, 1.0))
    return Prefill(
        bandwidth=_column(steps, lambda step: step.bandwidth),
        arithmetic=_column(steps, lambda step: step.arithmetic),
        gain=_column(steps, lambda step: step.gain),
        power=_column(steps, lambda step: step.power),
        tokens=column(lambda step, prompt: float(prompt.ubatch)),
        batches=column(lambda step, prompt: float(prompt.batches)),
        linear_flop=column(lambda step, prompt: prompt.linear_flop) * part,
        kinds=weights / total,
        expert_share=column(
            lambda step, prompt: step.asked.expert_weights / max(step.asked.all_weights, 1.0)
        ),
        tokens_per_expert=column(lambda step, prompt: prompt.tokens_per_expert),
        weight_bytes=column(lambda step, prompt: prompt.weight_bytes) * stored,
        cache_bytes=column(lambda step, prompt: prompt.cache_bytes) * share,
        attention_flop=column(lambda step, prompt: prompt.attention_flop) * share,
        matrices=_column(steps, lambda step: step.asked.matrices),
        state_layers=_column(steps, lambda step: step.states),
        overlap=column(lambda step, prompt: prompt.overlap),
    )


def _known(processor: Processor) -> KnownDevice | None:
    name = _COUNT.sub("", processor.name, count=1)
    return devices_by_name().get(name)


def _plain_host(conditions: Conditions) -> dict[str, str]:
    """The classes of a processor of which only the memory is known."""
    from tokenroof.predict.public.conditions import engine_of, era, flash

    of = DeviceClass("cpu", "cpu-host")
    return levels_of(
        of, "cpu", engine_of(conditions.engine), era(conditions), with_flash=flash(conditions)
    )


def _hops(question: Question, part: Part, main: Part, *, has_cards: bool) -> float:
    if part.processor.place == HOST:
        return float(question.placing.fitted.path.transfers.count) if has_cards else 0.0
    return 0.0 if part is main else 1.0


def _states(part: Part) -> float:
    return float(len({state.layer for state in part.hold.states})) * part.hold.cache_share


def _scaled(asked: Footprint, factor: float) -> Footprint:
    """With as many bytes, and weights' work, as somebody says who knows better than the recipe."""
    if factor == 1.0:
        return asked

    def scaled(amounts: dict[str, float]) -> dict[str, float]:
        return {kind: amount * factor for kind, amount in amounts.items()}

    return Footprint(
        scaled(asked.read_bytes),
        scaled(asked.expert_bytes),
        asked.weights,
        asked.expert_weights,
        asked.matrices,
        asked.expert_layers,
        asked.stored_bytes * factor,
    )


def _column(steps: Sequence[Step], value: Callable[[Step], float]) -> Floats:
    import numpy as np

    return np.array([value(step) for step in steps], dtype=np.float64)


def _table(steps: Sequence[Step], amounts: Callable[[Step], dict[str, float]]) -> Floats:
    import numpy as np

    return np.array(
        [[amounts(step).get(kind, 0.0) for kind in KINDS] for step in steps], dtype=np.float64
    ).reshape(len(steps), len(KINDS))


def together(steps: Sequence[Step]) -> Step:
    """All steps of one question as one on the processor that computes prompts."""
    main = next(step for step in steps if step.is_main)
    return replace(
        main,
        asked=added(step.asked for step in steps),
        states=sum(step.states for step in steps),
        cache_bytes=sum(step.cache_bytes for step in steps),
        attention_share=sum(step.attention_share for step in steps),
        attention_flop=sum(step.attention_flop for step in steps),
    )
