"""What is compared with what, what differs, and what may be said of it."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from support.compared_runs import LENGTHS, runs
from tokenroof.comparing import Comparison, compare_runs
from tokenroof.comparing.verdicts import verdict_of
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


def verdicts(found: Comparison) -> set[str]:
    return {cell.verdict for cell in found.cells}


def differing(found: Comparison) -> dict[str, tuple[str | None, str | None]]:
    return {each.condition: (each.a, each.b) for each in found.differences}


# Like with like


def test_every_length_and_phase_that_both_have_is_a_cell() -> None:
    found = compare_runs(runs(1), runs(2))
    assert [(cell.phase, cell.prompt_tokens) for cell in found.cells] == [
        *(("prefill", tokens) for tokens in LENGTHS),
        *(("decode", tokens) for tokens in LENGTHS),
    ]
    assert found.alike
    assert found.differences == ()


def test_a_cell_holds_the_ratio_of_medians_and_an_interval_around_it() -> None:
    a, b = runs(1), runs(2, factor=1.1)
    found = compare_runs(a, b)
    cell = next(c for c in found.cells if (c.phase, c.prompt_tokens) == ("prefill", 512))
    middle = [
        median(r.prompt.seconds / 512 for r in side if r.prompt.tokens == 512 and r.prompt.seconds)
        for side in (a, b)
    ]
    assert cell.a.seconds_per_token == pytest.approx(middle[0])
    assert cell.time_ratio == pytest.approx(middle[1] / middle[0])
    assert cell.time_ratio_low is not None
    assert cell.time_ratio_high is not None
    assert 1 < cell.time_ratio_low <= cell.time_ratio <= cell.time_ratio_high
    assert cell.a.tokens_per_second == pytest.approx(1 / middle[0])
    assert cell.a.runs == 12


def test_a_true_slow_down_is_found_in_every_cell_and_said_in_a_sentence() -> None:
    found = compare_runs(runs(1), runs(2, factor=1.1))
    assert verdicts(found) == {"slower"}
    assert [each.id for each in found.headline] == ["slower", "slower"]
    assert "10 %" in found.headline[0].text() or "9." in found.headline[0].text()
    assert verdicts(compare_runs(runs(2, factor=1.1), runs(1))) == {"faster"}


def test_no_difference_is_said_with_the_smallest_that_would_have_been_found() -> None:
    found = compare_runs(runs(1), runs(2))
    assert verdicts(found) == {"no_difference"}
    for cell in found.cells:
        assert cell.smallest_difference is not None
        assert cell.smallest_difference < found.threshold
        assert cell.runs_needed is None
    assert all("would have been" in each.text() for each in found.headline)


def test_too_few_runs_cannot_tell_and_say_how_many_more_are_needed() -> None:
    found = compare_runs(runs(1, count=3), runs(2, count=3))
    assert verdicts(found) == {"cannot_tell"}
    for cell in found.cells:
        assert cell.time_ratio_low is None
        # Nine a side, of which three are there.
        assert cell.runs_needed == 6
    assert "6 more rounds" in found.headline[0].text()


def test_below_the_runs_that_outlive_a_stall_no_absence_is_claimed() -> None:
    found = compare_runs(runs(1, count=6), runs(2, count=6))
    assert verdicts(found) == {"cannot_tell"}
    assert {cell.smallest_difference for cell in found.cells} == {None}
    assert {cell.runs_needed for cell in found.cells} == {3}
    # A difference that is there is shown all the same.
    assert verdicts(compare_runs(runs(1, count=6), runs(2, count=6, factor=1.2))) == {"slower"}


def test_excluded_runs_do_not_count_and_are_counted() -> None:
    slow = [structs.replace(run, excluded="contended") for run in runs(3, count=2, factor=9.0)]
    found = compare_runs(runs(1), [*runs(2), *slow])
    assert (found.b.runs, found.b.excluded) == (14 * 4, 2 * 4)
    assert verdicts(found) == {"no_difference"}


def test_lengths_that_one_side_lacks_are_named() -> None:
    found = compare_runs(runs(1), runs(2, lengths=(512, 1024)))
    assert {cell.prompt_tokens for cell in found.cells} == {512}
    assert found.only_b == ("decode 1024 + 128", "prefill 1024")
    assert len(found.only_a) == 6


def test_nothing_in_common_is_no_comparison() -> None:
    found = compare_runs(runs(1, lengths=(512,)), runs(2, lengths=(4096,)), allow=True)
    assert not found.alike
    assert found.cells == ()
    assert found.headline == ()


def test_reading_is_never_compared_with_writing() -> None:
    reading = [structs.replace(run, output=Output()) for run in runs(1)]
    writing = [
        structs.replace(run, prompt=structs.replace(run.prompt, seconds=None)) for run in runs(2)
    ]
    assert compare_runs(reading, writing, allow=True).cells == ()


def test_runs_beside_other_work_are_told() -> None:
    busy = [structs.replace(run, flags=("contended",)) for run in runs(2)]
    found = compare_runs(runs(1), busy, names=("old", "new"))
    assert found.b.contended == 48
    assert "new: 48 of 48" in found.notices[0].text()


# What differs

ENGINE = RunEngine(name="llama-server", version="b5100")
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("model", {"model": RunModel(name="qwen3-14b", file_type="Q4_K_M")}),
    ("type", {"model": RunModel(name="qwen3-8b", file_type="Q8_0")}),
    ("engine", {"engine": RunEngine(name="ollama", version="b5100")}),
    ("version", {"engine": RunEngine(name="llama-server", version="b5200")}),
    ("context", {"settings": Settings(context=4096, threads=8)}),
    ("threads", {"settings": Settings(context=20000, threads=4)}),
    ("offload", {"flags": ("partial_offload",)}),
    ("speculation", {"flags": ("speculative",)}),
    ("power", {"flags": ("throttled",)}),
]


@pytest.mark.parametrize(("condition", "changes"), OTHERS, ids=[name for name, _ in OTHERS])
def test_unlike_sets_are_refused_and_the_difference_is_named(
    condition: str, changes: dict[str, Any]
) -> None:
    found = compare_runs(runs(1), runs(2, **changes))
    assert list(differing(found)) == [condition]
    assert not found.alike
    assert (found.cells, found.headline) == ((), ())
    allowed = compare_runs(runs(1), runs(2, **changes), allow=True)
    assert len(allowed.cells) == 8
    assert list(differing(allowed)) == [condition]
    assert not allowed.alike


STATED = Settings(
    context=20000,
    threads=8,
    kv_type_k="f16",
    kv_type_v="f16",
    flash_attention=True,
    batch=2048,
    ubatch=512,
    gpu_layers=99,
)
CHANGES: list[tuple[str, dict[str, object]]] = [
    ("cache_type_k", {"kv_type_k": "q8_0"}),
    ("cache_type_v", {"kv_type_v": "q8_0"}),
    ("flash_attention", {"flash_attention": False}),
    ("batch", {"batch": 512}),
    ("ubatch", {"ubatch": 256}),
    ("gpu_layers", {"gpu_layers": 0}),
]


@pytest.mark.parametrize(("condition", "change"), CHANGES, ids=[name for name, _ in CHANGES])
def test_every_setting_that_differs_is_named(condition: str, change: dict[str, object]) -> None:
    other = structs.replace(STATED, **change)
    found = compare_runs(runs(1, settings=STATED), runs(2, settings=other))
    assert list(differing(found)) == [condition]


def test_options_of_the_engine_differ_by_their_names() -> None:
    one = RunEngine(name="llama-server", version="b5100", flags={"load_mode": "mmap"})
    other = RunEngine(name="llama-server", version="b5100", flags={"load_mode": "none"})
    found = compare_runs(runs(1, engine=one), runs(2, engine=other))
    assert differing(found) == {"flag load_mode": ("mmap", "none")}


def test_the_four_conditions_come_first() -> None:
    other = RunEngine(name="ollama", version="0.33", flags={"zeal": 1})
    found = compare_runs(
        runs(1, engine=structs.replace(ENGINE, flags={"zeal": 2})),
        runs(
            2,
            engine=other,
            settings=Settings(context=1, threads=1),
            model=RunModel(name="m", file_type="F16"),
        ),
    )
    assert list(differing(found)) == [
        *("model", "type", "engine", "version", "context", "threads", "flag zeal"),
    ]


def test_what_one_side_does_not_state_is_told_and_no_difference() -> None:
    found = compare_runs(runs(1), runs(2, settings=Settings(context=20000)))
    assert found.alike
    assert [(each.condition, each.a, each.b) for each in found.not_stated] == [
        ("threads", "8", None)
    ]


def test_the_same_file_under_another_name_is_the_same_model() -> None:
    one = RunModel(name="qwen3:8b", digest="sha256:1")
    other = RunModel(name="Qwen3-8B.gguf", digest="sha256:1")
    assert compare_runs(runs(1, model=one), runs(2, model=other)).alike
    third = structs.replace(one, digest="sha256:2")
    assert list(differing(compare_runs(runs(1, model=one), runs(2, model=third)))) == ["digest"]


def test_several_models_are_each_compared_with_their_own() -> None:
    def both(seed: int, factor: float) -> list[Run]:
        small = runs(seed, model=RunModel(name="small"))
        large = runs(seed + 10, factor=factor, model=RunModel(name="large"))
        return [structs.replace(r, id=f"s{r.id}") for r in small] + large

    found = compare_runs(both(1, 5.0), [*both(2, 5.5), *runs(9, model=RunModel(name="new"))])
    by_model = {cell.series: cell.verdict for cell in found.cells}
    assert by_model == {"small": "no_difference", "large": "slower"}
    assert found.only_b == ("new",)
    # Sixteen cells share the 5 %, and none of them compares two models.
    assert len(found.cells) == 16


def test_a_change_of_threads_on_one_side_pairs_by_threads() -> None:
    four = Settings(context=20000, threads=4)
    found = compare_runs([*runs(1), *runs(3, settings=four, factor=2.0)], runs(2))
    assert {cell.series for cell in found.cells} == {"threads=8"}
    assert verdicts(found) == {"no_difference"}
    assert found.only_a == ("threads=4",)


def test_several_conditions_without_a_peer_are_held_against_the_only_one_of_the_other_side() -> (
    None
):
    several = [*runs(1, model=RunModel(name="small")), *runs(2, model=RunModel(name="large"))]
    other = runs(3, model=RunModel(name="new"))
    refused = compare_runs(several, other)
    named = [(each.condition, each.a, each.b) for each in refused.differences]
    assert named == [("model", "small", "new"), ("model", "large", "new")]
    assert (refused.alike, refused.cells) == (False, ())
    allowed = compare_runs(several, other, allow=True)
    assert {cell.series for cell in allowed.cells} == {"small", "large"}
    turned = compare_runs(other, several, allow=True)
    assert {cell.series for cell in turned.cells} == {"small", "large"}


def test_several_conditions_on_both_sides_without_a_peer_are_not_paired_by_guess() -> None:
    def two(seed: int, *names: str) -> list[Run]:
        return [
            run
            for at, name in enumerate(names)
            for run in runs(seed + at, model=RunModel(name=name))
        ]

    found = compare_runs(two(1, "a", "b"), two(5, "c", "d"), allow=True)
    assert (found.cells, found.only_a, found.only_b) == ((), ("a", "b"), ("c", "d"))


def test_runs_that_stand_on_both_sides_are_told() -> None:
    found = compare_runs(runs(1), runs(1))
    assert [each.message for each in found.notices] == ["comparing.on_both_sides"]
    assert "48 runs stand on both sides" in found.notices[0].text()
    assert compare_runs(runs(1), runs(2)).notices == ()


# Figures that nobody asked for, and figures that somebody stated


def test_lengths_that_were_met_join_those_within_two_percent() -> None:
    met = [
        structs.replace(
            run,
            workload=Workload(),
            prompt=Prompt(tokens=(run.prompt.tokens or 0) + 8, seconds=run.prompt.seconds),
        )
        for run in runs(2, lengths=(512, 2048))
    ]
    found = compare_runs(runs(1, lengths=(512, 2048)), met)
    assert [cell.prompt_tokens for cell in found.cells] == [512, 2048, 512, 2048]


def stated(mean: float, deviation: float | None, of: int | None, seed: int = 1) -> Run:
    """128 steps at a mean of so many seconds a step."""
    (run,) = runs(seed, count=1, lengths=(512,))
    aggregate = Aggregate(of=of, stddev_seconds=None if deviation is None else 128 * deviation)
    return structs.replace(
        run,
        id=f"stated-{mean}-{seed}",
        prompt=Prompt(tokens=512),
        output=Output(tokens=128, steps=128, seconds=128 * mean),
        aggregate=aggregate,
    )


def test_a_stated_mean_is_compared_with_its_own_uncertainty() -> None:
    found = compare_runs([stated(0.02, 0.0001, 5)], [stated(0.022, 0.0001, 5)])
    (cell,) = found.cells
    assert cell.aggregate
    assert cell.verdict == "slower"
    assert cell.time_ratio == pytest.approx(1.1)
    wide = compare_runs([stated(0.02, 0.002, 5)], [stated(0.022, 0.002, 5)]).cells[0]
    assert wide.verdict == "cannot_tell"


@pytest.mark.parametrize(("deviation", "of"), [(None, 5), (0.0001, None), (None, None)])
def test_a_stated_mean_without_its_uncertainty_is_shown_and_not_judged(
    deviation: float | None, of: int | None
) -> None:
    found = compare_runs([stated(0.02, deviation, of)], [stated(0.03, 0.0001, 5)])
    (cell,) = found.cells
    assert (cell.verdict, cell.time_ratio_low, cell.runs_needed) == ("cannot_tell", None, None)
    assert cell.reason is not None
    assert cell.reason.id == "no_uncertainty"
    assert cell.time_ratio == pytest.approx(1.5)


def test_several_stated_means_are_never_pooled() -> None:
    both = [stated(0.02, 0.0001, 5), stated(0.021, 0.0001, 5, seed=2)]
    (cell,) = compare_runs(both, [stated(0.03, 0.0001, 5)]).cells
    assert cell.reason is not None
    assert cell.reason.id == "several_stated"
    assert cell.verdict == "cannot_tell"


def test_single_runs_are_not_pooled_with_a_stated_mean() -> None:
    a = [*runs(1, lengths=(512,)), stated(9.0, 0.1, 5)]
    cells = compare_runs(a, runs(2, lengths=(512,))).cells
    decode = next(cell for cell in cells if cell.phase == "decode")
    assert (decode.a.runs, decode.aggregate, decode.verdict) == (12, False, "no_difference")


def test_a_stated_mean_is_compared_with_single_runs() -> None:
    cells = compare_runs([stated(0.02, 0.0001, 5)], runs(2, lengths=(512,), factor=1.1)).cells
    assert [(cell.phase, cell.aggregate, cell.verdict) for cell in cells] == [
        ("decode", True, "slower")
    ]


def test_means_of_wild_repeats_are_left_out() -> None:
    wild = structs.replace(stated(0.02, 0.01, 5), flags=("unsteady",))
    found = compare_runs([wild], [stated(0.02, 0.0001, 5, seed=2)])
    assert found.cells == ()
    assert "left out" in found.notices[0].text("en")


# Verdicts and the gate


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.01, 1.09, "slower"),
        (0.91, 0.99, "faster"),
        (0.98, 1.03, "no_difference"),
        (0.98, 1.05, "cannot_tell"),
        (0.95, 1.01, "cannot_tell"),  # 1 / 1.05 is 0.952
        (0.96, 1.01, "no_difference"),
        (None, None, "cannot_tell"),
    ],
)
def test_a_verdict_is_what_the_interval_holds(
    low: float | None, high: float | None, verdict: str
) -> None:
    assert verdict_of(low, high, 0.05) == verdict


@given(
    st.floats(min_value=0.5, max_value=2.0),
    st.floats(min_value=0.5, max_value=2.0),
    st.floats(min_value=0.001, max_value=0.5),
)
def test_to_swap_the_sides_swaps_slower_and_faster(one: float, other: float, size: float) -> None:
    low, high = sorted((one, other))
    swapped = {"slower": "faster", "faster": "slower"}
    there, back = verdict_of(low, high, size), verdict_of(1 / high, 1 / low, size)
    assert back == swapped.get(there, there)


GATES = [
    # Slower by 10 %: no. By 2 % for sure: that is less than 5 %. Alike and known well: yes.
    (runs(2, factor=1.1), "fail"),
    (runs(2, factor=1.02), "pass"),
    (runs(2), "pass"),
    (runs(2, factor=0.9), "pass"),
    (runs(2, count=2), "cannot_tell"),
    (runs(2, spread=0.3), "cannot_tell"),
]


@pytest.mark.parametrize(("b", "result"), GATES, ids=[f"{i}-{g[1]}" for i, g in enumerate(GATES)])
def test_the_gate_fails_where_a_slow_down_is_certain_and_large(b: list[Run], result: str) -> None:
    found = compare_runs(runs(1), b, fail_slower=0.05)
    assert found.gate is not None
    assert found.gate.result == result
    assert found.gate.is_no == (result == "fail")
    strict = compare_runs(runs(1), b, fail_slower=0.05, strict=True).gate
    assert strict is not None
    assert strict.is_no == (result != "pass")


def test_five_percent_exactly_is_five_percent() -> None:
    b = [
        structs.replace(
            run,
            id="b" + run.id,
            output=structs.replace(run.output, seconds=(run.output.seconds or 0) * 1.05),
            prompt=structs.replace(run.prompt, seconds=(run.prompt.seconds or 0) * 1.05),
        )
        for run in runs(1)
    ]
    found = compare_runs(runs(1), b, fail_slower=0.05)
    assert found.gate is not None
    assert found.gate.result == "fail"
