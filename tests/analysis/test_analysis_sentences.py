"""What is said first follows from the figures, and doubt comes before everything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.measured_runs import COST, run, timed
from tokenroof.analysis import Analysis, CacheCost, Peak, StatedCosts, analyse
from tokenroof.records import Output, Prompt, Run, RunEngine, Workload

WITH_FLOP = StatedCosts(
    name="model",
    is_moe=False,
    decode_weight_bytes=1e9,
    caches=(CacheCost(bytes_per_token=1e5),),
    block_weights=1e9,
    head_weights=0,
    source="made up for a test",
)
"""2e9 operations a token, in prefill and in decode alike."""


def ids(found: Analysis) -> list[str]:
    return [notice.id for notice in found.sentences]


def peak(gb_per_s: float) -> list[Peak]:
    return [Peak(bandwidth_bytes_per_second=gb_per_s * 1e9)]


def phases(prefill_rate: float, decode_rate: float) -> list[Run]:
    return [
        run(
            prompt=Prompt(tokens=1000, cached=0, seconds=1000 / prefill_rate),
            output=Output(tokens=10, steps=10, seconds=10 / decode_rate),
        )
    ]


def test_there_are_three_sentences_speed_limit_and_ceiling() -> None:
    found = analyse(phases(1000, 100), {"model": WITH_FLOP}, peaks=peak(200))
    # 1.10045 GB at mean depth 1004.5, 100 times a second: 110 of 200 GB/s is 55 %.
    assert ids(found) == ["fast_both_length", "limit_memory_spare", "ceiling_share"]
    assert "55 %" in found.sentences[2].text()
    assert "10 times" in found.sentences[1].text()


@pytest.mark.parametrize(
    ("prefill", "gb_per_s", "expected"),
    [
        (1000.0, 200.0, "limit_memory_spare"),  # 55 % of the memory, 10 times the arithmetic
        (200.0, 200.0, "limit_memory"),  # 55 %, arithmetic near but not the same
        (1000.0, 400.0, "limit_below_half_spare"),  # 28 %
        (200.0, 400.0, "limit_below_half"),
        (120.0, 200.0, "limit_arithmetic"),  # prefill computes no faster than decode
        (120.0, 400.0, "limit_arithmetic"),
    ],
)
def test_the_limit_is_named_by_what_the_figures_show(
    prefill: float, gb_per_s: float, expected: str
) -> None:
    found = analyse(phases(prefill, 100), {"model": WITH_FLOP}, peaks=peak(gb_per_s))
    assert ids(found)[1] == expected


@pytest.mark.parametrize(
    ("cost", "expected"),
    [(WITH_FLOP, "limit_spare"), (COST, "limit_open"), (None, "limit_unknown")],
)
def test_without_a_bandwidth_the_ceiling_is_unknown_and_the_option_is_named(
    cost: StatedCosts | None, expected: str
) -> None:
    found = analyse(phases(1000, 100), {"model": cost} if cost else {})
    assert ids(found)[1:] == [expected, "ceiling_unknown"]
    assert "--bandwidth" in found.sentences[2].text()
    assert found.series[0].decode[0].mbu is None


@pytest.mark.parametrize(
    "mixed",
    [
        {"engine": RunEngine(name="engine", version="1", place="mixed")},
        {"flags": ("partial_offload",)},
    ],
)
@pytest.mark.parametrize("bandwidth", [None, 200.0])
def test_a_model_in_two_memories_is_not_asked_for_the_bandwidth_of_one(
    mixed: dict[str, Any], bandwidth: float | None
) -> None:
    peaks = [] if bandwidth is None else peak(bandwidth)
    found = analyse([run(**mixed)], {"model": COST}, peaks=peaks)
    assert ids(found)[-1] == "ceiling_of_two"
    assert "--bandwidth" not in found.sentences[-1].text()


def test_a_peak_belongs_to_its_device() -> None:
    other = [Peak(device="another GPU", bandwidth_bytes_per_second=200e9)]
    found = analyse(phases(1000, 100), {"model": COST}, peaks=other)
    assert ids(found)[-1] == "ceiling_unknown"
    mine = [Peak(device="this GPU", bandwidth_bytes_per_second=200e9)]
    found = analyse([run(device="this GPU")], {"model": COST}, peaks=mine)
    assert found.series[0].decode[0].mbu == pytest.approx(0.550225, rel=1e-6)


def test_a_rate_above_the_ceiling_is_shown_and_questioned_never_clipped() -> None:
    found = analyse(phases(1000, 100), {"model": COST}, peaks=peak(100))
    assert found.series[0].decode[0].mbu == pytest.approx(1.1, rel=1e-3)
    assert ids(found)[-1] == "ceiling_exceeded"
    assert "110 %" in found.sentences[-1].text()


@pytest.mark.parametrize("flag", ["speculative", "partial_offload"])
def test_where_a_step_is_not_one_read_on_one_device_there_is_no_share(flag: str) -> None:
    runs = timed([0.01], flags=(flag,))
    found = analyse(runs, {"model": COST}, peaks=peak(200))
    assert found.series[0].decode[0].mbu is None
    expected = {"speculative": "ceiling_not_applicable", "partial_offload": "ceiling_of_two"}
    assert ids(found)[-1] == expected[flag]
    assert f"flag_{flag}" in {notice.id for notice in found.series[0].notices}


def test_contended_runs_that_count_are_the_first_thing_that_is_said() -> None:
    runs = timed([0.01, 0.01]) + timed([0.02], first=5, flags=("contended",))
    first = analyse(runs).sentences[0]
    assert first.id == "contended"
    assert "contended" in first.text()
    assert "1 of 3" in first.text()
    assert "contended" in first.text("ja")


def test_contended_runs_that_are_excluded_are_said_to_be() -> None:
    runs = timed([0.01, 0.01]) + timed([0.02], first=5, excluded="contended")
    assert analyse(runs).sentences[0].id == "contended_excluded"


def test_without_a_run_that_counts_this_is_what_is_said() -> None:
    assert ids(analyse([])) == ["no_runs"]
    failed = run(prompt=Prompt(), output=Output(), excluded="failed")
    assert ids(analyse([failed])) == ["nothing_counted"]


def test_mfu_is_given_only_where_a_peak_is_known() -> None:
    point = analyse(phases(1000, 100), {"model": WITH_FLOP}).series[0].prefill[0]
    # 1,000 tokens x 2e9 in a second.
    assert point.flop_per_second == pytest.approx(2e12)
    assert point.mfu is None
    known = [Peak(flop_per_second=8e12)]
    found = analyse(phases(1000, 100), {"model": WITH_FLOP}, peaks=known).series[0]
    assert found.prefill[0].mfu == pytest.approx(0.25)
    assert found.decode[0].mfu == pytest.approx(0.025)
    assert found.compute_ratio == pytest.approx(10)


def test_only_what_was_measured_is_spoken_of() -> None:
    prefill_only = run(output=Output())
    decode_only = run(prompt=Prompt(tokens=0), workload=Workload(output_target=10))
    assert ids(analyse([prefill_only])) == ["fast_prefill_length"]
    assert ids(analyse([decode_only]))[0] == "fast_decode_length"


def test_the_document_is_plain_json_with_its_schema() -> None:
    runs = timed([0.01, 0.02, 0.03]) + timed([0.02], first=5, excluded="throttled")
    found = analyse(runs, {"model": COST}, peaks=peak(100)).to_dict("ja")
    again = json.loads(json.dumps(found, allow_nan=False))
    assert again["schema"] == "tokenroof.report/1"
    assert again["runs_total"] == 4
    assert again["excluded"][0]["reason"] == "throttled"
    assert set(again["series"][0]["sentences"][0]) == {"id", "text", "where"}
    assert "上限" in again["series"][0]["sentences"][2]["text"]
