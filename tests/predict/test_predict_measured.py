"""Measured runs in the place of predictions: which count, and what lies between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.article_models import gpt_oss_20b, qwen3_8b
from support.this_cpu import this_cpu
from tokenroof.hardware.device import Device
from tokenroof.model import Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.records import Row
from tokenroof.records import (
    Aggregate,
    Output,
    Prompt,
    Run,
    RunEngine,
    RunModel,
    Settings,
    Workload,
)
from tokenroof.store.runs import load_runs

ARTICLE = Path(__file__).parents[2] / "docs" / "example" / "runs.jsonl"
HALO = "Ryzen AI Max+ 395"

QWEN = build_model(qwen3_8b())
GPT_OSS = build_model(gpt_oss_20b())
MODELS: dict[str, Model] = {"qwen3-8b": QWEN, "gpt-oss-20b": GPT_OSS}


def here() -> Device:
    return this_cpu(64)


def ask(runs: Sequence[Run], **question: object) -> Row:
    asker = Asker(MODELS.__getitem__, here, runs=lambda: runs)
    named = {"model": "qwen3-8b", "device": HALO} | question
    (row,) = asker.estimate([Case(**named)]).rows  # type: ignore[arg-type]
    return row


def run(
    tokens: int, prompt_seconds: float, step_seconds: float, *, number: int = 0, **changes: object
) -> Run:
    """A run of 101 steps, so that its mean depth is tokens + 50."""
    made = Run(
        id=f"{tokens}-{number}",
        started=f"2026-11-{10 + number:02}T00:00:00.000Z",
        source="embedded",
        model=RunModel(name="Qwen3 8B", architecture="qwen3", weight_bytes=4_869_359_872),
        engine=RunEngine(name="embedded", version="1"),
        device=HALO,
        settings=Settings(kv_type_k="f16", kv_type_v="f16"),
        workload=Workload(prompt_target=tokens),
        prompt=Prompt(tokens=tokens, seconds=prompt_seconds),
        output=Output(tokens=102, steps=101, seconds=101 * step_seconds),
    )
    return msgspec.structs.replace(made, **changes)


def rate_of(row: Row) -> float:
    assert row.decode is not None
    assert row.decode.tokens_per_s is not None
    return row.decode.tokens_per_s


def test_the_article_reads_22600_tokens_in_40_to_50_seconds() -> None:
    row = ask(load_runs(ARTICLE), prompt=22_600, output=500)
    assert row.wait is not None
    assert (row.basis, row.wait.basis) == ("measured", "measured")
    assert 40 <= (row.wait.ttft_seconds or 0) <= 50
    assert (row.wait.ttft_low or 0) <= 41.4 <= (row.wait.ttft_high or 0)
    told = [each.text() for each in row.assumes]
    assert "measured: 4 runs with ollama 0.22.1, the last on 2026-11-11" in told


def test_a_measured_length_takes_its_own_median() -> None:
    row = ask(load_runs(ARTICLE), prompt=18_000)
    assert row.prefill is not None
    # The article: 18,000 tokens in 29.459902 s.
    assert row.prefill.tokens_per_s == pytest.approx(18_000 / 29.459902, rel=1e-9)


def test_a_measured_depth_has_its_own_rate() -> None:
    # 128 steps in 4.830189 s after 18,000 tokens: their mean depth is 18,063.5.
    rates = [rate_of(ask(load_runs(ARTICLE), depth=depth)) for depth in (18_063, 18_064)]
    assert rates[0] > 128 / 4.830189 > rates[1]


def test_between_depths_the_time_is_straight_in_the_bytes_that_are_read() -> None:
    runs = [run(950, 1.0, 0.020), run(2950, 3.0, 0.024)]
    # Full attention: bytes go with the depth, so halfway (mean depths 1,000 and 3,000) is 22 ms.
    assert 1 / rate_of(ask(runs, depth=2000)) == pytest.approx(0.022)


def test_where_a_window_fills_the_line_bends() -> None:
    model = RunModel(name="x", architecture="gpt-oss", weight_bytes=2_574_705_396)
    runs = [
        run(14, 1.0, 0.010, model=model, workload=Workload(prompt_target=14)),
        run(6348, 3.0, 0.014, model=model, workload=Workload(prompt_target=6348)),
    ]
    row = ask(runs, model="gpt-oss-20b", depth=128)
    # Mean depths 64 and 6,398. 12 full and 12 sliding layers of 2,048 B a token: up to 128 tokens
    # both grow, 49,152 B a token, then only the full ones.
    # From 64 to 128: 3,145,728 B; from 128 to 6,398: 154,091,520.
    share = 3_145_728 / (3_145_728 + 154_091_520)
    assert 1 / rate_of(row) == pytest.approx(0.010 + 0.004 * share)
    assert share > 1.9 * (128 - 64) / (6398 - 64), "a line over the depth would say half of it"


def test_beyond_what_was_measured_a_prediction_answers() -> None:
    runs = [run(950, 1.0, 0.020), run(2950, 3.0, 0.024)]
    deep = ask(runs, depth=20_000)
    assert deep.decode is not None
    assert deep.decode.basis == "public"
    assert ask(runs, prompt=20_000).prefill.basis == "public"  # type: ignore[union-attr]


def test_reading_on_top_of_a_cache_is_what_the_curve_has_left() -> None:
    # 0.2 s + 1 ms n + 50 ns n^2, known at four lengths.
    def whole(n: float) -> float:
        return 0.2 + 1e-3 * n + 5e-8 * n**2

    runs = [run(n, whole(n), 0.02) for n in (1000, 4000, 8000, 16_000)]
    row = ask(runs, prompt=10_000, cached=6000, output=1)
    assert row.wait is not None
    assert row.wait.basis == "measured"
    # The fixed part is paid again; 6,000 tokens of the cache are not.
    expected = whole(10_000) - (whole(6000) - 0.2)
    assert row.wait.ttft_seconds == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {"excluded": "queue_busy"},
        {"flags": ("contended",)},
        {"flags": ("speculative",)},
        {"device": "GeForce RTX 3090"},
        {"device": None},
        {"settings": Settings(kv_type_k="q8_0", kv_type_v="q8_0")},
        {"engine": RunEngine(name="embedded", version="1", place="mixed")},
        {"workload": Workload(prompt_target=950, cached=True)},
        {"model": RunModel(name="Qwen3 8B", architecture="qwen3", weight_bytes=8_000_000_000)},
        {"model": RunModel(name="Other", architecture="llama", weight_bytes=4_869_359_872)},
    ],
)
def test_runs_of_another_condition_do_not_count(changes: dict[str, Any]) -> None:
    row = ask([run(950, 1.0, 0.020, **changes)], depth=1000)
    assert row.decode is not None
    assert row.decode.basis == "public"


def test_what_a_question_names_must_be_what_was_run() -> None:
    runs = [run(950, 1.0, 0.020)]
    assert ask(runs, depth=1000, engine="embedded").basis == "measured"
    assert ask(runs, depth=1000, engine="ollama").basis == "public"
    flash = [run(950, 1.0, 0.020, settings=Settings(flash_attention=True))]
    assert ask(flash, depth=1000, flash_attention=True).basis == "measured"
    assert ask(flash, depth=1000, flash_attention=False).basis == "public"


def test_of_two_conditions_that_fit_the_newest_counts() -> None:
    old = [run(950, 1.0, 0.020, number=n) for n in range(3)]
    newer = RunEngine(name="embedded", version="2")
    new = [run(950, 1.0, 0.010, number=9, engine=newer)]
    assert rate_of(ask(old + new, depth=1000)) == pytest.approx(100)


def test_the_interval_of_many_runs_is_that_of_their_median() -> None:
    # Six runs: only the extremes enclose the median with 95 % (97 %).
    steps = [0.0200, 0.0201, 0.0203, 0.0204, 0.0205, 0.0210]
    runs = [run(950, 1.0, step, number=n) for n, step in enumerate(steps)]
    row = ask(runs, depth=1000)
    assert row.decode is not None
    assert row.decode.tokens_per_s == pytest.approx(1 / 0.02035)
    assert row.decode.low == pytest.approx(1 / 0.0210)
    assert row.decode.high == pytest.approx(1 / 0.0200)


def test_one_run_is_known_no_better_than_repeated_reports_agree() -> None:
    row = ask([run(950, 1.0, 0.020)], depth=1000)
    assert row.decode is not None
    assert row.decode.low == pytest.approx(50 / 1.027)
    assert row.decode.high == pytest.approx(50 * 1.027)


def test_a_measurement_above_the_ceiling_is_shown_as_it_is() -> None:
    # 256 GB/s over 4.87 GB: at most 52 tok/s. 10 ms a token are 100.
    row = ask([run(950, 1.0, 0.010)], depth=1000)
    assert rate_of(row) == pytest.approx(100)
    assert row.ceiling_tokens_per_s is not None
    assert rate_of(row) > row.ceiling_tokens_per_s


def test_records_that_stand_for_several_runs_are_not_pooled_with_single_ones() -> None:
    mean = run(950, 1.0, 0.050, number=9, aggregate=Aggregate(of=5))
    single = [run(950, 1.0, 0.020, number=n) for n in range(3)]
    assert rate_of(ask([*single, mean], depth=1000)) == pytest.approx(20)
