"""What is shipped: coefficients without noise in their digits, and how wrong they were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from public.least_squares import Floats
from public.measured import Row
from tokenroof.predict.public.coefficients import Knowledge, Spread, spread_keys
from tokenroof.predict.public.effects import Coefficient

LEAST_TOLD = 0.004
DIGITS = 3
LEAST_ROWS = 12
SURE = 8.0
"""So many devices of a kind count as much as the kinds above it, in the spread of errors."""

FEW = 4
"""Up to so many devices tell too little to be drawn towards narrower bounds, or away from wider."""

INSIDE = 0.80


def rounded(coefficient: Coefficient) -> Coefficient:
    """With three digits, and without classes that add less than they can tell."""
    classes = {
        grouping: kept
        for grouping, found in coefficient.classes.items()
        if (
            kept := {
                name: round(value, DIGITS)
                for name, value in sorted(found.items())
                if abs(value) >= LEAST_TOLD
            }
        )
    }
    return Coefficient(start=round(coefficient.start, DIGITS), classes=classes)


def spreads(known: Knowledge, rows: Sequence[Row], off: Floats) -> dict[str, Spread]:
    """How far errors of each kind reach.

    Args:
        known: how many devices there are of a class, those of these rows among them.
        rows: which were predicted by a fit without their devices.
        off: the logarithm of measured over predicted seconds.
    """
    by_key: dict[str, list[tuple[float, str]]] = {}
    parents: dict[str, str] = {}
    for row, distance in zip(rows, off.tolist(), strict=True):
        others = _without(known, next(step.levels["pair"] for step in row.steps if step.is_main))
        keys = spread_keys(row.kind, others, row.steps, is_moe=row.is_moe, is_deep=row.is_deep)
        for n, key in enumerate(keys):
            by_key.setdefault(key, []).append((distance, row.device))
            if n + 1 < len(keys):
                parents[key] = keys[n + 1]
    made: dict[str, Spread] = {}
    for key in sorted(by_key, key=lambda each: (len(each.split()), each)):
        found = by_key[key]
        if len(found) < LEAST_ROWS:
            continue
        devices = len({device for _, device in found})
        faster, slower = _reach(found)
        above = made.get(parents.get(key, ""))
        if above is not None:
            trust = devices / (devices + SURE)
            drawn = [
                trust * own + (1 - trust) * theirs
                for own, theirs in ((faster, above.faster), (slower, above.slower))
            ]
            if devices > FEW:
                faster, slower = drawn
            else:
                faster, slower = min(faster, drawn[0]), max(slower, drawn[1])
        made[key] = Spread(
            faster=round(min(faster, -0.02), DIGITS),
            slower=round(max(slower, 0.02), DIGITS),
            rows=len(found),
        )
    return made


def _without(known: Knowledge, pair: str) -> Knowledge:
    """What was known of a device's class when it was left out: one device less."""
    return Knowledge(
        coefficients={}, support={**known.support, pair: known.support.get(pair, 1) - 1}
    )


def _reach(found: list[tuple[float, str]]) -> tuple[float, float]:
    """Between what 80 in 100 lie, over errors and over devices, each counting the same.

    What holds over errors may be one laptop's nine hundred; what holds over devices leaves out
    how far one device's own errors reach. The wider of both holds for either. For the next device
    to lie in 80 of 100 times, of n devices a share of 0.8 (n + 1) / n has to (Vovk's conformal
    prediction). For fewer than 4 that is more than all, and the bounds go beyond them by as much.
    """
    count = Counter(device for _, device in found)
    distances = np.array([distance for distance, _ in found])
    by_device = np.array([1 / count[device] for _, device in found])
    inside = INSIDE * (1 + 1 / len(count))
    beyond = max(1.0, inside)
    reaches = [
        _quantiles(distances, each, min(1.0, inside)) for each in (np.ones(len(found)), by_device)
    ]
    return beyond * min(low for low, _ in reaches), beyond * max(high for _, high in reaches)


def _quantiles(distances: Floats, weights: Floats, inside: float) -> tuple[float, float]:
    order = np.argsort(distances)
    at = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    low, high = np.interp([(1 - inside) / 2, (1 + inside) / 2], at, distances[order])
    return float(low), float(high)


def write(path: Path, known: Knowledge, about: Mapping[str, Any]) -> None:
    """Write what is shipped, one line a coefficient, so that changes can be read."""
    lines = ["{", '"coefficients": {']
    sets = []
    for name, coefficients in known.coefficients.items():
        inner = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(_plain(rounded(each)))}"
            for key, each in coefficients.items()
        )
        sets.append(f" {json.dumps(name)}: {{\n{inner}\n }}")
    lines.append(",\n".join(sets))
    lines.append("},")
    for key, table in (
        ("devices", known.devices),
        (
            "spreads",
            {
                k: {"faster": v.faster, "slower": v.slower, "rows": v.rows}
                for k, v in known.spreads.items()
            },
        ),
        ("support", known.support),
    ):
        body = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
        lines.append(f"{json.dumps(key)}: {{\n{body}\n}},")
    lines.append(f'"about": {json.dumps(about, indent=1)}')
    lines.append("}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _plain(coefficient: Coefficient) -> dict[str, Any]:
    made: dict[str, Any] = {"start": coefficient.start}
    if coefficient.classes:
        made["classes"] = coefficient.classes
    return made
