"""The oracle's models, written as a converter and a quantiser would: the engine's answers again.

Recorded once with the embedded engine, see `support.oracle.variants`.
"""

from __future__ import annotations

from typing import Any

import pytest

from support.oracle.variants import digest, plain, recorded, settings, written
from tokenroof.errors import UsageError
from tokenroof.gguf import Header
from tokenroof.model import Model, build_model

RECORDED = recorded()
ANSWERED = [
    (base, variant)
    for base, variants in RECORDED.items()
    for variant, answer in variants.items()
    if "refused" not in answer
]
CACHE_TYPES_REFUSED = [
    (base, variant)
    for base, variants in RECORDED.items()
    for variant, answer in variants.items()
    if answer.get("refused") == "cache types"
]

CACHE_DIFFERS = {"qwen4exp-moe"}
"""llama.cpp 0.5.0 kept one indexer key a token here; build 11434 keeps two."""

TABLE_BY_DISTANCE = {"t5encoder-dense"}
"""Its relative positions are gathered by distance; they are counted whole."""


def model_of(base: str, variant: str) -> Model:
    derived = RECORDED[base][variant].get("derived", False)
    metadata, tensors = written(base, variant, derived=derived)
    return build_model(Header.build(plain(metadata), tensors))


def allocated(model: Model, variant: str) -> int | None:
    setup: dict[str, Any] = settings(variant)
    return model.kv_allocated(setup.pop("context"), **setup)


def test_most_of_what_was_asked_was_answered() -> None:
    assert len(RECORDED) > 150
    assert len(ANSWERED) > 550
    assert len(CACHE_TYPES_REFUSED) > 10


@pytest.mark.parametrize(("base", "variant"), ANSWERED)
def test_a_variant_reads_and_allocates_what_the_engine_did(base: str, variant: str) -> None:
    model, answer = model_of(base, variant), RECORDED[base][variant]
    once = {e.name: e.decode_bytes / max(e.passes, 1) for e in model.ledger if e.decode_bytes}
    assert sum(once.values()) == pytest.approx(answer["read_bytes"], rel=0.0005)
    if base not in TABLE_BY_DISTANCE:
        assert digest(once) == answer["reads"]
    if base not in CACHE_DIFFERS:
        assert allocated(model, variant) == answer["cache_bytes"]


@pytest.mark.parametrize(("base", "variant"), CACHE_TYPES_REFUSED)
def test_cache_types_that_the_engine_refuses_are_refused(base: str, variant: str) -> None:
    with pytest.raises(UsageError):
        allocated(model_of(base, variant), variant)
