"""Fit all coefficients to some rows: first what runs in one place, then what a host adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from public.least_squares import Floats, Prior, Problem, fit
from public.measured import Row
from public.priors import PRIORS
from tokenroof.predict.public import physics
from tokenroof.predict.public.asked import (
    LEAST_TOKENS_COPIED,
    Step,
    decode_columns,
    prefill_columns,
    together,
)
from tokenroof.predict.public.coefficients import (
    DECODE,
    PARTIAL,
    PREFILL,
    Coefficients,
    Knowledge,
    classes_without,
    decode_seconds,
    prefill_seconds,
)

ROWS_OF_A_DEVICE = 4
SHARE = 0.75
"""A device with n rows counts as ROWS_OF_A_DEVICE of them, times (n / that) to the power of what
SHARE leaves: nine hundred rows of one laptop say more than four, but not two hundred times more."""

NUISANCES = {"lab": None}

MIXED_NOISE = 0.15
"""Of rows with a host: its memory is mostly supposed."""

COPYING = {"copy": Prior(0.5, 0.7, {"engine": 0.4})}


def train(rows: Sequence[Row]) -> Knowledge:
    """Everything that is learned from some rows, without the devices' own distances."""
    coefficients: dict[str, Coefficients] = {}
    known = Knowledge(coefficients=coefficients, support=support(rows))
    for (kind, place), priors in PRIORS.items():
        some = [
            row
            for row in rows
            if row.kind == kind and not row.is_partial and row.steps[0].place == place
        ]
        besides = np.zeros(len(some))
        if (kind, place) == (DECODE, "cpu"):
            # What a host does is learnt from machines with a card, too: from what is left of
            # their time when the card's part, which is known by now, is taken away.
            mixed = [row for row in rows if row.kind == kind and row.is_partial]
            cards = decode_seconds(known, [_in(row, "gpu") for row in mixed])
            besides = np.concatenate([besides, cards])
            some += mixed
        coefficients[f"{kind} {place}"] = classes_without(
            _one_place(kind, place, priors, some, besides), NUISANCES
        )
    mixed = [row for row in rows if row.kind == PREFILL and row.is_partial]
    if mixed:
        coefficients[f"{PREFILL} {PARTIAL}"] = _prefill_between(known, mixed)
    return known


def predict(known: Knowledge, rows: Sequence[Row]) -> Floats:
    """Seconds of every row, by what is known."""
    seconds = np.full(len(rows), np.nan)
    of = [n for n, row in enumerate(rows) if row.kind == DECODE]
    some = [rows[n] for n in of]
    seconds[of] = decode_seconds(known, [row.steps for row in some])
    of = [n for n, row in enumerate(rows) if row.prompt is not None]
    prompts = [row.prompt for row in rows if row.prompt is not None]
    seconds[of] = prefill_seconds(known, [rows[n].steps for n in of], prompts)
    return seconds


def weights_of(rows: Sequence[Row]) -> Floats:
    """How much each row counts."""
    count = Counter(row.device for row in rows)
    return np.array([min(1.0, (ROWS_OF_A_DEVICE / count[row.device]) ** SHARE) for row in rows])


def support(rows: Sequence[Row]) -> dict[str, int]:
    """Devices of each class, by the processor that does most."""
    found: dict[str, set[str]] = {}
    for row in rows:
        main = next(step for step in row.steps if step.is_main)
        found.setdefault(main.levels["pair"], set()).add(row.device)
    return {name: len(devices) for name, devices in sorted(found.items())}


def own_distances(known: Knowledge, rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """What each device's times have beside those of its class, shrunk as far as it is unsure."""
    spread_between = {DECODE: 0.12, PREFILL: 0.25}
    off = np.log([row.seconds for row in rows]) - np.log(predict(known, rows))
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row, distance in zip(rows, off.tolist(), strict=True):
        main = next(step for step in row.steps if step.is_main)
        if row.is_partial or main.known is None or not row.is_core:
            continue
        name = f"{main.known.name} [{main.place}]"
        found.setdefault(name, {}).setdefault(row.kind, []).append((distance, row.noise))
    made: dict[str, dict[str, float]] = {}
    for name, kinds in sorted(found.items()):
        for kind, distances in kinds.items():
            middle = float(np.median([distance for distance, _ in distances]))
            noise = 2.0 * float(np.mean([noise for _, noise in distances]))
            unsure = noise**2 / min(len(distances), 4)
            trust = spread_between[kind] ** 2 / (spread_between[kind] ** 2 + unsure)
            made.setdefault(name, {})[kind] = round(trust * middle, 3)
    return made


def _one_place(
    kind: str, place: str, priors: Mapping[str, Prior], rows: Sequence[Row], besides: Floats
) -> Coefficients:
    parts = [_in(row, place) for row in rows]
    steps = [step for part in parts for step in part]
    if kind == DECODE:
        asked = decode_columns(steps)

        def model(values: Mapping[str, Floats]) -> Floats:
            return physics.decode_seconds(values, asked)
    else:
        prompts = [row.prompt for row in rows for _ in row.steps if row.prompt is not None]
        read = prefill_columns(steps, prompts)

        def model(values: Mapping[str, Floats]) -> Floats:
            return physics.prefill_seconds(values, read)

    return fit(
        Problem(
            priors=priors,
            levels=[step.levels for step in steps],
            model=model,
            starts=_starts(parts),
            observed=np.log([row.seconds for row in rows]),
            weights=weights_of(rows),
            noise=np.array(
                [max(row.noise, MIXED_NOISE) if row.is_partial else row.noise for row in rows]
            ),
            besides=besides,
        )
    )


def _starts(parts: Sequence[Sequence[Step]]) -> NDArray[np.intp]:
    return np.cumsum([0, *(len(part) for part in parts)])[:-1]


def _prefill_between(known: Knowledge, rows: Sequence[Row]) -> Coefficients:
    some = [row for row in rows if row.prompt and row.prompt.ubatch >= LEAST_TOKENS_COPIED]
    prompts = [row.prompt for row in some if row.prompt is not None]
    cards = prefill_seconds(known, [[together(row.steps)] for row in some], prompts)
    copied = np.array(
        [
            sum(step.asked.stored_bytes for step in _in(row, "cpu")) * prompt.batches
            for row, prompt in zip(some, prompts, strict=True)
        ]
    )

    link = np.array([together(row.steps).link for row in some])

    def model(values: Mapping[str, Floats]) -> Floats:
        seconds: Floats = cards + np.exp(values["copy"]) * copied / link
        return seconds

    return fit(
        Problem(
            priors=COPYING,
            levels=[{"engine": row.steps[0].levels["engine"]} for row in some],
            model=model,
            starts=np.arange(len(some)),
            observed=np.log([row.seconds for row in some]),
            weights=weights_of(some),
            noise=np.array([max(row.noise, MIXED_NOISE) for row in some]),
        )
    )


def _in(row: Row, place: str) -> list[Step]:
    return [step for step in row.steps if step.place == place]
