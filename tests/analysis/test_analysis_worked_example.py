"""The worked example gives the figures that the article states.

The figures: docs/example/figures.json, read off an article that measured three models on an AMD
Ryzen AI Max+ 395 with Ollama 0.22.1 on 2026-11-11. The expected values are the article's own.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from support.measured_runs import timed
from tokenroof import api
from tokenroof.analysis import Analysis, CacheCost, DecodePoint, Series, StatedCosts, analyse
from tokenroof.records import Run, RunModel

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_example", EXAMPLE / "make_example.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return script()


@pytest.fixture(scope="module")
def found() -> Analysis:
    """Of the file alone: `tokenroof report docs/example/runs.jsonl`."""
    return api.report(EXAMPLE / "runs.jsonl").analysis


def series(found: Analysis, name: str) -> Series:
    return next(each for each in found.series if each.model.name == name)


def shortest(found: Analysis, name: str) -> DecodePoint:
    return series(found, name).decode[0]


@pytest.mark.parametrize(
    ("name", "weights", "per_token"),
    [
        ("qwen3:8b", 4869359872, 147456),
        ("gpt-oss-20b", 2574705396, 24576),
        ("qwen3-coder:30b", 1919597696, 98304),
    ],
)
def test_a_token_reads_what_the_article_counted(
    example: ModuleType, name: str, weights: int, per_token: int
) -> None:
    cost = example.costs_of(example.load_figures())[name]
    assert cost.decode_weight_bytes == weights
    assert cost.read_bytes(20001) - cost.read_bytes(20000) == per_token


def test_the_sliding_half_of_gpt_oss_reads_128_tokens(example: ModuleType) -> None:
    cost = example.costs_of(example.load_figures())["gpt-oss-20b"]
    # 12 layers x 2,048 B over all 470 tokens, 12 over the last 128.
    assert cost.read_bytes(470) == 2574705396 + 12 * 2048 * 470 + 12 * 2048 * 128


@pytest.mark.parametrize(
    ("name", "percent"), [("qwen3:8b", 73), ("qwen3-coder:30b", 47), ("gpt-oss-20b", 69)]
)
def test_the_share_of_the_ceiling_is_the_articles(found: Analysis, name: str, percent: int) -> None:
    assert round((shortest(found, name).mbu or 0) * 100) == percent


def test_qwen3_8b_reads_187_gb_a_second_at_500_tokens(found: Analysis) -> None:
    achieved = shortest(found, "qwen3:8b").achieved_bytes_per_second
    assert achieved is not None
    assert round(achieved / 1e9) == 187


def test_the_added_bytes_of_qwen3_8b_are_read_at_233_to_235_gb_a_second(found: Analysis) -> None:
    line = series(found, "qwen3:8b").line
    assert line is not None
    assert line.added_bytes_per_second is not None
    assert 233 <= round(line.added_bytes_per_second / 1e9) <= 235


def test_two_printed_lengths_make_no_line(found: Analysis) -> None:
    for name in ("gpt-oss-20b", "qwen3-coder:30b"):
        assert series(found, name).line is None
        assert "line_too_few" in {notice.id for notice in series(found, name).notices}


def test_the_intercept_of_gpt_oss_is_not_sold_as_anything(example: ModuleType) -> None:
    """A third length on the line through both printed points: -3.7 ms, and no meaning."""
    cost = example.costs_of(example.load_figures())["gpt-oss-20b"]
    at = {n: cost.read_bytes(n) / 1e9 for n in (470, 31600)}
    slope = (20.0 - 14.6) / (at[31600] - at[470])
    zero = 14.6 - slope * at[470]
    assert zero == pytest.approx(-3.7, abs=0.05)
    # Ten steps: their mean depth is 4.5 tokens beyond the prompt.
    runs: list[Run] = []
    for tokens in (470, 8000, 31600):
        depth = tokens + 4.5
        gigabytes = (2574705396 + 24576 * (depth + 128)) / 1e9
        model = RunModel(name="gpt-oss-20b")
        runs += timed([(zero + slope * gigabytes) / 1e3], tokens, first=len(runs), model=model)
    (only,) = analyse(runs, {"gpt-oss-20b": cost}).series
    assert only.line is not None
    assert only.line.zero_bytes_seconds == pytest.approx(zero / 1e3)
    said = next(notice for notice in only.notices if notice.id == "line_below_zero")
    assert "cost of nothing" in said.text()


def test_22_600_tokens_are_read_in_40_to_50_seconds(found: Analysis) -> None:
    _, wait = series(found, "qwen3:8b").waits
    assert wait.prompt_tokens == 22600
    assert 40 < wait.ttft_seconds < 50
    assert wait.ttft_seconds == pytest.approx(41.5, rel=0.005)
    assert wait.outside == ()


def test_prefill_and_decode_compute_15_and_0_6_tera_operations_a_second(found: Analysis) -> None:
    qwen = series(found, "qwen3:8b")
    at_4k = qwen.prefill[1]
    # 2 x 4,096 x 6,945,767,424 + 2 x 622,329,856 + 36 x 4 x 4,096 x 4,096 x 4,097 / 2 operations.
    flop = 8192 * 6945767424 + 2 * 622329856 + 589824 * 4096 * 4097 // 2
    assert at_4k.flop == flop
    assert (at_4k.flop_per_second or 0) / 1e12 == pytest.approx(14.8, abs=0.05)
    assert (qwen.decode[0].flop_per_second or 0) / 1e12 == pytest.approx(0.6, abs=0.05)
    assert round(qwen.compute_ratio or 0) == 25


def test_the_articles_own_rule_comes_to_the_same_by_chance(found: Analysis) -> None:
    """2 x 7.6e9 a token, no attention, the head for every token of the prompt."""
    qwen = series(found, "qwen3:8b")
    rates = [point.counted.tokens_per_second for point in qwen.prefill if point.counted]
    by_rule = rates[1] * 2 * 7.6e9
    assert by_rule / 1e12 == pytest.approx(15, abs=0.2)
    assert by_rule == pytest.approx(qwen.prefill[1].flop_per_second, rel=0.02)
    # At 35,700 tokens it is not the same: 872e12 operations in 86 s are 10.1 T a second.
    assert (qwen.prefill[3].flop_per_second or 0) / 1e12 == pytest.approx(10.1, abs=0.1)
    assert rates[3] * 2 * 7.6e9 / 1e12 == pytest.approx(6.3, abs=0.1)


def test_the_records_are_marked_as_standing_for_several_runs(found: Analysis) -> None:
    assert all(each.aggregate for each in found.series)
    text = (EXAMPLE / "runs.jsonl").read_text(encoding="utf-8")
    runs = [msgspec.json.decode(line, type=Run) for line in text.splitlines()]
    assert len(runs) == 8
    assert all(run.aggregate is not None and run.aggregate.statistic == "median" for run in runs)


def test_the_kept_runs_file_is_what_the_script_makes(example: ModuleType) -> None:
    text = (EXAMPLE / "runs.jsonl").read_text(encoding="utf-8")
    kept = [msgspec.json.decode(line, type=Run) for line in text.splitlines()]
    assert kept == example.runs_of(example.load_figures())


def test_the_cache_of_qwen3_8b_outweighs_its_weights_from_33_022_tokens_on() -> None:
    # 4,869,359,872 / 147,456 = 33,022.4
    cost = StatedCosts(
        name="qwen3:8b",
        is_moe=False,
        decode_weight_bytes=4869359872,
        caches=(CacheCost(bytes_per_token=147456),),
        source="the article",
    )
    twice = 2 * 4869359872
    assert (cost.read_bytes(33022) or 0) < twice < (cost.read_bytes(33023) or 0)
