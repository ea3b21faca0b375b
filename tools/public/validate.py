"""How wrong predictions are on what was left out of the fit: whole devices, and whole models.

The rows are dealt into folds by device (or by model); each fold is predicted by a fit to the
others. A kind's error is told twice: over its rows, and over its devices, where each counts the
same, since a laptop with nine hundred rows is one laptop. Beside it stand the floor, which is how
far two reports of the same condition lie apart, and the same rows under other tools' formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from public.least_squares import Floats
from public.measured import Row
from public.others import OTHERS
from public.shipping import spreads
from public.train import predict, train
from tokenroof.predict.public.coefficients import (
    DECODE,
    PREFILL,
    Knowledge,
    Spread,
    spread_keys,
    spread_of,
)

FOLDS = 8

Chosen = Callable[[Row], bool]


@dataclass(frozen=True)
class Kind:
    """Rows whose errors are told together, and how wrong they may be at the median."""

    name: str
    chosen: Chosen
    target: float | None = None


KINDS = (
    Kind("decode, depth 0, dense", lambda row: _resident(row, DECODE, deep=False, moe=False), 9),
    Kind("decode, depth 0, experts", lambda row: _resident(row, DECODE, deep=False, moe=True), 9),
    Kind("decode, depth 0, both", lambda row: _resident(row, DECODE, deep=False), 9),
    Kind("decode, at depth", lambda row: _resident(row, DECODE, deep=True), 12),
    Kind("decode, partial offload", lambda row: row.kind == DECODE and row.is_partial, 20),
    Kind("decode, on a CPU", lambda row: _on_cpu(row, DECODE)),
    Kind("prefill, depth 0, dense", lambda row: _resident(row, PREFILL, deep=False, moe=False), 18),
    Kind(
        "prefill, depth 0, experts", lambda row: _resident(row, PREFILL, deep=False, moe=True), 18
    ),
    Kind("prefill, all on GPUs", lambda row: _resident(row, PREFILL), 18),
    Kind("prefill, at depth", lambda row: _resident(row, PREFILL, deep=True), 18),
    Kind("prefill, partial offload", lambda row: row.kind == PREFILL and row.is_partial),
    Kind("prefill, on a CPU", lambda row: _on_cpu(row, PREFILL)),
)


@dataclass(frozen=True)
class Errors:
    """How wrong one kind was, in percent of what was measured.

    Attributes:
        rows, devices: how many.
        median, p90: over rows.
        device_median, device_p90: over devices, each counting the same.
        covered: of rows, the share inside the interval; `device_covered` over devices.
        above: how many predictions lay above their ceiling.
    """

    rows: int
    devices: int
    median: float
    p90: float
    device_median: float
    device_p90: float
    covered: float | None = None
    device_covered: float | None = None
    above: int = 0

    def plain(self) -> dict[str, float | int | None]:
        """For a table."""
        return asdict(self)


def left_out(rows: Sequence[Row], key: str) -> tuple[Floats, list[Spread]]:
    """Seconds of every row by a fit without its device (or model), and the spread of its like.

    The spread too is of errors of other devices: those of the other folds.
    """
    groups = sorted({getattr(row, key) for row in rows})
    order = np.random.default_rng(0).permutation(len(groups))
    fold = {groups[n]: at % FOLDS for at, n in enumerate(order.tolist())}
    seconds = np.full(len(rows), np.nan)
    learned: dict[int, Knowledge] = {}
    for number in range(FOLDS):
        inside = [n for n, row in enumerate(rows) if fold[getattr(row, key)] == number]
        learned[number] = train([row for row in rows if fold[getattr(row, key)] != number])
        seconds[inside] = predict(learned[number], [rows[n] for n in inside])
    off = np.log([row.seconds for row in rows]) - np.log(seconds)
    of: list[Spread | None] = [None] * len(rows)
    for number, known in learned.items():
        outside = [
            n for n, row in enumerate(rows) if fold[getattr(row, key)] != number and row.is_core
        ]
        table = Knowledge(
            coefficients={},
            support=known.support,
            spreads=spreads(known, [rows[n] for n in outside], off[outside]),
        )
        for n, row in enumerate(rows):
            if fold[getattr(row, key)] == number:
                keys = spread_keys(
                    row.kind, table, row.steps, is_moe=row.is_moe, is_deep=row.is_deep
                )
                of[n] = spread_of(table, keys)
    return seconds, [each for each in of if each is not None]


def errors_by_kind(
    rows: Sequence[Row], seconds: Floats, spread: Sequence[Spread] | None = None
) -> Iterator[tuple[Kind, Errors]]:
    """Every kind that has rows, and how wrong it was."""
    off = np.log([row.seconds for row in rows]) - np.log(seconds)
    inside = None
    if spread is not None:
        inside = np.array(
            [s.faster <= each <= s.slower for each, s in zip(off.tolist(), spread, strict=True)]
        )
    for kind in KINDS:
        of = [n for n, row in enumerate(rows) if row.is_core and kind.chosen(row)]
        if of:
            yield kind, _errors(rows, of, off, inside, seconds)


def floor(rows: Sequence[Row], kind: str) -> tuple[int, float, float]:
    """How far reports of the same condition lie apart, in percent: pairs, median, 90th."""
    groups: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        if row.kind == kind and row.is_core:
            groups.setdefault(row.condition, []).append(row.seconds)
    apart = [
        100 * abs(one / other - 1)
        for found in groups.values()
        for n, one in enumerate(found)
        for other in found[:n]
    ]
    if not apart:
        return 0, float("nan"), float("nan")
    return len(apart), float(np.median(apart)), float(np.quantile(apart, 0.9))


def others(rows: Sequence[Row]) -> dict[str, dict[str, Errors]]:
    """The decode rows under other tools' formulas."""
    some = [row for row in rows if row.kind == DECODE]
    return {
        name: {
            kind.name: errors
            for kind, errors in errors_by_kind(some, np.array([1 / formula(row) for row in some]))
        }
        for name, formula in OTHERS.items()
    }


def _errors(
    rows: Sequence[Row],
    of: list[int],
    off: Floats,
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]] | None,
    seconds: Floats,
) -> Errors:
    wrong = 100 * np.abs(np.expm1(off[of]))
    devices = [rows[n].device for n in of]
    count = {device: devices.count(device) for device in set(devices)}
    weights = np.array([1 / count[device] for device in devices])
    ceiling = np.array([rows[n].ceiling_seconds for n in of])
    decode = np.array([rows[n].kind == DECODE for n in of])
    return Errors(
        rows=len(of),
        devices=len(count),
        median=_quantile(wrong, np.ones(len(of)), 0.5),
        p90=_quantile(wrong, np.ones(len(of)), 0.9),
        device_median=_quantile(wrong, weights, 0.5),
        device_p90=_quantile(wrong, weights, 0.9),
        covered=None if inside is None else round(100 * float(inside[of].mean()), 1),
        device_covered=None
        if inside is None
        else round(100 * float(np.average(inside[of], weights=weights)), 1),
        above=int(np.sum(decode & (seconds[of] < ceiling * (1 - 1e-9)))),
    )


def _quantile(values: Floats, weights: Floats, at: float) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return round(float(values[order][np.searchsorted(reached, at)]), 1)


def _resident(row: Row, kind: str, *, deep: bool | None = None, moe: bool | None = None) -> bool:
    return (
        row.kind == kind
        and not row.is_partial
        and row.steps[0].place == "gpu"
        and (deep is None or row.is_deep == deep)
        and (moe is None or row.is_moe == moe)
    )


def _on_cpu(row: Row, kind: str) -> bool:
    return row.kind == kind and all(step.place == "cpu" for step in row.steps)
