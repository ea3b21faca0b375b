"""Rates are found, none is negative, and what cannot be told apart is named."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import nnls

from tokenroof.calibrate.fitting import LEAST_SPREAD, Step, learn, non_negative


@given(
    st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1)
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_the_optimum_is_that_of_scipy(rows: int, columns: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    matrix = generator.uniform(0, 1, (rows + columns, columns))
    target = generator.normal(0.3, 1, rows + columns)
    expected, residue = nnls(matrix, target)
    found = non_negative(matrix, target)
    assert (found >= 0).all()
    assert float(np.linalg.norm(matrix @ found - target)) == pytest.approx(residue, abs=1e-7)
    assert found == pytest.approx(expected, abs=1e-5)


def steps_of(rates: dict[str, float], works: list[dict[str, float]]) -> list[Step]:
    return [
        Step(
            f"m{number}", work, sum(amount * rates[kind] for kind, amount in work.items()), 100.0,
            is_left_out=True,
        )
        for number, work in enumerate(works)
    ]  # fmt: skip


def test_rates_that_made_the_times_are_found_again() -> None:
    rates = {"bytes:Q4_K": 3e-11, "bytes:F16": 2e-11, "layer": 2e-5}
    works = [
        {"bytes:Q4_K": 1e8, "layer": 20.0},
        {"bytes:Q4_K": 1e8, "layer": 5.0},
        {"bytes:F16": 2e8, "layer": 12.0},
        {"bytes:F16": 1e8, "layer": 30.0},
        {"bytes:F16": 1e8, "bytes:Q4_K": 5e7, "layer": 9.0},
    ]
    found = learn(steps_of(rates, works))
    assert found is not None
    assert found.seconds == pytest.approx(rates)
    assert found.not_learnt == ()
    assert found.spread == pytest.approx(LEAST_SPREAD)
    assert found.worst == pytest.approx(1.0)


def test_kinds_that_always_come_together_are_named_and_one_stands_for_both() -> None:
    rates = {"layer": 1e-5, "norms": 2e-5, "bytes:F16": 1e-11}
    works = [
        {"layer": n, "norms": 2 * n, "bytes:F16": b} for n, b in ((4, 1e8), (8, 1e8), (9, 2e8))
    ]
    found = learn(steps_of(rates, works))
    assert found is not None
    assert found.not_learnt == ("layer",)
    # Two norms come with a layer: 2e-5 + 1e-5 / 2.
    assert found.seconds["norms"] == pytest.approx(2.5e-5)


def test_the_spread_is_what_models_left_out_are_missed_by() -> None:
    # Three models of one kind of work: two take 1 s a unit, one 1.2 s. Relative least squares of
    # rows a/t against 1: each model left out is predicted from the other two.
    steps = [
        Step("a", {"x": 1.0}, 1.0, 1.0, is_left_out=True),
        Step("b", {"x": 1.0}, 1.0, 1.0, is_left_out=True),
        Step("c", {"x": 1.0}, 1.2, 1.0, is_left_out=True),
    ]
    # Without c: rate 1, c is missed by 1/1.2. Without a (or b): rows 1 and 1/1.2, rate
    # (1 + 1/1.2) / (1 + 1/1.44) = 1.0820; a is missed by that.
    missed = (math.log(1 / 1.2), math.log(1.0820), math.log(1.0820))
    expected = math.sqrt(sum(each**2 for each in missed) / 3)
    found = learn(steps)
    assert found is not None
    assert found.spread == pytest.approx(expected, rel=1e-3)
    assert found.worst == pytest.approx(1.2)


def test_a_machine_that_wanders_widens_the_spread() -> None:
    steps = steps_of({"x": 1.0}, [{"x": 1.0}, {"x": 2.0}])
    found = learn(steps, wander=0.15)
    assert found is not None
    assert found.spread == pytest.approx(math.hypot(LEAST_SPREAD, 0.15))


def test_nothing_measured_is_nothing_learnt() -> None:
    assert learn([]) is None
