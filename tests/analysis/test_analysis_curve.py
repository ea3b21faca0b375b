"""The curve of reading times: least relative squares, no coefficient below zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from msgspec import structs
from scipy.optimize import nnls

from support.measured_runs import run, timed
from tokenroof.analysis import Curve, analyse
from tokenroof.predict.pace.powers import fit_powers
from tokenroof.records import Prompt, Run, Workload


def runs_of(seconds: dict[int, float]) -> list[Run]:
    found: list[Run] = []
    for tokens, each in seconds.items():
        found += timed([0.01], tokens, first=len(found), prefill_seconds=each)
    return found


def curve_of(seconds: dict[int, float]) -> Curve | None:
    return analyse(runs_of(seconds)).series[0].curve


@given(
    st.lists(st.floats(1e-3, 1e3), min_size=4, max_size=8),
    st.sampled_from([2, 3]),
)
def test_the_fit_is_that_of_a_non_negative_least_squares_solver(
    seconds: list[float], powers: int
) -> None:
    lengths = [512 * 2**place for place in range(len(seconds))]
    points = list(zip(map(float, lengths), seconds, strict=True))
    found = np.array(fit_powers(points, powers)[:powers])
    # The oracle, on the same scaled problem: relative errors, lengths as shares of the longest.
    scaled = [n / lengths[-1] for n in lengths]
    rows = np.array(
        [[n**k / t for k in range(powers)] for n, t in zip(scaled, seconds, strict=True)]
    )
    best, residual = nnls(rows, np.ones(len(seconds)))
    scales = np.array([float(lengths[-1]) ** k for k in range(powers)])
    mine = np.linalg.norm(rows @ (found * scales) - 1)
    assert (found >= 0).all()
    assert mine <= residual * (1 + 1e-6) + 1e-9
    assert found * scales == pytest.approx(best, rel=1e-3, abs=1e-6 * max(seconds))


def test_a_known_curve_is_found_again() -> None:
    lengths = (500, 2000, 8000, 32000)
    curve = curve_of({n: 0.05 + 1e-3 * n + 2e-8 * n * n for n in lengths})
    assert curve is not None
    assert curve.fixed_seconds == pytest.approx(0.05, rel=1e-6)
    assert curve.linear_seconds == pytest.approx(1e-3, rel=1e-6)
    assert curve.square_seconds == pytest.approx(2e-8, rel=1e-6)


def test_three_lengths_do_not_show_a_square() -> None:
    curve = curve_of({n: 1e-3 * n + 2e-8 * n * n for n in (500, 2000, 8000)})
    assert curve is not None
    assert curve.square_seconds is None


def test_one_length_makes_no_curve_and_that_is_said() -> None:
    series = analyse(runs_of({500: 1.0})).series[0]
    assert series.curve is None
    assert "curve_too_few" in {notice.id for notice in series.notices}


def test_a_curve_that_misses_its_points_says_so() -> None:
    # Two points that no straight line from zero up can meet: 1 s at 1,000, 100 s at 10,000.
    series = analyse(runs_of({1000: 1.0, 10000: 100.0})).series[0]
    assert series.curve is not None
    assert series.curve.worst_misfit > 0.5
    assert "curve_misfit_straight" in {notice.id for notice in series.notices}


def test_of_four_lengths_that_lie_on_no_curve_it_is_not_said_that_four_are_needed() -> None:
    # The time falls from 2,000 to 4,000 tokens, which no sum of growing terms can do.
    series = analyse(runs_of({1000: 1.0, 2000: 9.0, 4000: 2.0, 8000: 30.0})).series[0]
    (said,) = [each for each in series.notices if each.id.startswith("curve")]
    assert said.id == "curve_misfit"
    assert "4" not in said.text().replace(str(said.values["share"]), "")


def test_lengths_without_a_prefill_time_are_not_counted_as_lengths_of_a_curve() -> None:
    read, unread = runs_of({1000: 1.0}), runs_of({100: 0.1})
    runs = [*read, *[structs.replace(each, flags=("prefill_too_short",)) for each in unread]]
    (said,) = [each for each in analyse(runs).series[0].notices if "curve" in each.id]
    assert "needs 2 lengths with a prefill time that counts (here: 1)" in said.text()


def test_prompts_on_top_of_a_depth_are_not_part_of_the_curve() -> None:
    whole = runs_of({500: 0.5, 1000: 1.0})
    deep = run(
        9,
        workload=Workload(prompt_target=500, depth=8000, output_target=10),
        prompt=Prompt(tokens=500, cached=0, seconds=9.0),
    )
    curve = analyse([*whole, deep]).series[0].curve
    assert curve is not None
    assert curve.lengths == 2
    assert curve.seconds(500) == pytest.approx(0.5)


def test_the_band_of_the_curve_encloses_every_run_where_there_is_no_interval() -> None:
    runs: list[Run] = []
    for tokens, times in {500: (0.5, 0.55, 0.6), 1000: (1.0, 1.1, 1.3)}.items():
        for each in times:
            runs += timed([0.01], tokens, first=len(runs), prefill_seconds=each)
    curve = analyse(runs).series[0].curve
    assert curve is not None
    assert curve.spread == "range"
    assert curve.seconds(500) * curve.low <= 0.5
    assert curve.seconds(1000) * curve.high >= 1.3 - 1e-12
