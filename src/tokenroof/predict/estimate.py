"""The one estimator: questions side by side, as arrays, in one pass.

A single question is an array of one. What is not known is NaN here and None in the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokenroof.predict.ceiling import decode_ceiling, prefill_ceiling
from tokenroof.predict.records import Verdict
from tokenroof.units import GIB

Floats = NDArray[np.float64]

TIGHT_BYTES = GIB
"""Under this much left, the engine's own buffers decide whether it still fits."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What the estimator needs to know, one entry a question."""

    read_bytes: Floats
    bandwidth_bytes_per_second: Floats
    resident_bytes: Floats
    capacity_bytes: Floats
    prompt_tokens: Floats
    prompt_flop: Floats
    flop_per_second: Floats


@dataclass(frozen=True, slots=True)
class Answers:
    """Upper bounds and verdicts, one entry a question."""

    decode_tokens_per_second: Floats
    prefill_tokens_per_second: Floats
    verdicts: list[Verdict]


def answer(questions: Questions) -> Answers:
    """All answers. A division by zero bytes or operations is unknown, not infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        decode = decode_ceiling(questions.bandwidth_bytes_per_second, questions.read_bytes)
        prefill = prefill_ceiling(
            questions.flop_per_second, questions.prompt_flop, questions.prompt_tokens
        )
    return Answers(
        decode_tokens_per_second=np.where(np.isfinite(decode), decode, np.nan),
        prefill_tokens_per_second=np.where(np.isfinite(prefill), prefill, np.nan),
        verdicts=_verdicts(questions.capacity_bytes - questions.resident_bytes),
    )


def _verdicts(left_bytes: Floats) -> list[Verdict]:
    names: tuple[Verdict, ...] = ("unknown", "does_not_fit", "tight", "fits")
    known = np.select(
        [np.isnan(left_bytes), left_bytes < 0, left_bytes < TIGHT_BYTES], [0, 1, 2], 3
    )
    return [names[each] for each in known]
