"""How wide intervals are made: by what was known of a device when it was predicted."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tokenroof.predict.public.coefficients import Knowledge, knowledge, spread_keys

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def shipping(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(TOOLS)
    from public import shipping

    return shipping


def row(device: str, pair: str) -> SimpleNamespace:
    """A figure of decode, dense and without depth."""
    step = SimpleNamespace(is_main=True, place="gpu", levels={"pair": pair}, key=device)
    return SimpleNamespace(kind="decode", device=device, steps=(step,), is_moe=False, is_deep=False)


def test_an_interval_holds_its_share_of_errors_and_of_devices(shipping: ModuleType) -> None:
    many = [(n / 10, "a") for n in range(10)]
    # 12 errors: the 10th percentile lies 0.1 x 12 - 1/2 = 0.7 of the way from -1 to 0, the 90th
    # at place 10.3, 0.3 of the way from 0.9 to 2. With each device counting the same, those of
    # one error each have a third of the weight at either end.
    found = shipping._reach([*many, (-1.0, "b"), (2.0, "c")])
    # Three devices: 0.8 x 4 / 3 is a fifteenth more than all of them.
    assert found == pytest.approx((-1.0 * 16 / 15, 2.0 * 16 / 15))
    alone = shipping._quantiles(np.array([-1.0, *np.arange(10) / 10, 2.0]), np.ones(12), 0.8)
    assert alone == pytest.approx((-0.3, 1.23))
    # Three devices of one steady error and one that scatters: its errors count as errors.
    steady = [(0.0, name) for name in "abc"]
    scattered = [(each, "d") for each in (-0.5, -0.5, -0.5, 0.5, 0.5, 0.5)]
    assert shipping._reach([*steady, *scattered]) == pytest.approx((-0.5, 0.5))


def test_a_devices_errors_are_of_what_is_known_without_it(shipping: ModuleType) -> None:
    """Five devices of one class had four others each; the one of another class had none."""
    rows = [row(f"card {n % 5}", "many cuda") for n in range(15)]
    rows += [row("lonely", "one vulkan") for _ in range(15)]
    known = Knowledge(coefficients={}, support={"many cuda": 5, "one vulkan": 1})
    off = np.array([(-1) ** n * 0.1 for n in range(15)] + [(-1) ** n * 0.8 for n in range(15)])
    made = shipping.spreads(known, rows, off)
    assert set(made) == {
        "decode",
        *(
            f"decode {each}{seen}"
            for each in ("", "dense ", "dense start ")
            for seen in ("many", "none")
        ),
    }
    # 0.1 counts 5 of 13 beside 8 of 13 of the 0.8 that all have. A single device of a kind: its
    # own 0.8 goes 0.8 x 2 times as far, and is not drawn to what is narrower.
    assert made["decode many"].slower == pytest.approx((0.1 * 5 + 0.8 * 8) / 13, abs=0.002)
    assert made["decode none"].slower == pytest.approx(1.28, abs=0.002)


@pytest.mark.parametrize(("others", "seen"), [(0, "none"), (1, "few"), (3, "few"), (4, "many")])
def test_a_kind_of_error_is_named_by_how_many_like_it_were_measured(others: int, seen: str) -> None:
    known = Knowledge(coefficients={}, support={"new cuda": others})
    keys = spread_keys("prefill", known, row("card", "new cuda").steps, is_moe=True, is_deep=False)
    assert keys == [
        f"prefill moe start {seen}",
        f"prefill moe {seen}",
        f"prefill {seen}",
        "prefill",
    ]


@pytest.mark.parametrize("kind", ["decode", "prefill"])
def test_the_less_is_known_the_wider_is_the_interval(kind: str) -> None:
    found = knowledge().spreads
    none, few, many = (
        found[f"{kind} {seen}"].slower - found[f"{kind} {seen}"].faster
        for seen in ("none", "few", "many")
    )
    assert none > few > many
