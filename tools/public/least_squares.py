"""A hierarchical fit: robust, regularised least squares on logarithms of times.

Each coefficient has a start and what classes add to it, all with a normal prior of a known width
around where the physics puts it. Residuals have a heavy tail (Student's t), so that a row which
was measured under a condition that nobody wrote down pulls little. Gauss-Newton steps with
Levenberg's damping; derivatives are taken once per coefficient, for all rows together, and spread
to the classes by their incidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tokenroof.predict.public.effects import Coefficient

Floats = NDArray[np.float64]
Model = Callable[[Mapping[str, Floats]], Floats]

DEGREES = 4.0
"""Of freedom of the residuals' distribution."""

STEP = 1e-4
MOST_ROUNDS = 30
ENOUGH = 1e-4


@dataclass(frozen=True)
class Prior:
    """Where a coefficient starts, how far it may go, and which classes may add how much."""

    start: float
    width: float
    classes: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """What is fitted.

    Attributes:
        priors: of every coefficient.
        levels: the classes of every step.
        model: seconds of every step.
        starts: where the steps of each row begin; a row's seconds are those of its steps together.
        observed: the logarithm of each row's seconds.
        weights: how much each row counts.
        noise: how far it may lie off, as a logarithm's deviation.
        besides: seconds that each row takes for what is known already.
    """

    priors: Mapping[str, Prior]
    levels: Sequence[Mapping[str, str]]
    model: Model
    starts: NDArray[np.intp]
    observed: Floats
    weights: Floats
    noise: Floats
    besides: Floats | None = None

    def total(self, per_step: Floats) -> Floats:
        """Each row's seconds by those of its steps."""
        whole: Floats = np.add.reduceat(per_step, self.starts)
        return whole if self.besides is None else whole + self.besides

    def expected(self, values: Mapping[str, Floats]) -> Floats:
        """The logarithm of each row's seconds, by the model."""
        return np.log(self.total(self.model(values)))


def fit(problem: Problem) -> dict[str, Coefficient]:
    """The coefficients that fit best."""
    layout = _Layout(problem.priors, problem.levels)
    at = layout.start.copy()
    tightness = 1 / layout.width**2
    residual = problem.observed - problem.expected(layout.values(at))
    cost = _cost(problem, residual, at - layout.start, tightness)
    damping = 1e-3
    for _ in range(MOST_ROUNDS):
        jacobian = layout.jacobian(problem, at)
        pull = problem.weights * (DEGREES + 1) / (DEGREES * problem.noise**2 + residual**2)
        curved = jacobian.T @ (jacobian * pull[:, None]) + np.diag(tightness)
        slope = jacobian.T @ (pull * residual) - tightness * (at - layout.start)
        better = None
        for _ in range(8):
            step = np.linalg.solve(curved + damping * np.diag(np.diag(curved)), slope)
            there = at + np.clip(step, -1.5, 1.5)
            moved = problem.observed - problem.expected(layout.values(there))
            lower = _cost(problem, moved, there - layout.start, tightness)
            if np.isfinite(lower) and lower < cost:
                better = there, moved, lower
                break
            damping = max(damping, 1e-4) * 10
        if better is None:
            break
        gained = cost - better[2]
        at, residual, cost = better
        damping /= 5
        if gained < ENOUGH * abs(cost):
            break
    return layout.coefficients(at)


def _cost(problem: Problem, residual: Floats, moved: Floats, tightness: Floats) -> float:
    tail = np.log1p(residual**2 / (DEGREES * problem.noise**2))
    misfit = np.sum(problem.weights * tail) * (DEGREES + 1) / 2
    return float(misfit + np.sum(tightness * moved**2) / 2)


class _Layout:
    """Where every parameter stands in one vector, and which rows it touches."""

    def __init__(self, priors: Mapping[str, Prior], levels: Sequence[Mapping[str, str]]) -> None:
        self._rows = len(levels)
        self._names: list[tuple[str, str | None, str | None]] = []
        self._columns: dict[str, list[NDArray[np.intp]]] = {}
        start: list[float] = []
        width: list[float] = []
        for name, prior in priors.items():
            columns = [np.full(self._rows, len(start))]
            self._names.append((name, None, None))
            start.append(prior.start)
            width.append(prior.width)
            for grouping, spread in prior.classes.items():
                of_row = [each.get(grouping, "") for each in levels]
                found = {each: len(start) + n for n, each in enumerate(sorted(set(of_row) - {""}))}
                columns.append(np.array([found.get(each, -1) for each in of_row]))
                self._names += [(name, grouping, each) for each in found]
                start += [0.0] * len(found)
                width += [spread] * len(found)
            self._columns[name] = columns
        self.start = np.array(start)
        self.width = np.array(width)

    def values(self, at: Floats) -> dict[str, Floats]:
        padded = np.append(at, 0.0)
        return {
            name: np.sum([padded[each] for each in columns], axis=0)
            for name, columns in self._columns.items()
        }

    def jacobian(self, problem: Problem, at: Floats) -> Floats:
        values = self.values(at)
        base = problem.model(values)
        spread = np.zeros((self._rows, len(at) + 1))
        rows = np.arange(self._rows)
        for name, columns in self._columns.items():
            slope = (problem.model({**values, name: values[name] + STEP}) - base) / STEP
            for column in columns:
                spread[rows, column] += slope
        together = np.add.reduceat(spread[:, :-1], problem.starts, axis=0)
        relative: Floats = together / problem.total(base)[:, None]
        return relative

    def coefficients(self, at: Floats) -> dict[str, Coefficient]:
        made: dict[str, Coefficient] = {}
        for (name, grouping, level), value in zip(self._names, at.tolist(), strict=True):
            if grouping is None or level is None:
                made[name] = Coefficient(start=value, classes={})
            else:
                made[name].classes.setdefault(grouping, {})[level] = value
        return made
