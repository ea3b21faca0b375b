"""What is known of a question, strongest basis first: measured, then calibrated, then public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenroof.notices import Notice
from tokenroof.predict.loading import Loading, loading
from tokenroof.predict.pace.conditions_of_runs import KnownRuns, loads_of
from tokenroof.predict.pace.pace import Pace
from tokenroof.predict.records import Rate, Wait
from tokenroof.predict.wait import wait

if TYPE_CHECKING:
    from tokenroof.predict.pace.measured_pace import MeasuredPace
    from tokenroof.predict.public.predicting import Predicted
    from tokenroof.predict.question import Question


def paced(
    question: Question, predicted: Predicted, known: KnownRuns, *, runs: bool = True
) -> tuple[Predicted, Wait | None]:
    """The rates of a question, by measurement where there is one, and its wait.

    Args:
        question: what is asked.
        predicted: its rates by the strongest basis that predicts.
        known: runs of any condition; those of the question's own replace a prediction.
        runs: whether it runs at all, so that there is something to wait for.
    """
    from tokenroof.predict.pace.measured_pace import measured_pace

    measured = measured_pace(question, known)
    told = predicted if measured is None else _told(question, predicted, measured)
    if not runs:
        return told, None
    paces = predicting_paces(question)
    if measured is not None:
        paces.insert(0, measured)
    found, notices = wait(question.case, paces, _loading(question, known))
    return _with(told, notices), found


def predicting_paces(question: Question) -> list[Pace]:
    """All that predicts a question's times, strongest first."""
    from tokenroof.predict.pace.calibrated_pace import CalibratedPace
    from tokenroof.predict.pace.public_pace import PublicPace

    if question.profile is None:
        return [PublicPace(question)]
    return [CalibratedPace(question, question.profile), PublicPace(question)]


def _loading(question: Question, known: KnownRuns) -> Loading | None:
    """How long the model takes to load, where that is asked."""
    if not question.case.cold:
        return None
    profile = question.profile
    return loading(
        question.model.resident_bytes,
        loads_of(question, known),
        None if profile is None else profile.load_bytes_per_second,
    )


def _told(question: Question, predicted: Predicted, measured: MeasuredPace) -> Predicted:
    """The rates that a row tells."""
    import numpy as np

    from tokenroof.predict.public.predicting import Predicted

    steps = measured.steps(np.array([question.depth], dtype=np.int64))
    decode = prefill = None
    if steps is not None and not np.isnan(steps.seconds[0]):
        decode = _rate(1, float(steps.seconds[0]), float(steps.low[0]), float(steps.high[0]))
    if question.case.prompt is not None:
        read = measured.reading(question.case.prompt, question.depth)
        if read is not None:
            prefill = _rate(question.case.prompt, read.seconds, read.low, read.high)
    if decode is None and prefill is None:
        return predicted
    # What predictions assume is said where one is still told.
    is_predicted = decode is None or (prefill is None and predicted.prefill is not None)
    return Predicted(
        decode=decode or predicted.decode,
        prefill=prefill or predicted.prefill,
        assumes=(*measured.notices, *(predicted.assumes if is_predicted else ())),
    )


def _rate(tokens: int, seconds: float, low: float, high: float) -> Rate:
    return Rate(
        tokens_per_s=tokens / seconds, low=tokens / high, high=tokens / low, basis="measured"
    )


def _with(told: Predicted, notices: Sequence[Notice]) -> Predicted:
    from tokenroof.predict.public.predicting import Predicted

    new = tuple(each for each in notices if each not in told.assumes)
    return Predicted(told.decode, told.prefill, (*told.assumes, *new))
