"""Predictions for a grid: the physics of `public` on blocks of [model, device, depth].

Where one processor does all of a token, what the model asks of it does not depend on which one of
its kind it is, and what a device is like does not depend on the model; only caches and attention
depend on the depth. So the physics gets models down, devices across and depths behind, and numpy
brings them together. Where several take turns, each pair is asked for by itself, at all depths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tokenroof.predict.pace.depths import attention_flop, cache_bytes
from tokenroof.predict.pace.public_pace import PublicPace
from tokenroof.predict.public import physics
from tokenroof.predict.public.asked import decode_columns, steps_of
from tokenroof.predict.public.coefficients import DECODE, Knowledge, knowledge
from tokenroof.predict.public.effects import values

if TYPE_CHECKING:
    from tokenroof.predict.memory.processors import Processors
    from tokenroof.predict.public.asked import Step
    from tokenroof.predict.question import Question

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_OF_DEVICES = ("bandwidth", "arithmetic")
_OF_DEPTHS = ("cache_bytes", "attention_flop")


@dataclass(frozen=True, slots=True)
class Laid:
    """A model in one layout, and the devices that are laid out so.

    Attributes:
        row: of the model.
        columns: of the devices.
        question: about the model on one of them.
    """

    row: int
    columns: Sequence[int]
    question: Question


def predicted_rates(
    laid: Sequence[Laid], places: Sequence[Processors], depths: Integers, ceilings: Floats
) -> Floats:
    """Tokens per second of every cell, none above its ceiling; NaN where nothing is known.

    Args:
        laid: all models in all layouts.
        places: of every device.
        depths: tokens in the context.
        ceilings: of every cell.
    """
    rates = np.full(ceilings.shape, np.nan)
    known = knowledge()
    by_layout: dict[tuple[int, ...], list[Laid]] = {}
    for each in laid:
        by_layout.setdefault(tuple(each.columns), []).append(each)
    for models in by_layout.values():
        alone = [each for each in models if _is_alone(each.question)]
        for each in models:
            if each not in alone:
                _one_by_one(each, places, depths, rates)
        for at, seconds in _as_blocks(alone, places, depths, known):
            rates[at] = np.minimum(1 / seconds, ceilings[at])
    return rates


def _is_alone(question: Question) -> bool:
    """Whether one processor does all of a token at any depth."""
    parts = question.placing.fitted.path.parts
    return sum(bool(part.read_bytes or part.hold.caches) for part in parts) == 1


def _on(question: Question, places: Processors) -> Question:
    """The same question on another device that is laid out alike."""
    path = question.placing.fitted.path
    parts = tuple(
        replace(part, processor=processor)
        for part, processor in zip(path.parts, places.all, strict=True)
    )
    fitted = replace(question.placing.fitted, path=replace(path, parts=parts))
    return replace(question, placing=replace(question.placing, fitted=fitted, processors=places))


def _one_by_one(laid: Laid, places: Sequence[Processors], depths: Integers, rates: Floats) -> None:
    for column in laid.columns:
        found = PublicPace(_on(laid.question, places[column])).rates(depths)
        if found is not None:
            rates[laid.row, column] = found[0]


def _as_blocks(
    laid: Sequence[Laid], places: Sequence[Processors], depths: Integers, known: Knowledge
) -> Iterator[tuple[Any, Floats]]:
    """Seconds of models down, devices across, depths behind, and where they belong."""
    if not laid:
        return
    devices: dict[str, list[tuple[int, Step]]] = {}
    # What a device is like is the same of any model; of a small one it is told soonest.
    any_model = min(laid, key=lambda each: len(each.question.model.ledger))
    for column in laid[0].columns:
        found = steps_of(_on(any_model.question, places[column]), 0)
        if found:
            devices.setdefault(found[0].place, []).append((column, found[0]))
    for place, some in devices.items():
        at = some[0][0]
        models = [
            step for each in laid for step in steps_of(_on(each.question, places[at]), 0) or ()
        ]
        down = decode_columns(models)
        across = decode_columns([step for _, step in some])
        columns_of: dict[str, Any] = {}
        for name in (each.name for each in fields(down)):
            if name in _OF_DEVICES:
                columns_of[name] = getattr(across, name)[None, :, None]
            else:
                columns_of[name] = getattr(down, name)[..., None, None]
        along = [
            _along(each.question, step, depths) for each, step in zip(laid, models, strict=True)
        ]
        for n, name in enumerate(_OF_DEPTHS):
            columns_of[name] = np.array([each[n] for each in along])[:, None]
        asked = physics.Decode(**columns_of)
        coefficients = values(known.coefficients[f"{DECODE} {place}"], [s.levels for _, s in some])
        block = physics.decode_seconds(
            {name: each[None, :, None] for name, each in coefficients.items()}, asked
        )
        own = np.array([known.devices.get(step.key, {}).get(DECODE, 0.0) for _, step in some])
        block = block * np.exp(own)[None, :, None]
        block = np.maximum(block, physics.least_decode_seconds(asked))
        rows = [each.row for each in laid]
        yield np.ix_(rows, [column for column, _ in some]), block


def _along(question: Question, step: Step, depths: Integers) -> tuple[Floats, Floats]:
    """Bytes of caches and states, and operations of attention, at every depth."""
    setup = question.placing.setup
    (part,) = (
        part for part in question.placing.fitted.path.parts if part.read_bytes or part.hold.caches
    )
    kept = cache_bytes(part.hold.caches, depths, (setup.type_k, setup.type_v))
    states = 2 * sum(state.bytes for state in part.hold.states)
    attention = attention_flop(question.model, depths).astype(np.float64) * step.attention_share
    return np.asarray((kept + states) * part.hold.cache_share, dtype=np.float64), attention
