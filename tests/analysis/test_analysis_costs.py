"""Stated costs follow the formulas that they claim to."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tokenroof.analysis import CacheCost, StatedCosts
from tokenroof.analysis.costs import at_depth


def costs(*caches: CacheCost) -> StatedCosts:
    return StatedCosts(
        name="m",
        is_moe=False,
        decode_weight_bytes=1000,
        caches=caches,
        block_weights=50,
        head_weights=7,
        source="made up",
    )


def test_a_sliding_layer_reads_no_more_than_its_window() -> None:
    both = costs(CacheCost(bytes_per_token=10), CacheCost(bytes_per_token=3, window=128))
    assert both.read_bytes(100) == 1000 + 1000 + 300
    assert both.read_bytes(1000) == 1000 + 10000 + 384


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 50) | st.none())
def test_prefill_counts_each_token_its_weights_and_every_position_it_sees(
    tokens: int, depth: int, window: int | None
) -> None:
    # Token by token: 50 weights, and 2 operations for each position seen, itself included; the
    # head of 7 weights once.
    seen = [position + 1 for position in range(depth, depth + tokens)]
    capped = [each if window is None else min(each, window) for each in seen]
    expected = 2 * 50 * tokens + 2 * 7 + 2 * sum(capped)
    cache = CacheCost(bytes_per_token=1, flop_per_token=2, window=window)
    assert costs(cache).prefill_flop(tokens, depth) == expected


def test_the_next_token_costs_what_a_prompt_of_one_does() -> None:
    cache = CacheCost(bytes_per_token=1, flop_per_token=2)
    assert costs(cache).decode_flop(9) == 2 * 50 + 2 * 7 + 2 * 10


def test_a_cache_of_another_type_is_not_known() -> None:
    assert costs(CacheCost(bytes_per_token=10)).read_bytes(5, "q8_0", "f16") is None


def test_halfway_between_two_depths_a_cost_is_the_mean_of_both() -> None:
    assert at_depth(lambda depth: 10.0 + depth * 4, 7.25) == 39.0
    assert at_depth(lambda depth: float(min(depth, 8)), 7.5) == 7.5
    assert at_depth(lambda depth: None, 7.5) is None


def test_no_operations_are_claimed_where_the_weights_are_not_known() -> None:
    bare = StatedCosts(name="m", is_moe=True, decode_weight_bytes=1, caches=(), source="made up")
    assert bare.prefill_flop(10, 0) is None


@pytest.mark.parametrize("depth", [0, 1, 4096])
def test_reads_grow_by_the_cache_alone(depth: int) -> None:
    cache = CacheCost(bytes_per_token=147456)
    assert (costs(cache).read_bytes(depth) or 0) - 1000 == 147456 * depth
