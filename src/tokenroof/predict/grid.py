"""Every model on every device at every depth: the estimator's questions as one block of arrays.

A row of `estimate` and a cell of a grid are the same question to the same estimator
(`estimate.answer`). What makes a million of them quick is that little of a cell is its own: where
a model lies depends on how many memories a device has, not on how fast they are, so it is placed
once for all devices that are laid out alike; what a token reads of the cache depends on the model
and the depth; a bandwidth depends on the device. The rest is arithmetic on whole arrays.

Memory is set aside for one context in all cells, as an engine does it: the one that is asked for,
or the deepest depth and the token that comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from tokenroof.errors import UsageError
from tokenroof.predict.cases import Case
from tokenroof.predict.estimate import Answers, Questions, answer
from tokenroof.predict.grid_predictions import Laid, predicted_rates
from tokenroof.predict.memory.tightest import tightest
from tokenroof.predict.pace.at_depths import AtDepths, nan_if_unknown

if TYPE_CHECKING:
    from tokenroof.predict.ask import Asker
    from tokenroof.predict.memory.processors import Processors

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Answers in three directions: [model, device, depth]. Unknown is NaN.

    Attributes:
        models, devices, depths: what the directions are, in their order.
        context: tokens that memory is set aside for.
        read_bytes: what the next token reads; the same on every device.
        resident_bytes, capacity_bytes: of the memory with the least room left, at any depth.
        ceiling_tokens_per_second: bandwidth / bytes.
        predicted_tokens_per_second: by what others have published, wherever it fits or not.
        verdict_codes: whether it fits, as indices of `estimate.VERDICTS`.
    """

    models: tuple[str, ...]
    devices: tuple[str, ...]
    depths: NDArray[np.int64]
    context: int
    read_bytes: Floats
    resident_bytes: Floats
    capacity_bytes: Floats
    ceiling_tokens_per_second: Floats
    predicted_tokens_per_second: Floats
    verdict_codes: NDArray[np.int8]


def grid(
    asker: Asker,
    models: Sequence[str],
    devices: Sequence[str | None],
    depths: Sequence[int],
    like: Case | None = None,
) -> Grid:
    """All cells.

    Args:
        asker: looks names up; each once.
        models, devices: by their names; no device where `like` describes it by its figures.
        depths: tokens in the context.
        like: what else is asked, of all cells alike.

    Raises:
        UsageError: a direction is empty, or `like` asks for a placement that fits, which is another
            one for each cell.
        TokenroofError: a name means nothing, or what a token of a model reads is not known.
    """
    like = like or Case()
    if not (models and devices and depths):
        raise UsageError("lists.empty_grid")
    if like.fit:
        raise UsageError("lists.grid_and_fit")
    context = like.context or max(depths) + (like.prompt or 0) + (like.output or 1)
    at = np.array(depths, dtype=np.int64)
    cases = [
        msgspec.structs.replace(like, device=each, context=context, depth=0) for each in devices
    ]
    places = [asker.processors(each) for each in cases]
    by_layout: dict[tuple[object, ...], list[int]] = {}
    for number, each in enumerate(places):
        by_layout.setdefault(_layout(each), []).append(number)
    shape = (len(models), len(devices), len(depths))
    read = np.empty((len(models), 1, len(depths)))
    bandwidth = np.empty(shape)
    resident = np.empty((*shape[:2], 1))
    capacity = np.empty((*shape[:2], 1))
    laid: list[Laid] = []
    for row, name in enumerate(models):
        for alike in by_layout.values():
            case = msgspec.structs.replace(cases[alike[0]], model=name)
            question = asker.question(case)
            laid.append(Laid(row, alike, question))
            cells = AtDepths(question, at)
            read[row, 0] = cells.read_bytes
            for column in alike:
                bandwidth[row, column] = cells.bandwidth(places[column].all)
                held, holds = tightest(question.placing.fitted.needs, places[column])
                resident[row, column], capacity[row, column] = held, nan_if_unknown(holds)
    unasked = np.full((1, 1, 1), np.nan)
    answers: Answers = answer(
        Questions(
            read_bytes=read,
            bandwidth_bytes_per_second=bandwidth,
            resident_bytes=resident,
            capacity_bytes=capacity,
            prompt_tokens=unasked,
            prompt_flop=unasked,
            flop_per_second=unasked,
        )
    )
    ceilings = answers.decode_tokens_per_second
    return Grid(
        models=tuple(models),
        devices=tuple(each or places[n].all[0].name for n, each in enumerate(devices)),
        depths=at,
        context=context,
        read_bytes=read,
        resident_bytes=resident,
        capacity_bytes=capacity,
        ceiling_tokens_per_second=ceilings,
        predicted_tokens_per_second=predicted_rates(laid, places, at, ceilings),
        verdict_codes=answers.verdict_codes,
    )


def _layout(places: Processors) -> tuple[object, ...]:
    """What of a device decides where a model lies: its memories, and their sizes if several."""
    cards = places.all[:-1]
    return len(cards), tuple(card.memory_bytes for card in cards) if len(cards) > 1 else ()
