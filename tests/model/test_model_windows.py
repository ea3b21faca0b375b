"""Which layers slide: by array, by period, by llama.cpp's defaults and their conditions."""

from __future__ import annotations

from typing import Any

import pytest

from support.model_headers import dense
from tokenroof.model import Allocation, Model, build_model


def model_of(architecture: str, layers: int = 8, **keys: Any) -> Model:
    return build_model(
        dense(architecture, layers=layers, width=64, heads=2, kv_heads=2, length=32, **keys)
    )


def sliding(model: Model) -> dict[int, int]:
    """Layers that slide, and over how many tokens."""
    return {c.layer: c.window for c in model.caches or () if c.window is not None}


def periodic(period: int, layers: int = 8, *, dense_first: bool = False) -> set[int]:
    full = 0 if dense_first else period - 1
    return {layer for layer in range(layers) if layer % period != full}


@pytest.mark.parametrize(
    ("architecture", "period", "dense_first"),
    [
        ("afmoe", 4, False), ("cohere2", 4, False), ("cohere2moe", 4, True),
        ("exaone-moe", 4, False), ("gemma2", 2, False), ("gemma3", 6, False),
        ("gpt-oss", 2, False), ("laguna", 4, True), ("mellum", 4, False),
        ("muse-glimmer", 4, False), ("olmo2", 4, False), ("plamo3", 8, False),
    ],
)  # fmt: skip
def test_a_silent_file_gets_the_architectures_period(
    architecture: str, period: int, dense_first: bool
) -> None:
    found = sliding(model_of(architecture, attention__sliding_window=100))
    assert found == dict.fromkeys(periodic(period, dense_first=dense_first), 100)


@pytest.mark.parametrize(
    ("architecture", "window"), [("gemma2", 4096), ("exaone-moe", 128), ("llama4", 8192)]
)
def test_some_windows_have_a_default_width_too(architecture: str, window: int) -> None:
    assert set(sliding(model_of(architecture)).values()) == {window}


@pytest.mark.parametrize("architecture", ["gemma3", "olmo2", "afmoe", "mellum", "plamo3", "laguna"])
def test_others_slide_only_if_the_file_names_a_window(architecture: str) -> None:
    assert sliding(model_of(architecture)) == {}
    assert sliding(model_of(architecture, attention__sliding_window=0)) == {}


def test_llama4_is_chunked_by_8192_whatever_the_key_says_unless_it_says_0() -> None:
    assert sliding(model_of("llama4", attention__sliding_window=100)) == dict.fromkeys(
        periodic(4), 8192
    )
    assert sliding(model_of("llama4", attention__sliding_window=0)) == {}


def test_smallthinker_always_slides_over_4096_if_it_slides() -> None:
    assert sliding(model_of("smallthinker")) == {}
    found = sliding(model_of("smallthinker", attention__sliding_window=100))
    assert found == dict.fromkeys(periodic(4, dense_first=True), 4096)


def test_exaone4_slides_only_in_its_model_of_64_layers() -> None:
    assert sliding(model_of("exaone4", layers=30, attention__sliding_window=4096)) == {}
    assert sliding(model_of("exaone4", layers=64)) == dict.fromkeys(periodic(4, 64), 4096)


def test_lfm2_slides_in_every_layer_that_attends() -> None:
    assert len(sliding(model_of("lfm2", attention__sliding_window=100))) == 8
    assert sliding(model_of("lfm2")) == {}


@pytest.mark.parametrize("architecture", ["llama", "phi3", "mistral3", "qwen2", "lfm2moe"])
def test_a_window_that_llama_cpp_does_not_use_is_ignored(architecture: str) -> None:
    model = model_of(
        architecture, attention__sliding_window=100, attention__sliding_window_pattern=2
    )
    assert sliding(model) == {}
    assert "window_assumed" not in {notice.id for notice in model.warnings}


@pytest.mark.parametrize("architecture", ["gemma3", "gemma4", "gpt-oss", "step35", "brand-new"])
def test_an_array_overrides_every_default(architecture: str) -> None:
    pattern = [True, False, False, True, True, False, False, False]
    model = model_of(
        architecture, attention__sliding_window=100, attention__sliding_window_pattern=pattern
    )
    assert sliding(model) == {0: 100, 3: 100, 4: 100}


def test_a_period_in_the_file_overrides_the_architectures() -> None:
    model = model_of("gemma3", attention__sliding_window=100, attention__sliding_window_pattern=2)
    assert set(sliding(model)) == periodic(2)
    every = model_of("gemma3", attention__sliding_window=100, attention__sliding_window_pattern=0)
    assert len(sliding(every)) == 8
    none = model_of("gemma3", attention__sliding_window=100, attention__sliding_window_pattern=1)
    assert sliding(none) == {}


def test_sliding_layers_may_have_lengths_and_heads_of_their_own() -> None:
    model = model_of(
        "gemma4", layers=2, attention__sliding_window=100,
        attention__sliding_window_pattern=[1, 0], attention__key_length_swa=16,
        attention__value_length_swa=16, attention__head_count_kv=[2, 1],
    )  # fmt: skip
    sizes = {c.layer: (c.key_elements, c.value_elements) for c in model.caches or ()}
    assert sizes == {0: (32, 32), 1: (32, 32)}
    # Read at 1,000 tokens: layer 0 its 100, layer 1 all; 64 numbers of 2 bytes each.
    assert model.kv_read(1000) == (100 + 1000) * 64 * 2


def test_an_unknown_architecture_with_a_window_is_given_for_none_and_bounded_by_all() -> None:
    model = model_of("brand-new", layers=4, attention__sliding_window=100)
    row = 2 * 2 * 32 * 2
    assert model.kv_read(1000) == 4 * 1000 * row
    # Nobody knows that it keeps anything at all; at most every layer keeps every token.
    assert model.kv_read_bounds(1000) == (0, 4 * 1000 * row)
    assert {"architecture_unknown", "window_assumed"} <= {n.id for n in model.warnings}


def test_an_unknown_architecture_is_taken_at_its_word_and_bounded_by_the_whole_context() -> None:
    model = model_of("brand-new", layers=4, attention__sliding_window=100,
                     attention__sliding_window_pattern=[1, 0, 1, 0])  # fmt: skip
    row = 2 * 2 * 32 * 2
    assert model.kv_read(1000) == (2 * 100 + 2 * 1000) * row
    assert model.kv_read_bounds(1000) == (0, 4 * 1000 * row)
    assert model.kv_bytes_per_token() == 2 * row
    assert model.kv_bytes_per_token_bounds() == (0, 4 * row)
    assert model.kv_allocated_bounds(Allocation(2048)) == (0, 4 * 2048 * row)
