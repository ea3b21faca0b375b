"""What a prefill's time and count can be, and what they cannot."""

from __future__ import annotations

import pytest

from tokenroof.engines.arrivals import Arrivals, Teller
from tokenroof.engines.base import Step
from tokenroof.engines.prefills import Prefills

STEP = 0.020
"""Seconds of a decode step."""


def text(tokens: int, tag: str) -> str:
    """A text of two characters a token that begins with a tag."""
    return tag.ljust(80, ".").ljust(2 * tokens, "x")


def known(*readings: tuple[int, float]) -> Prefills:
    prefills = Prefills()
    for number, (tokens, seconds) in enumerate(readings):
        prefills.learn(text(tokens, f"known {number}"), tokens, seconds)
    return prefills


@pytest.mark.parametrize(
    ("tokens", "seconds", "plausible"),
    [
        # Half a step is the least that reading all weights once can take; clocks differ.
        (4096, 0.0099, False),
        (64, 0.0099, False),
        (63, 0.0001, True),
        # 999 and 1001 tokens in the time of one step.
        (999, 0.020, True),
        (1001, 0.020, False),
        # An H100 reads 8 B parameters at some 20,000 and writes at 150 tok/s: 133 to 1.
        (512, 512 / 20_000, True),
    ],
)
def test_reading_takes_a_step_at_least_and_is_never_a_thousand_times_as_fast(
    tokens: int, seconds: float, plausible: bool
) -> None:
    assert Prefills().is_plausible(text(tokens, "a"), tokens, seconds, STEP) is plausible


def test_without_a_step_only_history_tells() -> None:
    assert Prefills().is_plausible(text(4096, "a"), 4096, 1e-6, None)


def test_a_longer_text_is_not_read_in_a_third_of_the_time_of_shorter_ones() -> None:
    prefills = known((1000, 1.0), (1000, 1.1), (2000, 2.0))
    assert prefills.is_plausible(text(1500, "a"), 1500, 0.34, STEP)
    assert not prefills.is_plausible(text(1500, "a"), 1500, 0.33, STEP)
    # A shorter text than any before may be read in less.
    assert prefills.is_plausible(text(500, "a"), 500, 0.1, STEP)


def test_one_slow_run_after_a_load_is_no_history() -> None:
    assert known((256, 3.0)).is_plausible(text(512, "a"), 512, 0.3, STEP)
    assert known((256, 3.0), (512, 0.3)).is_plausible(text(512, "b"), 512, 0.3, STEP)


def test_the_same_text_is_held_against_its_own_first_time() -> None:
    prefills = Prefills()
    prefills.learn(text(500, "same"), 500, 0.9)
    assert not prefills.is_plausible(text(500, "same"), 500, 0.29, STEP)
    assert prefills.is_plausible(text(500, "other"), 500, 0.29, STEP)


@pytest.mark.parametrize(
    ("tokens", "cut"), [(2049, True), (2400, True), (3300, False), (4000, False)]
)
def test_fewer_tokens_than_the_text_must_have_are_a_cut(tokens: int, cut: bool) -> None:
    # By the two lengths before, two characters are a token: 4000 are expected, 3200 a limit.
    assert known((500, 1.0), (1000, 2.0)).is_cut(text(4000, "a"), tokens, 16384) is cut


def test_a_context_that_is_full_was_too_small() -> None:
    assert Prefills().is_cut("x" * 100, 511, 512)
    assert not Prefills().is_cut("x" * 100, 510, 512)
    assert not Prefills().is_cut("x" * 100, 511, None)


def test_what_a_cut_leaves_is_a_sign_by_itself() -> None:
    # After one length only, 500 tokens of 1000 characters with 64 of them the template's: a text
    # of 8000 characters has about 3488.
    one = known((500, 1.0))
    assert one.is_cut(text(4000, "a"), 2050, 4096)
    assert not one.is_cut(text(4000, "a"), 2055, 4096)
    # Half a context of text that has so many tokens is no cut.
    assert not one.is_cut(text(2050, "a"), 2050, 4096)


def test_a_usual_template_is_no_reason_to_take_half_a_context_for_a_cut() -> None:
    # 100 tokens of text and 60 of a template; then 1990 of text and the same 60.
    prefills = Prefills()
    prefills.learn(text(100, "t"), 160, 1.0)
    assert not prefills.is_cut(text(1990, "a"), 2050, 4096)


def test_a_system_prompt_is_no_reason_to_expect_more_of_a_text() -> None:
    prefills = Prefills()
    for tokens in (100, 200):
        prefills.learn(text(tokens, "s"), tokens + 1000, 1.0)
    assert not prefills.is_cut(text(3000, "a"), 4000, 16384)
    assert prefills.is_cut(text(3000, "a"), 2000, 16384)


def came(*at: float) -> Arrivals:
    arrivals = Arrivals(sent_at=0.0)
    for each in at:
        assert arrivals.add(each, {"content": "x"})
    return arrivals


def test_tokens_that_come_together_are_of_one_step() -> None:
    # Three at a time, every 30 ms: 27 tokens, of which the first came alone.
    bursts = [0.0] + [0.03 * step + 1e-5 * k for step in range(1, 10) for k in range(3)]
    assert came(*bursts).tokens_per_step == pytest.approx(3)
    assert came(*(0.01 * n for n in range(20))).tokens_per_step == pytest.approx(1)


def test_pieces_that_were_held_up_are_of_the_steps_that_they_took() -> None:
    # A token each 10 ms, 21 of them. From the fifth on nothing is read for 85 ms, as on a machine
    # with too much to do: 0.05 to 0.12 come at 0.125, and the next one is early after them.
    due = [0.01 * n for n in range(21)]
    assert came(*(0.125 if 0.045 < at < 0.125 else at for at in due)).tokens_per_step == 1
    # The same held up twice, by 31 and by 42 ms.
    held = [0.051 if 0.015 < at < 0.051 else 0.142 if 0.095 < at < 0.142 else at for at in due]
    assert came(*held).tokens_per_step == pytest.approx(1, abs=0.1)


def test_drafts_that_hit_now_and_then_are_told_from_pieces_that_were_held_up() -> None:
    # Checking a draft takes 12 ms whatever becomes of it, and every third brings four tokens:
    # 1, 1, 4, 1, 1, 4, ... tokens a step are 2 on average.
    at, moments = 0.0, [0.0]
    for step in range(30):
        at += 0.012
        moments += [at] * (4 if step % 3 == 2 else 1)
    assert came(*moments).tokens_per_step == pytest.approx(2)


def test_few_or_hasty_pieces_say_nothing_of_steps() -> None:
    assert came(*(0.01 * n for n in range(8))).tokens_per_step is None
    assert came(*(0.001 * n for n in range(50))).tokens_per_step is None


def test_pieces_without_text_are_none() -> None:
    arrivals = came(1.0, 2.5)
    assert not arrivals.add(3.0, {"content": "", "thinking": None, "other": 3})
    assert (arrivals.ttft_seconds, arrivals.span_seconds) == (1.0, 1.5)
    assert arrivals.characters == {"content": 2}


def test_progress_is_told_a_few_times_a_second_and_never_beyond_the_whole() -> None:
    told: list[Step] = []
    teller = Teller(told.append, total=5)
    for number in range(1, 11):
        teller.decode(number, at=number * 0.04)
    # At 0.04 s, and then whenever 0.1 s have passed: 0.16, 0.28, 0.40.
    assert [step.done for step in told] == [1, 4, 5, 5]
