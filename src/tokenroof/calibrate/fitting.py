"""From measured steps to rates: least squares on relative errors, no rate below zero.

Every step is one equation: the amounts of its works times their rates are its time. Dividing it by
the time makes each count alike, a step of a millisecond as much as one of ten seconds. No work can
take less than no time, so no rate may be negative: the optimum under that condition is found as
Lawson and Hanson describe ("Solving Least Squares Problems", chapter 23).

Some works always come together in the models at hand, and then nobody can say which of them took
the time. Such a kind is left out by name (`not_learnt`) before anything is fitted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.predict.learnt.profile import Learnt
from tokenroof.predict.learnt.work import LAYER, ROWS, STEP, Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SEPARATE = 0.02
"""A kind of work is told from the others if at least this share of it, in the measure of the fit,
cannot be made from them."""

RATHER_LEFT_OUT = (LAYER, ROWS, STEP)
"""Where kinds cannot be told apart, these are left out: a layer takes what its rows and norms take,
which other architectures have in other numbers."""

LEAST_SPREAD = 0.02
"""Even a fit without a residue is not better known than a run repeats itself."""

TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Step:
    """One equation.

    Attributes:
        shape: the model that it was measured with.
        work: what the step was made of.
        seconds: how long it took.
        extent: depth or prompt length.
        is_left_out: whether the model says nothing that others do not, so that a fit without it
            shows how well such a model is predicted.
    """

    shape: str
    work: Work
    seconds: float
    extent: float
    is_left_out: bool = False


def learn(steps: Sequence[Step], wander: float = 0.0) -> Learnt | None:
    """The rates that explain the steps; None where there are none.

    Args:
        steps: at least one for each kind of work that is to be told from the others.
        wander: standard deviation of the machine's own speed while they were measured, in
            logarithms: a later run finds it anywhere in there.
    """
    if not steps:
        return None
    present = {kind for step in steps for kind, amount in step.work.items() if amount}
    kinds = sorted(present, key=lambda kind: (kind in RATHER_LEFT_OUT, kind))
    kept, dropped = _told_apart(steps, kinds)
    seconds = dict(zip(kept, _rates(steps, kept), strict=True))
    errors = _left_out(steps, kept) or [
        math.log(_predicted(step, seconds) / step.seconds) for step in steps
    ]
    spread = math.sqrt(sum(each**2 for each in errors) / len(errors))
    return Learnt(
        seconds=seconds,
        spread=math.hypot(max(spread, LEAST_SPREAD), wander),
        worst=math.exp(max(abs(each) for each in errors)),
        longest=int(max(step.extent for step in steps)),
        not_learnt=dropped,
    )


def _predicted(step: Step, seconds: dict[str, float]) -> float:
    total = sum(amount * seconds.get(kind, 0.0) for kind, amount in step.work.items())
    return max(total, 1e-12)


def _left_out(steps: Sequence[Step], kinds: Sequence[str]) -> list[float]:
    """Logarithms of predicted / measured for each model that can be left out, without it."""
    errors = []
    for name in dict.fromkeys(step.shape for step in steps if step.is_left_out):
        others = [step for step in steps if step.shape != name]
        seconds = dict(zip(kinds, _rates(others, kinds), strict=True))
        errors += [
            math.log(_predicted(step, seconds) / step.seconds)
            for step in steps
            if step.shape == name
        ]
    return errors


def _rates(steps: Sequence[Step], kinds: Sequence[str]) -> list[float]:
    import numpy as np

    rows, scale = _rows(steps, kinds)
    return [float(each) for each in non_negative(rows, np.ones(len(steps))) / scale]


def _rows(steps: Sequence[Step], kinds: Sequence[str]) -> tuple[Floats, Floats]:
    """The equations, each divided by its time, and the scale that each column was divided by."""
    import numpy as np

    rows = np.array([[step.work.get(kind, 0.0) / step.seconds for kind in kinds] for step in steps])
    scale = rows.max(axis=0)
    scale[scale == 0] = 1.0
    return rows / scale, scale


def _told_apart(
    steps: Sequence[Step], kinds: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds that can be told from each other, and those that cannot, each named once."""
    import numpy as np

    rows, _ = _rows(steps, kinds)
    kept: list[int] = []
    for number in range(len(kinds)):
        column = rows[:, number]
        if kept:
            solution = np.linalg.lstsq(rows[:, kept], column, rcond=None)[0]
            rest = column - rows[:, kept] @ solution
        else:
            rest = column
        if np.linalg.norm(rest) >= SEPARATE * np.linalg.norm(column) > 0:
            kept.append(number)
    dropped = (kind for number, kind in enumerate(kinds) if number not in kept)
    return tuple(kinds[number] for number in kept), tuple(dropped)


def non_negative(rows: Floats, target: Floats) -> Floats:
    """The x >= 0 that makes rows @ x closest to the target."""
    import numpy as np

    count = rows.shape[1]
    free = np.zeros(count, dtype=bool)
    solution = np.zeros(count)
    for _ in range(3 * count + 10):
        gradient = rows.T @ (target - rows @ solution)
        gradient[free] = -np.inf
        if free.all() or gradient.max() <= TOLERANCE:
            break
        free[int(gradient.argmax())] = True
        while True:
            trial = np.zeros(count)
            trial[free] = np.linalg.lstsq(rows[:, free], target, rcond=None)[0]
            if (trial[free] > 0).all():
                solution = trial
                break
            # Go only as far as the first of them gets to zero, and hold that one there.
            falling = free & (trial <= 0)
            steps = solution[falling] / (solution[falling] - trial[falling])
            solution = solution + min(float(steps.min()), 1.0) * (trial - solution)
            free &= solution > TOLERANCE
            solution[~free] = 0.0
    return solution
