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

VERDICTS: tuple[Verdict, ...] = ("unknown", "does_not_fit", "tight", "fits")


@dataclass(frozen=True, slots=True)
class Questions:
    """What the estimator needs to know, one entry a question.

    The arrays are lists of questions, or blocks of them that numpy brings to one shape.
    """

    read_bytes: Floats
    bandwidth_bytes_per_second: Floats
    resident_bytes: Floats
    capacity_bytes: Floats
    prompt_tokens: Floats
    prompt_flop: Floats
    flop_per_second: Floats


@dataclass(frozen=True, slots=True)
class Answers:
    """Upper bounds and verdicts (as indices of `VERDICTS`), one entry a question."""

    decode_tokens_per_second: Floats
    prefill_tokens_per_second: Floats
    verdict_codes: NDArray[np.int8]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts of a list of questions, by name."""
        return [VERDICTS[each] for each in self.verdict_codes.tolist()]


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
        verdict_codes=_verdicts(questions.capacity_bytes - questions.resident_bytes),
    )


def _verdicts(left_bytes: Floats) -> NDArray[np.int8]:
    known = [np.isnan(left_bytes), left_bytes < 0, left_bytes < TIGHT_BYTES]
    return np.select(known, [0, 1, 2], 3).astype(np.int8)
