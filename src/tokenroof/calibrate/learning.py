"""From what was measured to a profile: the steps, the fit, and what it makes of each of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from tokenroof.calibrate.design import ANCHOR, Trial
from tokenroof.calibrate.fitting import Step, learn
from tokenroof.calibrate.measuring import Taken
from tokenroof.calibrate.shapes import Shape
from tokenroof.gguf import Header
from tokenroof.model import Model, build_model
from tokenroof.predict.profile import Learnt, Measured
from tokenroof.predict.work import Work, decode_work, prefill_work


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a calibration taught, before it is given a name and conditions."""

    decode: Learnt | None
    prefill: Learnt | None
    measured: tuple[Measured, ...]
    drift: float | None
    skipped: tuple[str, ...]
    load_bytes_per_second: float | None


def model_of(shape: Shape) -> Model:
    """A shape as the model that a reader would find in its file."""
    return build_model(
        Header.build(
            shape.metadata(),
            [(each.name, each.dimensions, each.type_name) for each in shape.tensors()],
        )
    )


def lessons(
    trials: Sequence[Trial],
    taken: Sequence[Taken],
    ubatch: int,
) -> Lessons:
    """Fit the rates of both phases.

    Args:
        trials: the design.
        taken: what was measured of it.
        ubatch: tokens of a micro-batch.
    """
    drift = _drift(taken)
    steps: tuple[list[Step], list[Step]] = ([], [])
    rows: list[tuple[Measured, Work, Work]] = []
    models: dict[str, Model] = {}
    for each in taken:
        trial = trials[each.number]
        model = models.setdefault(each.shape, model_of(trial.shape))
        for measured in each.measured:
            writing = decode_work(model, measured.depth)
            reading = prefill_work(model, measured.prompt_tokens, 0, ubatch)
            assert writing is not None
            assert reading is not None
            rows.append((measured, writing, reading))
            name, extra = each.shape, trial.is_left_out
            if trial.tells_depth or measured is each.measured[0]:
                seconds = measured.decode_seconds
                steps[0].append(Step(name, writing, seconds, measured.depth, extra))
            seconds, tokens = measured.prefill_seconds, float(measured.prompt_tokens)
            steps[1].append(Step(name, reading, seconds, tokens, extra))
    decode, prefill = (learn(each, drift or 0.0) for each in steps)
    return Lessons(
        decode=decode,
        prefill=prefill,
        measured=tuple(
            msgspec.structs.replace(
                measured,
                decode_fitted=_fitted(decode, writing),
                prefill_fitted=_fitted(prefill, reading),
                decode_parts=_parts(decode, writing),
            )
            for measured, writing, reading in rows
        ),
        drift=drift,
        skipped=tuple(each.shape for each in taken if not each.measured),
        load_bytes_per_second=_load_rate(taken),
    )


def _parts(learnt: Learnt | None, work: Work) -> dict[str, float]:
    rates = {} if learnt is None else learnt.seconds
    parts = {kind: amount * rates.get(kind, 0.0) for kind, amount in work.items()}
    return {kind: seconds for kind, seconds in parts.items() if seconds}


def _fitted(learnt: Learnt | None, work: Work) -> float | None:
    return None if learnt is None else sum(_parts(learnt, work).values())


def _drift(taken: Sequence[Taken]) -> float | None:
    """The farthest that the repeated model was from its first time; None where it was not."""
    times = [list(_times(each)) for each in taken if each.shape == ANCHOR and each.measured]
    if len(times) < 2:
        return None
    return max(abs(now / first - 1) for later in times[1:] for now, first in zip(
        later, times[0], strict=True))  # fmt: skip


def _times(taken: Taken) -> Iterator[float]:
    yield statistics.geometric_mean(each.decode_seconds for each in taken.measured)
    yield statistics.geometric_mean(each.prefill_seconds for each in taken.measured)


def _load_rate(taken: Sequence[Taken]) -> float | None:
    rates = [
        each.loaded_bytes / each.load_seconds
        for each in taken
        if each.loaded_bytes and each.load_seconds
    ]
    return statistics.median(rates) if rates else None
