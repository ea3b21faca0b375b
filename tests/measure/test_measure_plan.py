"""A plan says all that a run needs, and refuses what cannot be."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tokenroof.errors import UsageError
from tokenroof.measure.plan import Plan, Unit, fitting_lengths, make_plan, needed_context
from tokenroof.records import Settings


def test_the_defaults_are_the_protocol() -> None:
    plan = make_plan("m.gguf", "fake")
    assert plan.lengths == (512, 2048, 4096, 8192)
    assert (plan.output_tokens, plan.rounds, plan.precision) == (128, 3, 0.02)
    assert (plan.wait_quiet_seconds, plan.strict) == (60.0, False)


def test_one_context_for_all_lengths_holds_the_longest_and_is_padded() -> None:
    # 8192 + 2 % (164) + 128 + 64 = 8548, and 34 x 256 = 8704 is the next multiple.
    assert make_plan("m.gguf", "fake").settings.context == 8704
    # 512 + 10 + 128 + 64 = 714 -> 768
    assert needed_context([100, 512], 128) == 768
    # 700 + 14 + 16 + 64 = 794 -> 1024: without room for a template, 730 would fit into 768.
    assert needed_context([700], 16) == 1024


def test_every_unit_says_all_about_itself() -> None:
    plan = make_plan("m.gguf", "fake", lengths=[700, 300], settings=Settings(threads=2), seed=5)
    units = plan.units()
    assert len(units) == 6
    for unit in units:
        assert unit.settings == Settings(threads=2, context=1024)
        assert (unit.model, unit.engine, unit.output_tokens, unit.seed) == (
            "m.gguf",
            "fake",
            128,
            5,
        )


def test_plans_and_units_survive_being_written_down() -> None:
    plan = make_plan("m.gguf", "fake")
    assert msgspec.convert(plan.to_dict(), Plan) == plan
    unit = plan.units()[0]
    assert msgspec.json.decode(msgspec.json.encode(unit), type=Unit) == unit


def test_lengths_are_interleaved_and_each_takes_every_place_in_turn() -> None:
    plan = make_plan("m.gguf", "fake", rounds=4)
    orders = [plan.order(round_) for round_ in range(1, 5)]
    assert all(sorted(order) == list(plan.lengths) for order in orders)
    for place in range(4):
        assert {order[place] for order in orders} == set(plan.lengths)


def test_the_order_follows_the_seed() -> None:
    orders = {make_plan("m.gguf", "fake", seed=seed).order(1) for seed in range(20)}
    assert len(orders) > 5
    assert make_plan("m.gguf", "fake", seed=3).order(2) == make_plan("m", "e", seed=3).order(2)


def test_lengths_that_do_not_fit_the_model_are_refused_with_the_numbers() -> None:
    with pytest.raises(UsageError) as caught:
        make_plan("m.gguf", "fake", lengths=[8192], context_limit=8192)
    assert caught.value.exit_code == 2
    for number in ("8,192", "128", "8,704"):
        assert number in str(caught.value)


def test_a_context_that_was_asked_for_and_is_too_small_is_refused() -> None:
    with pytest.raises(UsageError, match="1,024"):
        make_plan("m.gguf", "fake", lengths=[2048], settings=Settings(context=1024))


def test_a_larger_context_that_was_asked_for_is_kept() -> None:
    plan = make_plan("m.gguf", "fake", lengths=[512], settings=Settings(context=4096))
    assert plan.settings.context == 4096


def test_default_lengths_shrink_to_what_the_model_can_take() -> None:
    assert fitting_lengths(None) == (512, 2048, 4096, 8192)
    assert make_plan("m.gguf", "fake", context_limit=4096).lengths == (512, 2048)
    with pytest.raises(UsageError):
        make_plan("m.gguf", "fake", context_limit=512)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"lengths": []}, "measure.bad_lengths"),
        ({"lengths": [0, 512]}, "measure.bad_lengths"),
        ({"output_tokens": 1}, "measure.bad_output"),
        ({"rounds": 2}, "measure.bad_rounds"),
        ({"max_rounds": 2}, "measure.bad_rounds"),
        ({"precision": 0.0}, "measure.bad_precision"),
        ({"precision": float("nan")}, "measure.bad_precision"),
        ({"budget_seconds": 0.0}, "measure.bad_budget"),
        ({"budget_seconds": float("nan")}, "measure.bad_budget"),
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_plan("m.gguf", "fake", **wrong)
    assert caught.value.message == message
    assert str(caught.value)
