"""What an engine has to have before anything is measured on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_bench import make_bench, small_plan
from support.fake_engine import FakeEngine
from tokenroof.errors import EngineRefused
from tokenroof.measure.campaign import run_campaign
from tokenroof.records import Settings


def refused(tmp_path: Path, has: int, asks: int | None) -> EngineRefused:
    engine = FakeEngine(context=has)
    with pytest.raises(EngineRefused) as caught:
        run_campaign(small_plan(settings=Settings(context=asks)), make_bench(tmp_path, engine))
    assert engine.requests == []
    return caught.value


def test_an_engine_with_less_context_than_was_asked_for_is_refused_with_both(
    tmp_path: Path,
) -> None:
    # Lengths of 400 and 800 tokens would fit into 2,048.
    error = refused(tmp_path, has=2048, asks=9000)
    assert error.message == "measure.engine_context_other"
    assert (error.values["limit"], error.values["asked"]) == ("2,048", "9,000")


def test_one_with_less_than_the_lengths_need_is_refused_for_that(tmp_path: Path) -> None:
    assert refused(tmp_path, has=512, asks=None).message == "measure.engine_context_too_small"


def test_one_with_more_than_was_asked_for_is_measured(tmp_path: Path) -> None:
    engine = FakeEngine(context=4096)
    plan = small_plan(settings=Settings(context=2048))
    runs = run_campaign(plan, make_bench(tmp_path, engine)).runs
    assert {run.settings.context for run in runs} == {4096}
