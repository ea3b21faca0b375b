"""From questions to rows: all of them through the one estimator, and each answer written down."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.notices import Notice
from tokenroof.predict.cases import Case
from tokenroof.predict.measuring import measuring
from tokenroof.predict.records import Fits, Rate, Row, Share, Verdict

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model


@dataclass(frozen=True, slots=True)
class Question:
    """A case with everything looked up; None is unknown."""

    case: Case
    model: Model
    device: Device
    depth: int
    context: int
    read_bytes: int
    resident_bytes: int
    prompt_flop: int | None
    assumes: tuple[Notice, ...]


def rows(questions: Sequence[Question]) -> list[Row]:
    """All questions through the one estimator."""
    import numpy as np

    from tokenroof.predict.estimate import Questions, answer

    def column(values: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if each is None else each for each in values], dtype=np.float64)

    answers = answer(
        Questions(
            read_bytes=column(each.read_bytes for each in questions),
            bandwidth_bytes_per_second=column(
                each.device.bandwidth_bytes_per_second for each in questions
            ),
            resident_bytes=column(each.resident_bytes for each in questions),
            capacity_bytes=column(each.device.memory_bytes for each in questions),
            prompt_tokens=column(each.case.prompt for each in questions),
            prompt_flop=column(each.prompt_flop for each in questions),
            flop_per_second=column(each.device.flop_per_second for each in questions),
        )
    )
    return [
        _row(question, _known(decode), _known(prefill), verdict)
        for question, decode, prefill, verdict in zip(
            questions,
            answers.decode_tokens_per_second.tolist(),
            answers.prefill_tokens_per_second.tolist(),
            answers.verdicts,
            strict=True,
        )
    ]


def _known(value: float) -> float | None:
    return value if value == value else None  # noqa: PLR0124 - NaN alone is unlike itself


def _row(question: Question, decode: float | None, prefill: float | None, verdict: Verdict) -> Row:
    fits = verdict != "does_not_fit"
    return Row(
        model=question.model.name,
        device=question.device.name,
        depth=question.depth,
        context=question.context,
        read_bytes=question.read_bytes,
        ceiling_tokens_per_s=decode,
        decode=_at_most(decode) if fits else None,
        prefill=_at_most(prefill) if fits and prefill is not None else None,
        fits=_fits(question, verdict),
        basis="spec",
        assumes=question.assumes,
        verify=_measure(question) if fits else _find_placement(question),
    )


def _at_most(ceiling: float | None) -> Rate:
    return Rate(tokens_per_s=None, low=None, high=ceiling, basis="spec")


def _fits(question: Question, verdict: Verdict) -> Fits:
    resident, capacity = question.resident_bytes, question.device.memory_bytes
    return Fits(
        resident_bytes=resident,
        capacity_bytes=capacity,
        verdict=verdict,
        devices=() if capacity is None else tuple(_shares(question.device, resident, capacity)),
    )


def _shares(device: Device, resident: int, capacity: int) -> Iterator[Share]:
    """What each device holds: in proportion to its memory, as llama.cpp splits the layers."""
    from tokenroof.hardware.device import NamedDevice

    parts = device.parts if isinstance(device, NamedDevice) else ()
    if not parts:
        yield Share(device=device.name, resident_bytes=resident, capacity_bytes=capacity)
    memory, held = 0, 0
    for part in parts:
        # Rounded at the ends of the pieces, so that they add up to the whole.
        memory += part.memory_bytes or 0
        end = resident * memory // capacity
        yield Share(device=part.name, resident_bytes=end - held, capacity_bytes=part.memory_bytes)
        held = end


def _measure(question: Question) -> str | None:
    """The command that measures what was estimated; a prompt has at least one token."""
    length = question.depth or question.case.prompt
    return measuring(question.case.model or "", question.model.header, length)


def _find_placement(question: Question) -> str:
    case = question.case
    words = ["tokenroof", "estimate", case.model or ""]
    if case.device is not None:
        words += ["--on", case.device]
    for key in ("bandwidth", "memory"):
        value = getattr(case, key)
        if value is not None:
            words += [f"--{key}", f"{value:g}"]
    return shlex.join([*words, "--depth", str(question.depth), "--fit"])
