"""Prompts hit their length and cannot come from a cache."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

import pytest

from tokenroof.errors import UsageError
from tokenroof.measure.prompts import PromptMaker, new_tag


def tags(seed: int) -> Callable[[], str]:
    draw = random.Random(seed)
    return lambda: f"{draw.getrandbits(128):032x}"


def bytes_of_digits(text: str) -> int:
    """Every digit a token, every other run of letters, space or marks one: dear numbers."""
    return 5 + len(re.findall(r"\d|\s*[A-Za-z]+|[^\w\s]|\n", text))


def threes_of_digits(text: str) -> int:
    """Digits in groups of three, words in pieces of at most four letters."""
    return 17 + len(re.findall(r"\d{1,3}|\s?[A-Za-z]{1,4}|[^\w\s]|\n+", text))


def letters(text: str) -> int:
    return len(text.encode())


COUNTERS = [bytes_of_digits, threes_of_digits, letters]


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("target", [512, 2048, 8192, 32768])
def test_a_prompt_hits_its_length_within_two_percent(
    counter: Callable[[str], int], target: int
) -> None:
    prompt = PromptMaker(counter, tags(1)).make(target, seed=1)
    assert prompt.tokens == counter(prompt.text)
    assert abs(counter(prompt.text) - target) <= 0.02 * target


@pytest.mark.parametrize("counter", COUNTERS)
def test_short_prompts_hit_their_length_within_two_percent_or_one_token(
    counter: Callable[[str], int],
) -> None:
    maker = PromptMaker(counter, tags(5))
    # From just above what tag and instruction take with this counter.
    for target in range(200, 400) if counter is letters else range(90, 290):
        tokens = maker.make(target, seed=target).tokens
        assert tokens is not None
        assert abs(tokens - target) <= max(0.02 * target, 1), target


def test_a_length_that_no_text_has_gets_the_nearest_one_that_there_is() -> None:
    def forties(text: str) -> int:
        return 4 * (len(text) // 40)  # multiples of four only

    maker = PromptMaker(forties, tags(1))
    assert maker.make(32, seed=1).tokens == 32
    assert abs((maker.make(34, seed=1).tokens or 0) - 34) == 2


def test_a_length_that_was_made_once_is_not_refused_because_of_a_dear_tag() -> None:
    surcharge = 0

    def counter(text: str) -> int:
        return len(text) // 5 + surcharge

    maker = PromptMaker(counter, tags(1))
    assert maker.make(40, seed=1).tokens == 40
    surcharge = 30
    late = maker.make(40, seed=2)
    assert "Entry" not in late.text  # the shortest there is
    assert late.tokens == counter(late.text) > 40 * 1.02
    with pytest.raises(UsageError):
        PromptMaker(counter, tags(1)).make(40, seed=2)


def test_a_prompt_costs_few_counts() -> None:
    asked: list[str] = []

    def counter(text: str) -> int:
        asked.append(text)
        return threes_of_digits(text)

    maker = PromptMaker(counter, tags(1))
    maker.make(8192, seed=1)
    assert len(asked) <= 4
    asked.clear()
    maker.make(8192, seed=2)
    assert len(asked) <= 2


def test_the_tag_differs_at_the_very_head_of_each_prompt() -> None:
    maker = PromptMaker(letters, tags(1))
    first, second = (maker.make(2000, seed=1).text for _ in range(2))
    same = SequenceMatcher(None, first[:60], second[:60], autojunk=False)
    assert same.find_longest_match(0, 60, 0, 60).size < 30
    common = next(n for n in range(60) if first[n] != second[n])
    assert common <= len("Copy ") + 4


def test_tags_are_new_each_time_and_32_hexadecimal_digits() -> None:
    made = {new_tag() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch(r"[0-9a-f]{32}", tag) for tag in made)


def lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("Entry "):
            yield line


def test_lines_differ_only_in_their_numbers_and_the_last_one_is_cut() -> None:
    entries = list(lines(PromptMaker(letters, tags(1)).make(3000, seed=1).text))
    shapes = {re.sub(r"\d", "0", line) for line in entries[:-1]}
    assert len(shapes) == 1
    assert len(set(entries)) == len(entries)
    assert shapes.pop().startswith(re.sub(r"\d", "0", entries[-1]))
    numbers = [int(line.split()[1].rstrip(".")) for line in entries[:-1]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_the_instruction_is_last_and_always_the_same() -> None:
    maker = PromptMaker(letters, tags(1))
    ends = {maker.make(length, seed=length).text[-100:] for length in (700, 1900)}
    assert len(ends) == 1
    assert "from 1 upwards" in ends.pop()


def test_the_numbers_follow_the_seed() -> None:
    def body(seed: int) -> list[str]:
        return list(lines(PromptMaker(letters, tags(7)).make(3000, seed=seed).text))

    assert body(1) == body(1)
    assert body(1) != body(2)


def test_a_length_below_tag_and_instruction_is_refused_with_the_least_that_goes() -> None:
    maker = PromptMaker(letters, tags(1))
    with pytest.raises(UsageError) as caught:
        maker.make(20, seed=1)
    assert caught.value.message == "measure.length_too_short"
    minimum = int(str(caught.value.values["minimum"]))
    assert maker.make(minimum, seed=1).tokens == minimum


@pytest.mark.parametrize("counter", [bytes_of_digits, threes_of_digits])
def test_where_only_runs_can_tell_two_of_them_teach_the_length(
    counter: Callable[[str], int],
) -> None:
    maker = PromptMaker(lambda _text: None, tags(1))
    for length in (256, 512):
        prompt = maker.make(length, seed=length)
        assert prompt.tokens is None
        maker.learn(prompt, counter(prompt.text))
    for target in (512, 2048, 8192):
        assert abs(counter(maker.make(target, seed=3).text) - target) <= 0.02 * target
