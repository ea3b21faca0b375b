"""Charts show the data, and their words are worked out from it."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from support.measured_runs import COST, run, timed
from tokenroof.analysis import Analysis, CacheCost, Peak, StatedCosts, analyse
from tokenroof.records import Aggregate, Output, Prompt, Run, RunModel
from tokenroof.report import Figure, charts
from tokenroof.report.charts import style

LENGTHS = (500, 2000, 8000, 16000)


def campaign(name: str = "model", lengths: tuple[int, ...] = LENGTHS, **changes: Any) -> list[Run]:
    """Three rounds; decode at 100 GB/s for every byte, prefill at 1 ms a token."""
    found: list[Run] = []
    for _ in range(3):
        for tokens in lengths:
            step = (1e9 + 1e5 * (tokens + 4.5)) / 100e9
            more = timed([step], tokens, first=len(found), prefill_seconds=1e-3 * tokens)
            found += [
                structs.replace(each, model=RunModel(name=name), id=f"{name}-{each.id}", **changes)
                for each in more
            ]
    return found


def figures(
    runs: list[Run], peak: float | None = 200e9, cost: StatedCosts | None = COST, lang: str = "en"
) -> dict[str, Figure]:
    peaks = [Peak(bandwidth_bytes_per_second=peak)] if peak else []
    costs = {each.model.name or "": cost for each in runs} if cost else {}
    found: Analysis = analyse(runs, costs, peaks=peaks)
    return {figure.name: figure for figure in charts(found, runs, lang)}


def rows(figure: Figure) -> list[dict[str, Any]]:
    """All rows of data in a chart."""
    return [row for table in figure.spec["datasets"].values() for row in table]


def domain(figure: Figure, field: str, axis: str) -> list[float]:
    """What the axis of a field spans."""
    name = field.partition(":")[0]
    encodings = [layer["encoding"] for layer in figure.spec["layer"]]
    found: list[float] = next(
        each[axis]["scale"]["domain"] for each in encodings if each[axis]["field"] == name
    )
    return found


def dump(figure: Figure) -> str:
    return json.dumps(figure.spec, ensure_ascii=False)


def test_a_full_campaign_has_all_five_pictures() -> None:
    assert list(figures(campaign())) == ["speed", "ceiling", "reads", "reading", "runs"]


def test_speed_has_a_log_axis_and_says_that_the_scales_differ() -> None:
    speed = figures(campaign())["speed"]
    assert '"type": "log"' in dump(speed)
    # Prefill 1,000 tok/s throughout, decode at most 1e11 / (1e9 + 504.5e5) = 95.2: 11 times.
    assert "factor of 11" in speed.caption
    assert speed.title.startswith("Prefill 1000 tok/s, decode 38.5")


def test_alike_scales_are_not_said_to_differ_much() -> None:
    slow = [
        run(
            n,
            prompt=Prompt(tokens=1000, cached=0, seconds=10.0),
            output=Output(tokens=10, steps=10, seconds=0.11),
        )
        for n in range(3)
    ]
    assert "only by a factor of 1.1" in figures(slow)["speed"].caption


@pytest.mark.parametrize(("moe", "said"), [(True, "(MoE)"), (False, "(dense)")])
def test_the_legend_says_dense_or_moe(moe: bool, said: str) -> None:
    cost = structs.replace(COST, is_moe=moe)
    two = [*campaign("one"), *campaign("two")]
    speed = figures(two, cost=cost)["speed"]
    assert f"one {said}" in dump(speed)
    assert f"two {said}" in dump(speed)


@pytest.mark.parametrize("name", ["speed", "reads", "reading"])
def test_the_legend_says_it_of_a_single_model_as_well(name: str) -> None:
    shown = figures(campaign())[name]
    assert "model (dense)" in dump(shown)
    assert '"legend": {' in dump(shown)


def test_where_nobody_knows_the_kind_none_is_claimed() -> None:
    speed = figures(campaign(), cost=None)["speed"]
    assert "dense" not in dump(speed)
    assert "dense" not in speed.caption


def test_bars_carry_the_share_of_the_ceiling() -> None:
    bars = figures(campaign(), peak=200e9)["ceiling"]
    # Every byte at 100 of 200 GB/s.
    assert bars.title == "Decode reached 50 % of the ceiling"
    assert "50 %: 95.2 of 190 tok/s" in {row["text"] for row in rows(bars)}


def test_several_shares_of_the_ceiling_are_said_from_the_lowest_to_the_highest() -> None:
    slower = timed([0.05], 500, first=900, model=RunModel(name="slow"))
    # 1.05 GB in 50 ms are 21 GB/s, of 200 GB/s 11 %; the other one reads at 100.
    shown = figures([*campaign(), *slower])["ceiling"]
    assert shown.title == "Decode reached 11 % to 50 % of the ceiling"


def test_an_unknown_ceiling_is_neither_drawn_nor_claimed() -> None:
    shown = figures(campaign(), peak=None)
    assert shown["ceiling"].title == "Decode; the ceiling is unknown"
    assert all(row["ceiling"] is None for row in rows(shown["ceiling"]))
    assert "%" not in shown["ceiling"].title
    assert "Dashed" not in shown["reads"].caption
    assert "strokeDash" not in dump(shown["reads"])


def test_the_line_and_the_floor_are_those_of_the_analysis() -> None:
    reads = figures(campaign(), peak=200e9)["reads"]
    assert reads.title == "model (dense): added bytes were read at 100 GB/s"
    assert "every point lies above it" in reads.caption
    assert "strokeDash" in dump(reads)


def test_the_fitted_line_is_drawn_over_measured_bytes_only() -> None:
    reads = figures(campaign(), peak=None)["reads"]
    lines = [row for row in rows(reads) if "series" in row and "tokens" not in row]
    measured = [(1e9 + 1e5 * (n + 4.5)) / 1e9 for n in LENGTHS]
    assert sorted(row["gb"] for row in lines) == pytest.approx([measured[0], measured[-1]])


def test_points_below_the_floor_are_said_to_be_there() -> None:
    reads = figures(campaign(), peak=80e9)["reads"]
    assert "some points lie below it" in reads.caption
    assert "every point" not in reads.caption


def test_without_a_line_none_is_drawn_and_the_reason_is_given() -> None:
    reads = figures(campaign(lengths=(500, 2000)), peak=None)["reads"]
    assert reads.title == "Time per token against bytes read per token"
    assert "No line of time against bytes: it needs 3 lengths" in reads.caption
    assert all("tokens" in row for row in rows(reads))


def test_bytes_that_hardly_vary_make_no_line_and_it_is_said_which_lengths_would() -> None:
    # 1.00504 GB at 504.5 tokens of depth, 1.04044 GB 354 tokens later: 3.5 % more. A tenth more
    # needs 0.1005 GB / 0.1 MB = 1,005 tokens beyond the shortest, with a tenth to spare 1,106.
    cost = structs.replace(COST, caches=(CacheCost(bytes_per_token=1e5),))
    lengths = (500, 600, 854)
    reads = figures(campaign(lengths=lengths), cost=cost)["reads"]
    assert "grow by 3.4 % only" in reads.caption
    assert "inputs of 1,700 tokens or more (--lengths)" in reads.caption


def test_points_close_together_get_the_whole_width_and_the_caption_says_so() -> None:
    close = figures(campaign(lengths=(500, 1000, 2000)))["reads"]
    assert "does not begin at zero" in close.caption
    placed = [row["gb"] for row in rows(close) if "tokens" in row]
    left, right = domain(close, "gb:Q", "x")
    assert 0 < left < min(placed) < max(placed) < right
    apart = figures(campaign())["reads"]
    assert "does not begin at zero" not in apart.caption
    assert domain(apart, "gb:Q", "x")[0] == 0


def test_every_point_of_the_reads_bears_its_input_tokens() -> None:
    shown = figures(campaign())["reads"]
    assert {row["label"] for row in rows(shown) if "label" in row} == {"500", "2k", "8k", "16k"}


@pytest.mark.parametrize(("peak", "baseline"), [(200e9, "top"), (4000e9, "bottom")])
def test_the_floors_name_never_lies_on_the_axis(peak: float, baseline: str) -> None:
    # At 4,000 GB/s the floor lies 40 times below the points: no room for a name under it.
    reads = figures(campaign(), peak=peak)["reads"]
    (mark,) = [
        layer["mark"]
        for layer in reads.spec["layer"]
        if layer["mark"]["type"] == "text"
        and "baseline" in layer["mark"]
        and layer["mark"].get("color")
    ]
    assert mark["baseline"] == baseline


def test_a_curve_that_misses_its_points_stays_inside_the_plot() -> None:
    runs: list[Run] = []
    for tokens, seconds in ((1000, 1.0), (2000, 9.0), (4000, 2.0), (8000, 4.0)):
        runs += timed([0.01] * 3, tokens, first=len(runs), prefill_seconds=seconds)
    reading = figures(runs)["reading"]
    highest = max(row["seconds"] for row in rows(reading))
    assert domain(reading, "seconds:Q", "y")[1] > highest


def test_reading_times_tell_what_the_last_stretch_did() -> None:
    reading = figures(campaign())["reading"]
    assert reading.title == "model (dense) took 16 s to read 16,000 tokens"
    assert "from 8,000 to 16,000 tokens the length grew 2.0-fold, the time 2.0-fold" in (
        reading.caption
    )


def test_every_run_is_a_dot_and_excluded_ones_are_marked() -> None:
    runs = campaign(lengths=(500, 2000))
    runs += timed([0.05], 500, first=900, excluded="throttled")
    shown = figures(runs)["runs"]
    dots = [row for row in rows(shown) if "status" in row]
    assert len(dots) == 2 * 7
    marked = [row for row in dots if row["status"].startswith("excluded")]
    assert len(marked) == 2
    assert "heat or power" in marked[0]["status"]
    assert shown.title == "6 runs count, 1 is excluded"


def test_runs_beside_other_work_are_marked_though_they_count() -> None:
    runs = campaign(lengths=(500,)) + timed([0.05], 500, first=900, flags=("contended",))
    statuses = {row["status"] for row in rows(figures(runs)["runs"]) if "status" in row}
    assert statuses == {"counted", "counted, beside other work (contended)"}


def test_records_of_several_runs_are_no_dots() -> None:
    assert "runs" not in figures(campaign(aggregate=Aggregate(of=3)))


def test_the_mark_of_contended_runs_is_explained_where_all_are() -> None:
    shown = figures(campaign(flags=("contended",)))["runs"]
    assert {row["status"] for row in rows(shown) if "status" in row} == {
        "counted, beside other work (contended)"
    }
    assert '"legend": {' in dump(shown)
    assert shown.title == "12 runs count, none is excluded"


def test_without_a_run_that_counts_only_the_excluded_are_drawn() -> None:
    assert list(figures(campaign(excluded="contended"))) == ["runs"]
    nothing = [run(prompt=Prompt(), output=Output(), excluded="failed")]
    assert figures(nothing) == {}
    assert figures([]) == {}


@pytest.mark.parametrize(
    ("models", "lengths"), [(1, (500,)), (1, (500, 2000)), (3, LENGTHS), (9, (500,))]
)
def test_any_number_of_models_and_lengths_can_be_drawn(
    models: int, lengths: tuple[int, ...]
) -> None:
    runs = [each for n in range(models) for each in campaign(f"m{n}", lengths)]
    for figure in figures(runs).values():
        assert figure.title
        assert figure.caption
        for each in figure.title, figure.caption:
            assert "None" not in each
            assert "nan" not in each.split()


def test_japanese_words_are_japanese() -> None:
    for figure in figures(campaign(), lang="ja").values():
        assert any("\u3040" <= character <= "\u30ff" for character in figure.title)
        assert figure.caption.endswith("。")


def test_a_chart_bears_no_stand_in_for_a_colour_when_it_stands_alone() -> None:
    for figure in figures(campaign()).values():
        assert "tokenroof:" not in json.dumps(figure.standing_alone())


def test_a_model_may_bear_the_name_of_a_field_or_hold_quotes() -> None:
    name = "datum['x'].y \\ \"rate\""
    for figure in figures(campaign(name)).values():
        assert figure.standing_alone()


heights = st.lists(st.floats(0, 100), min_size=1, max_size=12)


@given(heights)
def test_labels_pushed_apart_do_not_overlap_and_keep_their_order(positions: list[float]) -> None:
    placed = style.apart(positions, span=100, pixels=250)
    room = 100 / 250 * style.LABEL_HEIGHT
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    for lower, upper in itertools.pairwise(order):
        assert placed[upper] - placed[lower] >= room * (1 - 1e-9)


@given(st.lists(st.integers(0, 10), min_size=1, max_size=8, unique=True))
def test_labels_far_apart_stay_where_they_are(places: list[int]) -> None:
    positions = [float(place * 10) for place in places]
    assert style.apart(positions, span=100, pixels=250) == pytest.approx(positions)


@given(st.text(max_size=200), st.integers(10, 80))
def test_wrapping_loses_nothing_but_spaces(text: str, columns: int) -> None:
    lines = style.wrapped(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_japanese_wraps_without_spaces_and_keeps_closing_marks() -> None:
    lines = style.wrapped("速さの測り方、その二。" * 6, 24)
    assert len(lines) > 1
    assert all(len(line) <= 13 for line in lines)
    assert not any(line.startswith(("、", "。")) for line in lines)


def test_ticks_are_one_two_and_five() -> None:
    assert style.log_ticks(300, 12000) == [500, 1000, 2000, 5000, 10000]
