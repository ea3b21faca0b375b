"""Unlike runs are kept apart, and named by what tells them apart."""

from __future__ import annotations

from typing import Any

import pytest

from support.measured_runs import run
from tokenroof.analysis import analyse
from tokenroof.analysis.grouping import conditions_of, labels, series_of
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Settings, Workload


@pytest.mark.parametrize(
    "changes",
    [
        {"model": RunModel(name="model", digest="sha256:12")},
        {"model": RunModel(name="model", file_type="Q8_0")},
        {"engine": RunEngine(name="engine", version="2")},
        {"engine": RunEngine(name="engine", version="1", backend="CUDA")},
        {"engine": RunEngine(name="engine", version="1", flags={"mmap": False})},
        {"device": "GPU 1"},
        {"settings": Settings(context=4096, kv_type_k="q8_0")},
        {"settings": Settings(context=4096, threads=2)},
        {"flags": ("speculative",)},
    ],
)
def test_runs_that_differ_in_conditions_are_not_pooled(changes: dict[str, Any]) -> None:
    found = series_of([run(0), run(1, **changes), run(2)])
    assert [len(group) for group in found] == [2, 1]
    first, second = labels(found)
    assert first != second


def test_drafted_tokens_are_no_repeats_of_plain_ones() -> None:
    # 0.1 s and 0.05 s for ten steps: 100 and 200 tokens/s, whose median would be neither.
    fast = Output(tokens=10, steps=10, seconds=0.05)
    found = analyse([run(0), run(1, output=fast, flags=("speculative",))])
    rates = [each.decode[0].counted for each in found.series]
    assert [each.tokens_per_second for each in rates if each] == [100, 200]
    assert found.series[1].label.endswith("speculative")


def test_a_label_says_what_differs_and_nothing_else() -> None:
    found = series_of(
        [
            run(0, settings=Settings(context=4096, threads=2)),
            run(1, settings=Settings(context=4096, threads=4)),
            run(2, model=RunModel(name="other")),
        ]
    )
    assert labels(found) == ["model · threads=2", "model · threads=4", "other"]


def test_series_whose_label_would_be_the_same_are_numbered() -> None:
    left = run(0, model=RunModel(name="m", digest="aaaaaaaa1"))
    right = run(1, model=RunModel(name="m", digest="aaaaaaaa2"))
    assert labels(series_of([left, right])) == ["m", "m (2)"]


def test_runs_asked_for_one_length_are_repeats_though_their_tokens_differ_a_little() -> None:
    near = [run(n, prompt=Prompt(tokens=990 + n, seconds=1.0)) for n in range(3)]
    (group,) = conditions_of(tuple(near), phase_is_decode=False)
    assert len(group) == 3
    (point,) = analyse(near).series[0].prefill
    assert point.prompt_tokens == 991


def test_runs_that_nobody_asked_a_length_of_are_grouped_by_what_there_was() -> None:
    def imported(number: int, tokens: int) -> Run:
        return run(number, workload=Workload(), prompt=Prompt(tokens=tokens, seconds=1.0))

    groups = conditions_of(
        (imported(0, 10), imported(1, 20), imported(2, 10)), phase_is_decode=False
    )
    assert [len(group) for group in groups] == [2, 1]


def test_answers_of_different_length_are_different_conditions_of_decode_only() -> None:
    long = run(
        1,
        workload=Workload(prompt_target=1000, output_target=500),
        output=Output(tokens=500, steps=500, seconds=5.0),
    )
    pair = (run(0), long)
    assert len(conditions_of(pair, phase_is_decode=True)) == 2
    assert len(conditions_of(pair, phase_is_decode=False)) == 1


def test_depth_is_a_condition_and_the_mean_depth_counts_it() -> None:
    deep = run(1, workload=Workload(prompt_target=1000, depth=5000, output_target=10))
    points = analyse([run(0), deep]).series[0].decode
    # depth + prompt + (10 - 1) / 2
    assert [point.mean_depth for point in points] == [1004.5, 6004.5]


def test_a_hostile_name_is_harmless_in_a_label() -> None:
    (series,) = analyse([run(model=RunModel(name="a\x1b[31mb\nc\u202ed"))]).series
    assert series.label == "a\\x1b[31mb\\nc\\u202ed"
