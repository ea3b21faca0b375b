"""Predictions that were kept, beside what was measured after them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.measured_runs import run
from tokenroof.predict.predictions import Prediction, keep, kept_predictions
from tokenroof.predict.records import Rate, Wait
from tokenroof.predict.scoring import Scored, score
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Settings, Workload

MODEL = RunModel(name="m", digest="header-sha256:1", architecture="llama", weight_bytes=4_000)


def said(**changes: Any) -> Prediction:
    """At depth 1,000: 50 tok/s (40 to 60), a prompt of 2,000 at 1,000 tok/s (800 to 1,200)."""
    fields: dict[str, Any] = {
        "id": "p",
        "made": "2026-01-01T00:00:00.000Z",
        "tokenroof": "0.1.0",
        "model": MODEL,
        "device": "a CPU",
        "here": True,
        "case": {"model": "m.gguf", "prompt": 2000},
        "depth": 0,
        "decode": Rate(tokens_per_s=50.0, low=40.0, high=60.0, basis="public"),
        "prefill": Rate(tokens_per_s=1000.0, low=800.0, high=1200.0, basis="public"),
        "verify": "tokenroof bench m.gguf --lengths 2000",
    }
    return Prediction(**{**fields, **changes})


def came(tokens: int, prompt_seconds: float, step_seconds: float, **changes: Any) -> Run:
    fields: dict[str, Any] = {
        "started": "2026-01-02T00:00:00.000Z",
        "model": MODEL,
        "device": "A-CPU",
        "settings": Settings(),
        "workload": Workload(prompt_target=tokens, output_target=11),
        "prompt": Prompt(tokens=tokens, cached=0, seconds=prompt_seconds),
        "output": Output(tokens=11, steps=10, seconds=10 * step_seconds),
    }
    return run(**{**fields, **changes})


def only(found: tuple[Scored, ...], what: str) -> Scored:
    (one,) = [each for each in found if each.what == what]
    return one


def test_a_prediction_is_held_against_the_run_at_its_length() -> None:
    # The prompt took 2.5 s where 2 s were said (1.67 to 2.5); decode at 604 tokens 25 ms for 20.
    runs = [came(2000, 2.5, 0.030), came(600, 1.0, 0.025)]
    found = score([said()], runs)
    prefill, decode = only(found.rows, "prefill"), only(found.rows, "decode")
    assert prefill.measured_seconds == pytest.approx(2.5)
    assert prefill.ratio == pytest.approx(1.25)
    assert prefill.is_inside
    assert decode.measured_seconds == pytest.approx(0.025)
    assert decode.ratio == pytest.approx(1.25)
    assert decode.low_seconds == pytest.approx(1 / 60)
    assert decode.high_seconds == pytest.approx(1 / 40)
    assert decode.runs == 1, "the mean depth of 2,004.5 is too far from 0"


def test_a_length_that_is_a_little_off_is_brought_to_the_one_that_was_said() -> None:
    found = score([said()], [came(2100, 2.1, 0.02)])
    assert only(found.rows, "prefill").ratio == pytest.approx(1.0)
    assert score([said()], [came(2300, 2.3, 0.02)]).rows == ()


def test_a_wait_is_reading_and_the_further_steps() -> None:
    wait = Wait(
        load_seconds=0.0,
        ttft_seconds=2.0,
        total_seconds=2.2,
        low=2.0,
        high=2.3,
        basis="calibrated",
    )
    case = {"model": "m.gguf", "prompt": 2000, "output": 11}
    found = score([said(case=case, wait=wait)], [came(2000, 2.1, 0.03)])
    whole = only(found.rows, "wait")
    # 2.1 s and 10 steps of 30 ms.
    assert whole.measured_seconds == pytest.approx(2.4)
    assert not whole.is_inside
    assert whole.basis == "calibrated"


@pytest.mark.parametrize(
    "changes",
    [
        {"started": "2025-12-31T00:00:00.000Z"},
        {"model": msgspec.structs.replace(MODEL, digest="header-sha256:2")},
        {"device": "another CPU"},
        {"settings": Settings(kv_type_k="q8_0", kv_type_v="q8_0")},
        {"excluded": "queue_busy"},
        {"flags": ("contended",)},
        {"prompt": Prompt(tokens=2000, cached=1000, seconds=1.0), "output": Output()},
    ],
)
def test_a_run_of_another_condition_says_nothing(changes: dict[str, Any]) -> None:
    found = score([said()], [came(2000, 2.0, 0.02, **changes)])
    assert (found.kept, found.scored, found.rows) == (1, 0, ())
    assert found.waiting == ("tokenroof bench m.gguf --lengths 2000",)


def test_what_the_question_named_must_have_been_run() -> None:
    asked = said(case={"model": "m.gguf", "prompt": 2000, "engine": "ollama"})
    assert score([asked], [came(2000, 2.0, 0.02)]).rows == ()
    ollama = came(2000, 2.0, 0.02, engine=RunEngine(name="ollama", version="1"))
    assert score([asked], [ollama]).scored == 1


def test_tallies_say_how_good_each_basis_is() -> None:
    depths = (5_000, 10_000, 20_000)
    predictions = [said(depth=n, case={"model": "m.gguf", "depth": n}) for n in depths]
    # 20 ms were said: measured 19, 22 and 40 ms, the last outside of 16.7 to 25 ms.
    runs = [came(5_000, 1, 0.019), came(10_000, 1, 0.022), came(20_000, 1, 0.040)]
    (tally,) = score(predictions, runs).tallies
    assert (tally.basis, tally.what, tally.count, tally.inside) == ("public", "decode", 3, 2)
    assert tally.median_ratio == pytest.approx(1.1)
    assert tally.median_error == pytest.approx(0.1)
    assert tally.worst_error == pytest.approx(1.0)


def test_of_several_answers_to_one_question_the_last_before_the_run_counts() -> None:
    def at(day: int, rate: float) -> Prediction:
        decode = Rate(tokens_per_s=rate, low=1.0, high=200.0, basis="public")
        made = f"2026-01-{day:02}T00:00:00.000Z"
        return said(made=made, decode=decode, prefill=None, case={"model": "m.gguf"})

    # Measured on the 2nd: 50 tok/s. What was said on the 3rd knew it already.
    run_after = came(100, 1.0, 0.02, started="2026-01-02T12:00:00.000Z")
    found = score([at(1, 40.0), at(2, 25.0), at(3, 49.0)], [run_after])
    assert (found.kept, found.scored) == (1, 1)
    (row,) = found.rows
    assert row.ratio == pytest.approx(0.5)


def test_the_same_answer_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "predictions.jsonl"
    assert kept_predictions(path) == []
    assert keep([said(), said(id="again")], path) == 1
    assert keep([said(id="later")], path) == 0
    other = said(decode=Rate(tokens_per_s=51.0, low=40.0, high=60.0, basis="public"))
    assert keep([other], path) == 1
    assert kept_predictions(path) == [said(), other]


def test_a_line_that_is_none_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    keep([said()], path)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"torn\n[1]\n')
    assert kept_predictions(path) == [said()]
