"""Compute buffers where something else than a micro-batch of 512 decides: against the engine.

Each row is what llama-fit-params or llama-server of llama.cpp 0.5.0 printed for a header-only file
and loopback devices, in MiB. Buffers depend on the model's shapes and not on the type of its file.
"""

from __future__ import annotations

from functools import cache

import pytest

from tokenroof.model import Allocation, Model, build_model
from tokenroof.predict.memory.buffers import widths
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.memory import Need, needs
from tokenroof.predict.memory.placement import HOST, Override, Wish, place_model
from tokenroof.recipes import blueprint, find

MIB = 2**20


@cache
def model_of(name: str, kind: str = "Q4_K_M") -> Model:
    return build_model(blueprint(find(name)).header(kind))


def needed(
    name: str,
    wish: Wish,
    allocation: Allocation,
    types: tuple[str, str] = ("f16", "f16"),
    *,
    cards: int = 1,
    is_server: bool = False,
    kind: str = "Q4_K_M",
) -> tuple[Need, ...]:
    model = model_of(name, kind)
    rows = allocation.sequences if is_server else allocation.micro_batch
    setup = EngineSetup("llama-server", allocation, *types, output_rows=rows)
    return needs(place_model(model, wish, [1.0] * cards), setup, widths(model))


BEHIND = Wish(kv_on_host=True)
MIXED = ("q5_1", "f32")


@pytest.mark.parametrize(
    ("name", "allocation", "types", "wish", "printed"),
    [
        # Caches with the host: the card holds the keys and values of a layer, all cells of them.
        ("qwen2.5-14b", Allocation(262_144, 1000, batch=256), ("f16", "f16"), BEHIND, (1172,)),
        ("glm-5", Allocation(262_144, 64), ("f16", "f16"), BEHIND, (832,)),
        ("devstral-2-123b", Allocation(262_144), ("bf16", "bf16"), BEHIND, (1376,)),
        ("internlm2.5-20b", Allocation(5000, 1, batch=4096), ("bf16", "bf16"), BEHIND, (20,)),
        ("deepseek-v2.5", Allocation(100_000, 512, batch=256), ("f16", "f16"), BEHIND, (463,)),
        ("deepseek-v2.5", Allocation(100_000, 1, 2, batch=256), ("f16", "f16"), BEHIND, (222,)),
        ("glm-5.1", Allocation(100_000, 1, 2), ("bf16", "bf16"), BEHIND, (247,)),
        # States with the host are copied as well.
        ("nemotron-h-56b", Allocation(100_000, 1, batch=256), ("bf16",) * 2, BEHIND, (49, 220)),
        # Attention of a model with states goes there too, and not in pieces.
        ("lfm2-350m", Allocation(100_000, 2048, 5), ("bf16", "bf16"), BEHIND, (None, 2811)),
        # Values of 32 bits are turned into 16 for flash attention.
        ("llama-3-70b", Allocation(262_144, 1, 2, batch=4096), MIXED, Wish(), (512,)),
        ("olmo-2-32b", Allocation(262_144), MIXED, Wish(), (798,)),
        ("olmo-3-7b", Allocation(100_000, 1000), MIXED, BEHIND, (2966,)),
        ("aya-expanse-8b", Allocation(100_000, 64, 5, batch=256), MIXED, Wish(31), (204, 205)),
        ("glm-4.7-flash", Allocation(262_144, 1000, batch=256), ("f32", "f32"), Wish(), (707,)),
        # Layers that read another's cache have copies of their own, wherever that lies.
        ("gemma-3n-e4b", Allocation(5000, 64, 5), ("f32", "f32"), Wish(17), (194,)),
        ("gemma-3n-e4b", Allocation(5000, 64, 5), ("f16", "f16"), BEHIND, (138,)),
        ("gemma-4-e2b", Allocation(5000, 64, 5), ("f32", "f32"), Wish(17), (179,)),
        # Grok is run without flash attention: every head's scores of every cell.
        ("grok-2-270b", Allocation(16_384, 1000), MIXED, BEHIND, (4220,)),
    ],
)
def test_copies_of_a_layers_cache_are_counted(
    name: str,
    allocation: Allocation,
    types: tuple[str, str],
    wish: Wish,
    printed: tuple[int | None, ...],
) -> None:
    for need, buffers in zip(needed(name, wish, allocation, types), printed, strict=False):
        if buffers is None:
            continue
        assert need.buffers.low_bytes <= buffers * MIB <= need.buffers.high_bytes


@pytest.mark.parametrize(
    ("name", "split", "allocation", "types", "printed"),
    [
        # All layers on the first of two cards: micro-batches still go through both in turn.
        ("qwen3-vl-32b", (65.0, 0.0), Allocation(65_536), ("q4_0", "q4_0"), (522,)),
        ("mistral-7b-v0.3", None, Allocation(4096, batch=512), ("q8_0", "q8_0"), (None, 180)),
        ("codellama-13b", None, Allocation(4096), ("q8_0", "q8_0"), (None, 197, 197)),
        ("internlm2.5-20b", None, Allocation(16_384, 2048, 2), ("q4_0", "q4_0"), (None, 992)),
        ("mistral-nemo-12b", None, Allocation(16_384, 2048, batch=1024), None, (None, 512, 512)),
        ("magistral-small-24b", None, Allocation(16_384, 2048, 2), ("q8_0", "q8_0"), (944,)),
    ],
)
def test_several_cards_and_several_streams_hold_more_at_once(
    name: str,
    split: tuple[float, ...] | None,
    allocation: Allocation,
    types: tuple[str, str] | None,
    printed: tuple[int | None, ...],
) -> None:
    wish = Wish(tensor_split=split)
    cards = len(split or printed)
    found = needed(name, wish, allocation, types or ("f16", "f16"), cards=cards, is_server=True)
    for need, buffers in zip(found, printed, strict=False):
        if buffers is not None:
            assert buffers * MIB <= need.buffers.high_bytes


def test_the_host_holds_its_inputs_four_times_behind_several_cards() -> None:
    """Even where only one of them has layers (51 MiB, and 11 where there is but one card)."""
    allocation = Allocation(777, sequences=8)
    types = ("f16", "q4_0")
    name = "deepseek-r1-distill-qwen-32b"
    both = needed(name, Wish(tensor_split=(1.0, 0.0)), allocation, types, cards=2)
    assert both[-1].buffers.high_bytes >= 51 * MIB
    assert needed(name, Wish(), allocation, types)[-1].buffers.high_bytes < 51 * MIB


@pytest.mark.parametrize(
    ("name", "allocation", "printed"),
    [
        ("deepseek-v2-lite", Allocation(16_384, 2048, batch=4096), 352),
        ("yi-1.5-9b", Allocation(4096, 2048, 2), 354),
        ("llama-3.3-70b", Allocation(5000, 64, 8, batch=256), 27),
    ],
)
def test_logits_lie_where_the_output_projection_was_sent(
    name: str, allocation: Allocation, printed: int
) -> None:
    wish = Wish(overrides=(Override("output", HOST),))
    card = needed(name, wish, allocation)[0]
    assert card.buffers.low_bytes <= printed * MIB <= card.buffers.high_bytes


def test_a_tied_embedding_that_is_sent_away_by_its_name_lies_there_once() -> None:
    """Gemma 2 2B: the input and the output are one tensor of 386 MiB with the host."""
    wish = Wish(overrides=(Override("token_embd", HOST),))
    card, host = needed("gemma-2-2b", wish, Allocation(5000, 1000, 8), kind="IQ3_XXS")
    assert host.weights_bytes // MIB == 386
    assert card.buffers.low_bytes <= 142 * MIB
    # Where nobody sends it, both have it.
    left = needed("gemma-2-2b", Wish(), Allocation(5000, 1000, 8), kind="IQ3_XXS")
    assert left[0].weights_bytes - card.weights_bytes == host.weights_bytes
