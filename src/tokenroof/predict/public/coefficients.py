"""Predictions for machines that nobody here has measured, from what others have published.

The physics is in `physics`; its coefficients were fitted to public measurements
(`tools/fit_public.py`) and lie beside this file. They are of classes of devices, so a device that
is in no measurement borrows from its kin, and its interval is wider. What is in the measurements
keeps, besides, its own distance from its class.

A prediction never lies above its ceiling: its time is at least what the memory takes. Its interval
is what the errors of the same kind came to on devices that had been left out of the fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from tokenroof.predict.public.asked import (
    LEAST_TOKENS_COPIED,
    Prompt,
    Step,
    decode_columns,
    prefill_columns,
    together,
)
from tokenroof.predict.public.effects import Coefficient, values
from tokenroof.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FILE = "data/public.json"

Coefficients = dict[str, Coefficient]

MANY = 4
"""Measured devices of one generation with one backend that make it well known."""

DECODE, PREFILL = "decode", "prefill"
PARTIAL = "partial"


class Spread(Record, frozen=True, kw_only=True):
    """By what factor times of one kind may differ from their prediction, 80 in 100 of them.

    Attributes:
        faster, slower: logarithms of time measured over time predicted; negative and positive.
        rows: how many errors it rests on.
    """

    faster: float
    slower: float
    rows: int


class Knowledge(Record, frozen=True, kw_only=True):
    """What was learned from published measurements.

    Attributes:
        coefficients: of `decode gpu`, `decode cpu`, the same of `prefill`, and what a prompt pays
            for weights that lie with the host: `prefill partial`.
        devices: of devices in the measurements: what the logarithm of their time has beside
            their class, by `decode` and `prefill`.
        spreads: by kind (see `spread_keys`), the narrowest first.
        support: how many measured devices there are of a class.
    """

    coefficients: dict[str, Coefficients]
    devices: dict[str, dict[str, float]] = {}
    spreads: dict[str, Spread] = {}
    support: dict[str, int] = {}


@cache
def knowledge() -> Knowledge:
    """What is shipped, read once."""
    text = resources.files("tokenroof.predict.public").joinpath(FILE).read_bytes()
    return msgspec.json.decode(text, type=Knowledge)


def decode_seconds(known: Knowledge, questions: Sequence[Sequence[Step]]) -> Floats:
    """Seconds of one token of every question; no less than its memory takes."""
    import numpy as np

    from tokenroof.predict.public import physics

    steps = [step for question in questions for step in question]
    if not steps:
        return np.zeros(0)
    per_step = np.empty(len(steps))
    for place in ("gpu", "cpu"):
        here = np.array([step.place == place for step in steps])
        if here.any():
            some = [step for step in steps if step.place == place]
            of = values(known.coefficients[f"{DECODE} {place}"], [step.levels for step in some])
            per_step[here] = physics.decode_seconds(of, decode_columns(some))
    own = np.array([known.devices.get(step.key, {}).get(DECODE, 0.0) for step in steps])
    least = physics.least_decode_seconds(decode_columns(steps))
    per_step = np.maximum(per_step * np.exp(own), least)
    total = np.bincount(_rows(questions), weights=per_step, minlength=len(questions))
    return np.asarray(total, dtype=np.float64)


def prefill_seconds(
    known: Knowledge, questions: Sequence[Sequence[Step]], prompts: Sequence[Prompt]
) -> Floats:
    """Seconds of the prompt of every question."""
    import numpy as np

    from tokenroof.predict.public import physics

    flat: list[Step] = []
    of_step: list[Prompt] = []
    at: list[int] = []
    copied = np.zeros(len(questions))
    for number, (question, prompt) in enumerate(zip(questions, prompts, strict=True)):
        steps = list(question)
        if is_partial(steps) and prompt.ubatch >= LEAST_TOKENS_COPIED:
            on_host = sum(step.asked.stored_bytes for step in steps if step.place == "cpu")
            copied[number] = on_host * prompt.batches
            steps = [together(steps)]
        flat += steps
        of_step += [prompt] * len(steps)
        at += [number] * len(steps)
    if not flat:
        return np.zeros(0)
    per_step = np.empty(len(flat))
    for place in ("gpu", "cpu"):
        here = [n for n, step in enumerate(flat) if step.place == place]
        if here:
            of = values(known.coefficients[f"{PREFILL} {place}"], [flat[n].levels for n in here])
            asked = prefill_columns([flat[n] for n in here], [of_step[n] for n in here])
            per_step[here] = physics.prefill_seconds(of, asked)
    own = np.array([known.devices.get(step.key, {}).get(PREFILL, 0.0) for step in flat])
    total = np.bincount(np.array(at), weights=per_step * np.exp(own), minlength=len(questions))
    between = known.coefficients.get(f"{PREFILL} {PARTIAL}")
    if between is not None:
        main = [_main(question) for question in questions]
        of = values(between, [step.levels for step in main])
        link = np.array([step.link for step in main])
        return np.asarray(total + copied * np.exp(of["copy"]) / link)
    return np.asarray(total, dtype=np.float64)


def is_partial(steps: Sequence[Step]) -> bool:
    """Whether cards and the host both have a part."""
    return len({step.place for step in steps}) > 1


def spread_keys(
    kind: str, known: Knowledge, steps: Sequence[Step], *, is_moe: bool, is_deep: bool
) -> list[str]:
    """The kinds of errors that a question's may be like, the narrowest first."""
    main = _main(steps)
    if is_partial(steps):
        return [f"{kind} partial", kind]
    if main.place == "cpu":
        return [f"{kind} cpu", kind]
    sort = "moe" if is_moe else "dense"
    where = "deep" if is_deep else "start"
    count = known.support.get(main.levels["pair"], 0)
    is_measured = main.key in known.devices
    seen = "many" if is_measured or count >= MANY else "few" if count else "none"
    return [
        f"{kind} {sort} {where} {seen}",
        f"{kind} {sort} {seen}",
        f"{kind} {seen}",
        kind,
    ]


def spread_of(known: Knowledge, keys: Sequence[str]) -> Spread:
    """The spread of the narrowest kind that there is one for."""
    return next(known.spreads[key] for key in keys if key in known.spreads)


def _main(steps: Sequence[Step]) -> Step:
    return next(step for step in steps if step.is_main)


def _rows(questions: Sequence[Sequence[Step]]) -> NDArray[np.intp]:
    import numpy as np

    return np.repeat(np.arange(len(questions)), [len(question) for question in questions])


def classes_without(coefficients: Coefficients, groupings: Mapping[str, object]) -> Coefficients:
    """Coefficients that add nothing for some groupings."""
    return {
        name: Coefficient(
            start=each.start,
            classes={key: found for key, found in each.classes.items() if key not in groupings},
        )
        for name, each in coefficients.items()
    }
