"""Predicted against measured, as counts: enough for a picture, and nobody's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from public.least_squares import Floats
from public.measured import Row

RATE_STEP = 0.1
RATIO_STEP = 0.05
"""Both in powers of ten."""


def histogram(rows: Sequence[Row], seconds: Floats) -> list[dict[str, Any]]:
    """How many rows of a class have about which rate and about which ratio."""
    counts: Counter[tuple[str, str, float, float]] = Counter()
    for row, predicted in zip(rows, seconds.tolist(), strict=True):
        if not row.is_core:
            continue
        rate = np.log10(row.tokens / row.seconds)
        ratio = np.log10(row.seconds / predicted)
        main = next(step for step in row.steps if step.is_main)
        of = "partial" if row.is_partial else main.levels["vendor"].partition(" ")[0]
        binned = round(rate / RATE_STEP) * RATE_STEP, round(ratio / RATIO_STEP) * RATIO_STEP
        counts[row.kind, of, round(binned[0], 3), round(binned[1], 3)] += 1
    return [
        {"kind": kind, "class": of, "measured": rate, "ratio": ratio, "rows": count}
        for (kind, of, rate, ratio), count in sorted(counts.items())
    ]
