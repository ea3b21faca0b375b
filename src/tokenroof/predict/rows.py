"""From questions to rows: all of them through the one estimator, and each answer written down."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tokenroof.predict.cases import Case
from tokenroof.predict.measuring import measuring
from tokenroof.predict.pace.conditions_of_runs import KnownRuns
from tokenroof.predict.peaks import peak_flop_per_second
from tokenroof.predict.placed import placed
from tokenroof.predict.question import Question
from tokenroof.predict.records import Fits, Rate, Row, Share, Verdict, Wait, weakest

if TYPE_CHECKING:
    from tokenroof.predict.memory.placing import Placing
    from tokenroof.predict.public.predicting import Predicted


def rows(questions: Sequence[Question], known: KnownRuns | None = None) -> list[Row]:
    """All questions through the one estimator.

    Args:
        questions: what is asked.
        known: what was measured; runs of a question's own condition answer it.
    """
    import numpy as np

    from tokenroof.predict.estimate import Questions, answer
    from tokenroof.predict.pacing import paced
    from tokenroof.predict.public.predicting import predictions

    def column(values: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if each is None else each for each in values], dtype=np.float64)

    answers = answer(
        Questions(
            read_bytes=column(each.read_bytes for each in questions),
            bandwidth_bytes_per_second=column(
                each.placing.bandwidth_bytes_per_second for each in questions
            ),
            resident_bytes=column(each.tightest[0] for each in questions),
            capacity_bytes=column(each.tightest[1] for each in questions),
            prompt_tokens=column(each.case.prompt for each in questions),
            prompt_flop=column(each.prompt_flop for each in questions),
            flop_per_second=column(each.flop_per_second for each in questions),
        )
    )
    decode = [_known(each) for each in answers.decode_tokens_per_second.tolist()]
    prefill = [_known(each) for each in answers.prefill_tokens_per_second.tolist()]
    public = predictions(questions, decode, prefill)
    predicted = [
        _by_profile(*each) for each in zip(questions, decode, prefill, public, strict=True)
    ]
    known = known or KnownRuns()
    told = [
        paced(question, rates, known, runs=_runs(question, verdict))
        for question, rates, verdict in zip(questions, predicted, answers.verdicts, strict=True)
    ]
    return [
        _row(*each) for each in zip(questions, decode, prefill, told, answers.verdicts, strict=True)
    ]


def _known(value: float) -> float | None:
    return value if value == value else None  # noqa: PLR0124 - NaN alone is unlike itself


def _by_profile(
    question: Question, decode: float | None, prefill: float | None, public: Predicted
) -> Predicted:
    """What the profile of this machine says; the public figure where it says nothing."""
    from tokenroof.predict.public.predicting import Predicted

    why = () if question.of_profile is None else (question.of_profile,)
    if question.profile is None:
        return Predicted(public.decode, public.prefill, (*why, *public.assumes))
    from tokenroof.predict.learnt.calibrated import calibrated

    rate, reading, notices = calibrated(
        question.profile, question.model, question.case, decode, prefill
    )
    return Predicted(
        decode=rate or public.decode,
        prefill=reading or public.prefill,
        assumes=(*notices, *(why if rate else public.assumes)),
    )


def _row(
    question: Question,
    decode: float | None,
    prefill: float | None,
    told: tuple[Predicted, Wait | None],
    verdict: Verdict,
) -> Row:
    predicted, waits = told
    runs = _runs(question, verdict)
    reads = prefill is not None or predicted.prefill is not None
    speed = (predicted.decode or _at_most(decode)) if runs else None
    reading = (predicted.prefill or _at_most(prefill)) if runs and reads else None
    return Row(
        model=question.model.name,
        device=question.device.name,
        depth=question.depth,
        context=question.placing.setup.tokens_of_sequence,
        read_bytes=question.read_bytes,
        ceiling_tokens_per_s=decode,
        prefill_ceiling_tokens_per_s=prefill,
        bandwidth_bytes_per_s=question.placing.bandwidth_bytes_per_second,
        flop_per_s=peak_flop_per_second(question.device),
        file_type=question.model.file_type,
        decode=speed,
        prefill=reading,
        wait=waits,
        fits=_fits(question, verdict),
        placement=placed(question),
        basis=weakest([each.basis for each in (speed, reading, waits) if each] or ["spec"]),
        assumes=(*question.assumes, *predicted.assumes),
        verify=_measure(question) if verdict != "does_not_fit" else _find_placement(question),
    )


def _runs(question: Question, verdict: Verdict) -> bool:
    """Whether there is a speed to tell: where somebody says that it runs in that way, even where
    it does not fit."""
    return verdict != "does_not_fit" or question.placing.named


def _at_most(ceiling: float | None) -> Rate:
    return Rate(tokens_per_s=None, low=None, high=ceiling, basis="spec")


def _fits(question: Question, verdict: Verdict) -> Fits:
    """What lies where. A host behind cards is told of, and is no part of the device."""
    shares = list(_shares(question.placing))
    own = shares[:-1] or shares
    needs = question.placing.fitted.needs[: len(own)]
    capacities = [share.capacity_bytes for share in own]
    known = None not in capacities
    has_cards = question.placing.processors.has_cards
    return Fits(
        resident_bytes=sum(share.resident_bytes for share in own),
        resident_low_bytes=sum(need.low_bytes for need in needs),
        capacity_bytes=sum(filter(None, capacities)) if known else None,
        verdict=verdict,
        devices=tuple(own) if known or has_cards else (),
        host=shares[-1] if has_cards else None,
        weights_bytes=sum(need.weights_bytes for need in needs),
        cache_bytes=sum(need.cache_bytes for need in needs),
        state_bytes=sum(need.state_bytes for need in needs),
        projector_bytes=sum(need.projector_bytes for need in needs),
        buffers_low_bytes=sum(need.buffers.low_bytes for need in needs),
        buffers_high_bytes=sum(need.buffers.high_bytes for need in needs),
    )


def _shares(placed: Placing) -> Iterator[Share]:
    fitted = placed.fitted
    for need, hold, processor in zip(
        fitted.needs, fitted.placement.holds, placed.processors.all, strict=True
    ):
        yield Share(
            device=processor.name,
            place=processor.kind,
            resident_bytes=need.high_bytes,
            capacity_bytes=processor.memory_bytes,
            layers=len(hold.layers) + hold.has_output,
            weights_bytes=need.weights_bytes,
            cache_bytes=need.cache_bytes,
            state_bytes=need.state_bytes,
            projector_bytes=need.projector_bytes,
            buffers_low_bytes=need.buffers.low_bytes,
            buffers_high_bytes=need.buffers.high_bytes,
        )


def _measure(question: Question) -> str | None:
    """The command that measures what was estimated; a prompt has at least one token."""
    length = question.depth or question.case.prompt
    return measuring(question.case.model or "", question.model.header, length)


def _find_placement(question: Question) -> str | None:
    """The command that looks for a placement; None where that was asked, and there is none."""
    case = question.case
    if case.fit:
        return None
    words = ["tokenroof", "estimate", case.model or ""]
    if case.device is not None:
        words += ["--on", case.device]
    words += _as_options(case, ("host", "bandwidth", "memory"))
    words += _as_options(case, ("depth", *_ASKED, *_SETS_MEMORY_ASIDE))
    return shlex.join([*words, "--fit"])


_ASKED = ("prompt", "output", "cached", "thinking", "cold", "turns", "agent")
_SETS_MEMORY_ASIDE = ("context", "kv_type", "parallel", "batch", "ubatch", "engine", "projector")


def _as_options(case: Case, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        value = getattr(case, key)
        if value is True:
            yield f"--{key}"
        elif value is not None and value is not False:
            yield f"--{key.replace('_', '-')}"
            yield f"{value:.15g}" if isinstance(value, float) else str(value)
