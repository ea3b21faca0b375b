"""From questions to predicted speeds: the point, the interval around it, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.notices import Notice
from tokenroof.predict.public.coefficients import (
    DECODE,
    PREFILL,
    Knowledge,
    Spread,
    decode_seconds,
    is_partial,
    knowledge,
    prefill_seconds,
    spread_keys,
    spread_of,
)
from tokenroof.predict.public.conditions import Conditions, era_said
from tokenroof.predict.records import Rate

if TYPE_CHECKING:
    from tokenroof.predict.public.asked import Prompt, Step
    from tokenroof.predict.question import Question

_BACKENDS = {
    "cuda": "CUDA",
    "rocm": "ROCm",
    "vulkan": "Vulkan",
    "metal": "Metal",
    "sycl": "SYCL",
    "opencl": "OpenCL",
    "mlx": "MLX",
}


@dataclass(frozen=True, slots=True)
class Predicted:
    """What is predicted for one question.

    Attributes:
        decode: the next token's rate; None where nothing is known of the device.
        prefill: the rate of reading the prompt; None without one.
        assumes: what both rest on.
    """

    decode: Rate | None = None
    prefill: Rate | None = None
    assumes: tuple[Notice, ...] = ()


def predictions(
    questions: Sequence[Question],
    decode_ceilings: Sequence[float | None],
    prefill_ceilings: Sequence[float | None],
    known: Knowledge | None = None,
) -> list[Predicted]:
    """Predictions by public knowledge, in the order of the questions.

    Args:
        questions: what is asked.
        decode_ceilings: the most tokens per second of each; no prediction lies above.
        prefill_ceilings: the same of prompts.
        known: what is known; by default what is shipped.
    """
    from tokenroof.predict.public.asked import prompt_of, steps_of

    known = known or knowledge()
    made = [Predicted()] * len(questions)
    asked: list[tuple[int, list[Step]]] = []
    for number, question in enumerate(questions):
        steps = steps_of(question, number)
        if steps and decode_ceilings[number] is not None:
            asked.append((number, steps))
    if not asked:
        return made
    seconds = decode_seconds(known, [steps for _, steps in asked]).tolist()
    prompts = [prompt_of(questions[n], steps) for n, steps in asked]
    reading = _read(known, [steps for _, steps in asked], prompts)
    for (number, steps), second, prompt, read in zip(asked, seconds, prompts, reading, strict=True):
        question = questions[number]
        keys = {
            kind: spread_keys(
                kind, known, steps, is_moe=question.model.is_moe, is_deep=question.depth > 0
            )
            for kind in (DECODE, PREFILL)
        }
        decode = _rate(1 / second, decode_ceilings[number], spread_of(known, keys[DECODE]))
        prefill = None
        if prompt is not None and read:
            # A prompt can be read as an answer is written, one token after the other.
            rate = prompt.tokens / min(read, prompt.tokens * second)
            prefill = _rate(rate, prefill_ceilings[number], spread_of(known, keys[PREFILL]))
        made[number] = Predicted(decode, prefill, tuple(_assumes(known, question, steps)))
    return made


def _read(
    known: Knowledge, steps: list[list[Step]], prompts: list[Prompt | None]
) -> list[float | None]:
    pairs = [(each, prompt) for each, prompt in zip(steps, prompts, strict=True) if prompt]
    seconds = iter(
        prefill_seconds(
            known, [each for each, _ in pairs], [prompt for _, prompt in pairs]
        ).tolist()
    )
    return [None if prompt is None else next(seconds) for prompt in prompts]


def _rate(rate: float, ceiling: float | None, spread: Spread) -> Rate:
    top = math.inf if ceiling is None else ceiling
    point = min(rate, top)
    return Rate(
        tokens_per_s=point,
        low=min(point * math.exp(-max(spread.slower, 0.0)), point),
        high=min(max(point * math.exp(-min(spread.faster, 0.0)), point), top),
        basis="public",
    )


def _assumes(known: Knowledge, question: Question, steps: Sequence[Step]) -> list[Notice]:
    main = next(step for step in steps if step.is_main)
    case = question.case
    found = []
    backend = main.levels["vendor"].partition(" ")[2]
    # What was said and is no backend, or no date, is not what is assumed.
    name = _BACKENDS.get(backend)
    if name is not None and name.lower() not in (case.backend or "").lower():
        found.append(Notice("predict.assumes_backend", {"backend": name}))
    said = Conditions(engine=case.engine, engine_version=case.engine_version, date=case.date)
    if era_said(said) is None:
        found.append(
            Notice("predict.assumes_build", {"year": main.levels["era"].rpartition(" ")[2]})
        )
    count = known.support.get(main.levels["pair"], 0)
    if not is_partial(steps) and main.place == "gpu":
        message = "predict.assumes_kin" if count else "predict.assumes_no_kin"
        found.append(Notice(message, {"count": str(count)} if count else {}))
    return found
