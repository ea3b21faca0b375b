"""Waiting: parts that add up, steps at their own depths, and what must hold for any question."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.this_cpu import this_cpu
from tokenroof.api import open_model
from tokenroof.errors import UsageError
from tokenroof.gguf import Header
from tokenroof.hardware.device import Device
from tokenroof.model import Model, build_model
from tokenroof.notices import Notice
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.exchanges import Exchange, exchanges
from tokenroof.predict.loading import loading
from tokenroof.predict.pace.pace import Span, Steps
from tokenroof.predict.pace.public_pace import PublicPace
from tokenroof.predict.records import Basis, Row, Wait
from tokenroof.predict.wait import wait

if TYPE_CHECKING:
    from tokenroof.predict.pace.pace import Depths

MODELS: dict[str, Callable[[], Header]] = {
    "qwen3-8b": qwen3_8b,
    "gpt-oss-20b": gpt_oss_20b,
    "qwen3-coder-30b": qwen3_coder_30b,
}
DEVICES = [
    "RTX 3090",
    "Ryzen AI Max+ 395",
    "Apple M2 Max (38-core GPU)",
    "EPYC 9654 + ddr5-4800 x12",
]


@dataclass(frozen=True)
class Straight:
    """A pace that is known by heart: 10 ms + 1 us a token of depth, 1 ms a token of a prompt."""

    basis: Basis = "calibrated"
    deepest: int = 10**9
    slower: float = 1.0
    notices: tuple[Notice, ...] = ()

    def steps(self, depths: Depths) -> Steps | None:
        known = np.where(depths <= self.deepest, depths, np.nan)
        seconds = (0.010 + known * 1e-6) * self.slower
        return Steps(seconds, seconds * 0.9, seconds * 1.2)

    def reading(self, tokens: int, depth: int) -> Span | None:
        seconds = tokens * 1e-3 * self.slower
        return Span(seconds, seconds * 0.8, seconds * 1.5, self.basis)


def straight(**question: object) -> Wait:
    found, _ = wait(Case(**question), [Straight()], loading(4_000_000_000))  # type: ignore[arg-type]
    assert found is not None
    return found


def load(name: str) -> Model:
    return build_model(MODELS[name]()) if name in MODELS else open_model(name)


def here() -> Device:
    return this_cpu(64)


ASKER = Asker(load, here)


def ask(**question: object) -> Row:
    (row,) = ASKER.estimate([Case(**question)]).rows  # type: ignore[arg-type]
    return row


def waited(**question: object) -> Wait:
    found = ask(**question).wait
    assert found is not None
    return found


def total(found: Wait) -> float:
    assert found.total_seconds is not None
    return found.total_seconds


def test_each_step_is_taken_at_its_own_depth() -> None:
    # Prompt 1,000 x 1 ms. Steps at depths 1000, 1001, 1002: 3 x 10 ms + 3,003 us.
    found = straight(prompt=1000, output=4)
    assert found.ttft_seconds == pytest.approx(1.0)
    assert found.total_seconds == pytest.approx(1.0 + 0.030 + 0.003003)
    assert found.low == pytest.approx(0.8 + 0.9 * 0.033003)
    assert found.high == pytest.approx(1.5 + 1.2 * 0.033003)


def test_one_token_is_there_when_the_prompt_is_read() -> None:
    found = straight(prompt=1000, output=1)
    assert found.total_seconds == found.ttft_seconds == pytest.approx(1.0)
    assert [part.name for part in found.parts] == ["prefill"]


def test_thinking_comes_before_the_answer_and_takes_its_own_steps() -> None:
    # 5 thoughts and 3 tokens are 7 steps; the first of 8 tokens comes out of the prompt.
    found = straight(prompt=1000, output=3, thinking=5)
    thinking, answer = found.parts[1:]
    assert (thinking.name, answer.name) == ("thinking", "answer")
    assert thinking.seconds == pytest.approx(5 * 0.010 + sum(range(1000, 1005)) * 1e-6)
    assert answer.seconds == pytest.approx(2 * 0.010 + (1005 + 1006) * 1e-6)


def test_cached_tokens_of_the_prompt_are_not_read() -> None:
    assert straight(prompt=1000, cached=600, output=1).ttft_seconds == pytest.approx(0.4)
    # The last token is read in any case: what follows it is wanted.
    assert straight(prompt=1000, cached=1000, output=1).ttft_seconds == pytest.approx(0.001)


def test_more_in_the_cache_than_the_prompt_has_is_refused() -> None:
    with pytest.raises(UsageError, match="--depth"):
        straight(prompt=100, cached=101, output=1)


def test_a_cold_model_is_loaded_first() -> None:
    warm, cold = straight(prompt=10, output=2), straight(prompt=10, output=2, cold=True)
    # 4 GB at 2 GB/s, between 7 and 0.5 GB/s.
    assert warm.load_seconds == 0.0
    assert cold.load_seconds == pytest.approx(2.0)
    assert cold.parts[0].low == pytest.approx(4 / 7)
    assert cold.parts[0].high == pytest.approx(8.0)
    assert cold.ttft_seconds == pytest.approx(2.0 + 0.010)
    assert cold.basis == "public", "nobody measured this disk"


def test_depth_counts_for_the_steps_and_is_not_read() -> None:
    found = straight(depth=5000, prompt=1000, output=2)
    assert found.total_seconds == pytest.approx(1.0 + 0.010 + 6000e-6)


def test_steps_beyond_what_the_stronger_basis_knows_are_by_the_weaker_one() -> None:
    measured = Straight("measured", deepest=1001)
    paces = [measured, Straight("public", slower=2.0)]
    found, _ = wait(Case(prompt=1000, output=5), paces)
    assert found is not None
    # Depths 1000 and 1001 as measured, 1002 and 1003 twice as slow.
    assert found.parts[1].seconds == pytest.approx(0.020 + 2001e-6 + 2 * (0.020 + 2005e-6))
    assert (found.parts[0].basis, found.parts[1].basis) == ("measured", "public")
    assert found.basis == "public"


def test_where_nothing_is_known_there_is_no_wait() -> None:
    assert wait(Case(prompt=10, output=2), []) == (None, ())
    assert ask(model="qwen3-8b", bandwidth=256, prompt=10, output=2).wait is None


def test_a_turn_reads_its_own_tokens_and_the_one_written_last() -> None:
    turns = exchanges(Case(prompt=100, output=20, turns=3))
    assert turns == (
        Exchange(0, 100, 0, 20),
        Exchange(119, 101, 0, 20),
        Exchange(239, 101, 0, 20),
    )
    # 120 tokens in the context after the first turn, of which the cache holds 119.
    assert [turn.end for turn in turns] == [120, 240, 360]


def test_thoughts_are_not_sent_back_so_the_answer_is_read_again() -> None:
    first, second = exchanges(Case(prompt=100, output=20, thinking=300, turns=2))
    assert first.end == 420
    assert second == Exchange(100, 20 + 100, 300, 20)


def test_an_agent_reads_what_its_prompt_has_grown_by() -> None:
    first, second = exchanges(Case(prompt=8000, cached=2000, output=50, agent=1500, turns=2))
    assert first == Exchange(2000, 6000, 0, 50)
    assert second == Exchange(8049, 1501, 0, 50)
    with pytest.raises(UsageError, match="--turns"):
        exchanges(Case(prompt=8000, output=50, agent=1500))


def test_a_conversation_is_the_sum_of_its_turns() -> None:
    found = straight(prompt=100, output=3, turns=3, depth=10)
    assert [turn.number for turn in found.turns] == [1, 2, 3]
    assert total(found) == pytest.approx(sum(turn.total_seconds for turn in found.turns))
    # Without a cache all prompts are read from their beginning, the depth as well:
    # 110, then 10 + 103 + 100, then 316 tokens, in the place of 100, 101 and 101.
    assert found.unreused_seconds is not None
    more = found.unreused_seconds - total(found)
    assert more == pytest.approx((110 + 213 + 316 - 302) * 1e-3)


def test_a_prompt_of_uncertain_length_widens_the_interval_to_both_ends() -> None:
    found = straight(prompt=1000, prompt_low=800, prompt_high=1300, output=2)
    assert found.ttft_seconds == pytest.approx(1.0)
    assert found.ttft_low == pytest.approx(0.64)
    assert found.ttft_high == pytest.approx(1.95)
    assert found.low == pytest.approx(0.64 + 0.9 * 0.0108)
    assert found.high == pytest.approx(1.95 + 1.2 * 0.0113)


def test_of_a_prompt_of_uncertain_length_the_turns_span_what_the_whole_does() -> None:
    found = straight(prompt=1000, prompt_low=800, prompt_high=1300, output=2, turns=3)
    assert found.low == pytest.approx(sum(turn.low for turn in found.turns))
    assert found.high == pytest.approx(sum(turn.high for turn in found.turns))
    # The first prompt is read in 0.8 x 0.8 s at least, and 1.3 x 1.5 s at most.
    assert found.turns[0].ttft_low == pytest.approx(0.64)
    assert found.turns[0].ttft_high == pytest.approx(1.95)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_few_tokens_are_read_no_slower_than_they_are_written(model: str, device: str) -> None:
    """Of one token every expert that it needs is read once, whoever asks for it."""
    step = ask(model=model, device=device).decode
    assert step is not None
    assert step.tokens_per_s is not None
    for prompt in (1, 2, 5):
        found = waited(model=model, device=device, prompt=prompt, output=1)
        assert total(found) <= prompt / step.tokens_per_s * (1 + 1e-9)


@pytest.mark.parametrize(
    ("said", "assumed"),
    [
        ({}, {"the CUDA backend", "a build of 2026"}),
        ({"backend": "nonsense", "date": "yesterday"}, {"the CUDA backend", "a build of 2026"}),
        ({"backend": "CUDA", "date": "2026-03-01"}, set()),
        ({"backend": "Vulkan (RADV)", "engine_version": "b7000"}, set()),
        ({"backend": "cuda", "engine": "ollama", "engine_version": "0.22"}, {"a build of 2026"}),
    ],
)
def test_what_was_said_and_not_understood_is_told_as_assumed(
    said: dict[str, str], assumed: set[str]
) -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", **said)
    told = {each.text("en") for each in row.assumes}
    assert {note for note in told if "backend" in note or "a build of" in note} == assumed


def test_what_does_not_fit_is_not_waited_for_however_long_it_would_take() -> None:
    """Eleven million tokens of cache are 1.6 TB: the steps are not added up to be thrown away."""
    row = ask(model="qwen3-8b", device="RTX 3090", prompt=10_000, output=10_000, turns=1000)
    assert row.fits is not None
    assert (row.fits.verdict, row.wait) == ("does_not_fit", None)


@pytest.mark.parametrize(
    "too_much",
    [
        {"turns": 1001},
        {"output": 2**24 + 1},
        {"thinking": 10**12},
        {"prompt": 10**15},
        {"weight_bytes": 1e30},
    ],
)
def test_more_than_any_context_holds_is_refused(too_much: dict[str, float]) -> None:
    (key,) = too_much
    with pytest.raises(UsageError, match=f"'{key}' .* at most"):
        ask(model="qwen3-8b", bandwidth=100, **{"prompt": 10, "output": 2, **too_much})


@pytest.mark.parametrize("name", ["bandwidth", "memory", "tflops"])
def test_a_figure_beyond_all_numbers_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"--{name}"):
        ask(model="qwen3-8b", **{"bandwidth": 100.0, name: 1e308})


def test_the_command_that_looks_for_a_placement_waits_for_the_same_answer() -> None:
    asked: dict[str, object] = {"prompt": 2000, "output": 100, "cached": 50, "thinking": 300}
    row = ask(model="llama-3.3-70b", device="RTX 3090", cold=True, turns=3, agent=70, **asked)
    assert row.verify == (
        "tokenroof estimate llama-3.3-70b --on 'RTX 3090' --prompt 2000 --output 100 --cached 50 "
        "--thinking 300 --cold --turns 3 --agent 70 --fit"
    )


def test_the_context_holds_all_turns() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", prompt=1000, output=100, turns=4)
    assert row.context == 4400
    with pytest.raises(UsageError, match="context"):
        ask(model="qwen3-8b", device="RTX 3090", prompt=1000, output=100, turns=4, context=2048)


def test_the_first_step_is_the_rate_that_the_row_tells_at_that_depth() -> None:
    for device in DEVICES:
        for model in MODELS:
            found = waited(model=model, device=device, prompt=600, output=2)
            row = ask(model=model, device=device, depth=600)
            assert row.decode is not None
            assert row.decode.tokens_per_s is not None
            step = found.parts[1]
            assert step.seconds == pytest.approx(1 / row.decode.tokens_per_s, rel=1e-9)
            assert row.decode.low is not None
            assert step.high == pytest.approx(1 / row.decode.low, rel=1e-9)


def test_reading_is_the_prefill_that_the_row_tells() -> None:
    row = ask(model="gpt-oss-20b", device="RTX 3090", depth=300, prompt=5000, output=1)
    assert row.wait is not None
    assert row.prefill is not None
    assert row.prefill.tokens_per_s is not None
    assert row.wait.ttft_seconds == pytest.approx(5000 / row.prefill.tokens_per_s, rel=1e-12)


questions = st.fixed_dictionaries(
    {
        "model": st.sampled_from(sorted(MODELS)),
        "device": st.sampled_from(DEVICES),
        "depth": st.integers(0, 4000),
        "prompt": st.integers(1, 6000),
        "output": st.integers(1, 60),
    }
)


@given(questions, st.integers(0, 40), st.booleans(), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_every_interval_holds_its_point_and_the_total_is_the_sum_of_the_parts(
    question: dict[str, object], thinking: int, cold: bool, turns: int
) -> None:
    found = waited(**question, thinking=thinking, cold=cold, turns=turns)
    assert total(found) == sum(part.seconds for part in found.parts)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= total(found) <= found.high
    for part in found.parts:
        assert 0 < part.low <= part.seconds <= part.high < math.inf
    assert (found.ttft_low or 0) <= (found.ttft_seconds or 0) <= (found.ttft_high or 0)


@given(questions, st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_more_output_is_never_faster(question: dict[str, object], more: int) -> None:
    output = question["output"]
    assert isinstance(output, int)
    longer = {**question, "output": output + more}
    assert total(waited(**longer)) > total(waited(**question))


@given(questions, st.data())
@settings(max_examples=40, deadline=None)
def test_cached_tokens_never_make_it_longer(
    question: dict[str, object], data: st.DataObject
) -> None:
    prompt = question["prompt"]
    assert isinstance(prompt, int)
    cached = data.draw(st.integers(0, prompt))
    assert total(waited(**question, cached=cached)) <= total(waited(**question)) * (1 + 1e-12)


@given(questions)
@settings(max_examples=15, deadline=None)
def test_a_question_alone_and_among_others_has_the_same_wait(question: dict[str, object]) -> None:
    case = Case(**question)  # type: ignore[arg-type]
    others = [msgspec.structs.replace(case, depth=0), case, msgspec.structs.replace(case, prompt=7)]
    assert ASKER.estimate(others).rows[1].wait == ASKER.estimate([case]).rows[0].wait


def test_steps_at_many_depths_are_each_the_rate_that_a_row_tells() -> None:
    depths = [0, 1, 127, 128, 129, 5000, 40_000]
    for device in [*DEVICES, "RTX 3070 + ddr4-3200 x2"]:
        for model in MODELS:
            places = {"gpu_layers": 12} if "+ ddr4" in device else {}
            case = Case(model=model, device=device, context=41_000, **places)  # type: ignore[arg-type]
            steps = PublicPace(ASKER.question(case)).steps(np.array(depths, dtype=np.int64))
            assert steps is not None
            rows = ASKER.estimate([msgspec.structs.replace(case, depth=d) for d in depths]).rows
            told = [row.decode.tokens_per_s if row.decode else None for row in rows]
            assert (1 / steps.seconds).tolist() == pytest.approx(told, rel=1e-13)
