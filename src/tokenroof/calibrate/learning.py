"""From what was measured to a profile: the steps, the fit, and what it makes of each of them."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from tokenroof.calibrate.design import ANCHOR, ANCHORS_OF_A_TURN, Trial
from tokenroof.calibrate.fitting import Step, learn
from tokenroof.calibrate.measuring import Taken
from tokenroof.calibrate.shapes import Shape
from tokenroof.gguf import Header
from tokenroof.model import Model, build_model
from tokenroof.predict.learnt.profile import Learnt, Measured
from tokenroof.predict.learnt.work import Work, decode_work, prefill_work


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
    *,
    threads: int | None,
    ubatch: int,
) -> Lessons:
    """Fit the rates of both phases.

    Args:
        trials: the design.
        taken: what was measured of it.
        threads: of a processor's cores; None for anything else.
        ubatch: tokens of a micro-batch.
    """
    shapes = {trial.shape.name: trial for trial in trials}
    steps: tuple[list[Step], list[Step]] = ([], [])
    rows: list[tuple[Measured, Work, Work]] = []
    models: dict[str, Model] = {}
    for measured in merged(taken):
        trial = shapes[measured.shape]
        model = models.setdefault(measured.shape, model_of(trial.shape))
        writing = decode_work(model, measured.depth, threads=threads, ubatch=ubatch)
        reading = prefill_work(model, measured.prompt_tokens, threads=threads, ubatch=ubatch)
        assert writing is not None
        assert reading is not None
        rows.append((measured, writing, reading))
        for found, work, seconds, extent in (
            (steps[0], writing, measured.decode_seconds, measured.depth),
            (steps[1], reading, measured.prefill_seconds, float(measured.prompt_tokens)),
        ):
            found.append(Step(measured.shape, work, seconds, extent, trial.is_left_out))
    turns = _turns(taken)
    wander = [_deviation([each[phase] for each in turns]) for phase in (0, 1)]
    decode, prefill = (learn(each, by) for each, by in zip(steps, wander, strict=True))
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
        drift=_drift(turns),
        skipped=_skipped(taken),
        load_bytes_per_second=_load_rate(taken),
    )


def _parts(learnt: Learnt | None, work: Work) -> dict[str, float]:
    rates = {} if learnt is None else learnt.seconds
    parts = {kind: amount * rates.get(kind, 0.0) for kind, amount in work.items()}
    return {kind: seconds for kind, seconds in parts.items() if seconds}


def _fitted(learnt: Learnt | None, work: Work) -> float | None:
    return None if learnt is None else sum(_parts(learnt, work).values())


def merged(taken: Sequence[Taken]) -> list[Measured]:
    """The medians of each model at each length over the turns, of undisturbed ones if there are."""
    found: dict[tuple[str, int], list[Measured]] = defaultdict(list)
    for each in taken:
        for measured in each.measured:
            found[measured.shape, measured.prompt_tokens].append(measured)
    return [_median(each) for each in found.values()]


def _median(all_turns: Sequence[Measured]) -> Measured:
    sound = [each for each in all_turns if not each.contended] or all_turns
    return msgspec.structs.replace(
        sound[0],
        decode_seconds=statistics.median(each.decode_seconds for each in sound),
        prefill_seconds=statistics.median(each.prefill_seconds for each in sound),
    )


def _skipped(taken: Sequence[Taken]) -> tuple[str, ...]:
    """Shapes that ran in no turn."""
    ran = {each.shape for each in taken if each.measured}
    return tuple(dict.fromkeys(each.shape for each in taken if each.shape not in ran))


def _turns(taken: Sequence[Taken]) -> list[tuple[float, float]]:
    """Seconds of the anchor in each turn, decode and prefill.

    Three in a row are a turn's, and count as their mean, or else what a single run differs by
    would pass for drift. Where there was one turn only, each of them counts.
    """
    anchors = [each.measured for each in taken if each.shape == ANCHOR and each.measured]
    together = ANCHORS_OF_A_TURN if len(anchors) > ANCHORS_OF_A_TURN else 1
    turns = [
        [each for measured in anchors[at : at + together] for each in measured]
        for at in range(0, len(anchors), together)
    ]
    return [
        (
            statistics.geometric_mean(each.decode_seconds for each in turn),
            statistics.geometric_mean(each.prefill_seconds for each in turn),
        )
        for turn in turns
    ]


def _deviation(seconds: Sequence[float]) -> float:
    """The standard deviation of logarithms; 0 for a single figure, which tells nothing of it."""
    return statistics.stdev(map(math.log, seconds)) if len(seconds) > 1 else 0.0


def _drift(turns: Sequence[tuple[float, float]]) -> float | None:
    """The farthest that the anchor was from its first time; None where it was measured once."""
    if len(turns) < 2:
        return None
    first = turns[0]
    return max(
        abs(now / then - 1) for turn in turns[1:] for now, then in zip(turn, first, strict=True)
    )


def _load_rate(taken: Sequence[Taken]) -> float | None:
    rates = [
        each.loaded_bytes / each.load_seconds
        for each in taken
        if each.loaded_bytes and each.load_seconds
    ]
    return statistics.median(rates) if rates else None
