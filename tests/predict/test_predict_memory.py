"""What lies where, against llama.cpp's own plans of 60 architectures, shapes and placements."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.engine_plans import DEVICE, TYPE, Plan, recorded
from support.planned_needs import MIB, computed, exact
from support.small_model import small_model
from tokenroof.gguf import read_header
from tokenroof.model import Model, build_model
from tokenroof.predict.memory.buffers import Widths, widths
from tokenroof.predict.memory.placement import Wish, place_model
from tokenroof.recipes import blueprint, find

CHOICES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "fit_choices.json").read_text(encoding="utf-8")
)
PLANS = recorded()


@cache
def model_of(name: str, kind: str = TYPE) -> Model:
    return build_model(blueprint(find(name)).header(kind))


@cache
def widths_of(name: str, kind: str = TYPE) -> Widths:
    return widths(model_of(name, kind))


@pytest.mark.parametrize("name", sorted({plan.model for plan in PLANS}))
def test_weights_and_caches_are_the_engines_to_the_mebibyte(name: str) -> None:
    for plan in (each for each in PLANS if each.model == name):
        found = [exact(need) for need in computed(plan, model_of(name), widths_of(name))]
        places = [DEVICE, "Host"] if plan.has_card else ["Host"]
        assert found == [plan.rows[place][:2] for place in places], plan.arguments


@pytest.mark.parametrize("name", sorted({plan.model for plan in PLANS}))
def test_the_engines_buffers_lie_in_the_range(name: str) -> None:
    for plan in (each for each in PLANS if each.model == name):
        found = computed(plan, model_of(name), widths_of(name))
        places = [DEVICE, "Host"] if plan.has_card else ["Host"]
        for need, place in zip(found, places, strict=True):
            buffers = plan.rows[place][2]
            assert need.buffers.low_bytes // MIB <= buffers, (plan.arguments, place)
            assert buffers * MIB <= need.buffers.high_bytes, (plan.arguments, place)


def test_the_range_of_buffers_says_something() -> None:
    """Of a device that computes, the most is near what the engine takes in most cases."""
    ratios = []
    for plan in PLANS:
        if not plan.is_server:
            continue
        need = computed(plan, model_of(plan.model), widths_of(plan.model))[0]
        taken = plan.rows[DEVICE if plan.has_card else "Host"][2] * MIB
        ratios.append(need.buffers.high_bytes / taken)
    ratios.sort()
    assert ratios[len(ratios) // 2] < 1.25
    assert ratios[len(ratios) * 9 // 10] < 3


@pytest.mark.parametrize(
    "row", CHOICES["plans"], ids=lambda row: f"{row['model']} {row['arguments']}"
)
def test_real_shapes_take_what_the_tool_says(row: dict[str, Any]) -> None:
    name, _, kind = row["model"].partition("@")
    arguments = row["arguments"].split()
    plan = Plan(name, tuple(arguments), row["card"], is_server=False, rows={})
    type_k = arguments[arguments.index("-ctk") + 1] if "-ctk" in arguments else "f16"
    found = computed(plan, model_of(name, kind), widths_of(name, kind), type_k)
    for need, (place, printed) in zip(found, row["rows"].items(), strict=True):
        weights, cache = exact(need)
        assert cache == printed[1], place
        # The tool leaves out of the host's row what it repacks; some of these ran without that.
        if place != "Host" or "--no-repack" in arguments:
            # The recorded headers had other embeddings than the recipe, of the same model.
            assert weights == pytest.approx(printed[0], rel=0.05)


@pytest.mark.parametrize("row", CHOICES["gemma-3-270m on a card"], ids=lambda row: row["arguments"])
def test_a_tied_embedding_is_held_twice_on_a_card_and_a_host(row: dict[str, Any]) -> None:
    arguments = row["arguments"].split()
    plan = Plan("gemma", tuple(arguments), has_card=True, is_server=False, rows={})
    model = build_model(read_header(small_model()))
    type_k = arguments[arguments.index("-ctk") + 1] if "-ctk" in arguments else "f16"
    found = computed(plan, model, widths(model), type_k)
    assert exact(found[0]) == tuple(row["rows"][DEVICE][:2])
    assert exact(found[1])[1] == row["rows"]["Host"][1]
    # 235 MiB in all, of which the embedding, 170 MiB, lies on the card as the output projection
    # and with the host as the input.
    if row["arguments"] == "-c 4096":
        assert [exact(need)[0] for need in found] == [235, 170]


def test_the_logits_of_a_server_are_one_row_a_slot() -> None:
    """The tool plans for a whole micro-batch: 512 rows of 262,144 logits are 512 MiB."""
    name = "gemma-3-270m"
    plan = Plan(name, ("-c", "8192"), has_card=True, is_server=False, rows={})
    whole = computed(plan, model_of(name), widths_of(name))[0].buffers
    served = Plan(name, ("-c", "8192"), has_card=True, is_server=True, rows={})
    slots = computed(served, model_of(name), widths_of(name))[0].buffers
    assert whole.low_bytes == 512 * 262_144 * 4
    assert slots.low_bytes == 4 * 262_144 * 4
    assert slots.high_bytes < 64 * MIB < whole.high_bytes


def test_default_slots_multiply_windows() -> None:
    """Gemma 3 12B: with 4 slots its windows take 1,440 MiB, with one 480."""
    model = model_of("gemma-3-12b")
    wide = widths(model)
    one = Plan("m", ("-c", "32768", "-np", "1"), has_card=False, is_server=True, rows={})
    four = Plan("m", ("-c", "32768"), has_card=False, is_server=True, rows={})
    # 8 full layers: 65,536 B a token. 40 layers with a window of 1,024: 8 heads x 256 x 2 x 2 B
    # = 8,192 B a cell, of which there are 1,024 + 512 for one slot and 4 x 1,024 + 512 for four.
    full = 65_536 * 32_768
    assert computed(one, model, wide)[0].cache_bytes == full + 40 * 8192 * 1536
    assert computed(four, model, wide)[0].cache_bytes == full + 40 * 8192 * 4608
    assert 480 * MIB == 40 * 8192 * 1536
    assert 1440 * MIB == 40 * 8192 * 4608


def test_a_table_that_is_read_by_rows_takes_no_memory() -> None:
    """Only above 4 GiB: Gemma 4's embeddings of all layers are larger in F16 than in Q4_K_M."""
    small = model_of("gemma-4-e2b")
    large = model_of("gemma-4-e2b", "F16")
    table = "per_layer_token_embd.weight"

    def held(model: Model) -> bool:
        placement = place_model(model, Wish(), [24e9])
        return any(piece.entry.name == table for piece in placement.host.pieces)

    sizes = [next(t.bytes for t in m.header.tensors if t.name == table) for m in (small, large)]
    assert sizes[0] < 4 * 2**30 < sizes[1]
    assert (held(small), held(large)) == (True, False)


def test_without_flash_attention_values_are_as_wide_as_in_the_widest_layer() -> None:
    plan = next(p for p in PLANS if p.model == "gemma-4-26b-a4b" and "-fa" in p.arguments)
    usual = next(p for p in PLANS if p.model == plan.model and p.arguments == ("-c", "4096"))
    assert plan.rows["Host"][1] > usual.rows["Host"][1]
    model, wide = model_of(plan.model), widths_of(plan.model)
    assert exact(computed(plan, model, wide)[0])[1] == plan.rows["Host"][1]
