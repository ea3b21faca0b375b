"""llama.cpp's own tools as judges of what lies where, today: on a real model and by chance."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from support.engine_plans import DEVICE, Plan, Rows, card, planned, planned_by_server
from support.planned_needs import MIB, computed, exact
from support.quantizer import write_header
from support.small_model import small_model
from tokenroof.gguf import read_header
from tokenroof.model import Allocation, Model, build_model
from tokenroof.predict.memory.buffers import widths
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.memory import needs
from tokenroof.predict.memory.placement import HOST, Override, Wish, place_model
from tokenroof.recipes import blueprint, entries, find

pytestmark = pytest.mark.engine


def check(model: Model, plan: Plan, rows: Rows) -> None:
    found = computed(plan, model, widths(model))
    for need, place in zip(found, [DEVICE, "Host"] if plan.has_card else ["Host"], strict=True):
        assert exact(need) == rows[place][:2], (model.name, plan.arguments, place)
        low, high = need.buffers.low_bytes // MIB, need.buffers.high_bytes / MIB
        assert low <= rows[place][2] <= high, (model.name, plan.arguments, place)


@pytest.mark.parametrize("context", ["300", "8192", "32768"])
@pytest.mark.parametrize("layers", [None, "0", "7", "19"])
def test_the_small_model_takes_what_the_tool_says(context: str, layers: str | None) -> None:
    model = build_model(read_header(small_model()))
    arguments = ("-c", context, *(() if layers is None else ("-ngl", layers)))
    with card() as address:
        rows = planned(small_model(), arguments, address)
    check(model, Plan("gemma", arguments, True, False, rows), rows)


@pytest.mark.parametrize("slots", [None, "1", "3"])
def test_the_small_model_takes_what_the_server_says(slots: str | None) -> None:
    model = build_model(read_header(small_model()))
    arguments = ("-c", "8192", *(() if slots is None else ("-np", slots)))
    rows = planned_by_server(small_model(), arguments)
    check(model, Plan("gemma", arguments, False, True, rows), rows)


@pytest.mark.parametrize("seed", range(6))
def test_models_by_chance_take_what_the_tool_says(seed: int, tmp_path: Path) -> None:
    """Any of the catalogue, in any of some types, at any context, with any number of layers."""
    chance = random.Random(seed)
    for entry in chance.sample(entries(), 3):
        header = blueprint(entry).header(chance.choice(["Q4_K_M", "Q8_0", "IQ3_XXS", "F16"]))
        model = build_model(header)
        if not model.writes_tokens:
            continue
        path = write_header(header, tmp_path / "model.gguf")
        arguments = ["-c", str(chance.choice([512, 4096, 20_000]))]
        arguments += ["-ub", str(chance.choice([64, 512]))]
        arguments += ["-ngl", str(chance.randrange(model.blocks + 2))]
        with card() as address:
            rows = planned(path, arguments, address)
        check(model, Plan(entry.id, tuple(arguments), True, False, rows), rows)


@pytest.mark.parametrize(
    ("arguments", "wish"),
    [
        ((), Wish()),
        (("-ts", "3,1"), Wish(tensor_split=(3.0, 1.0))),
        (("-ngl", "15", "-ts", "9,6"), Wish(gpu_layers=15, tensor_split=(9.0, 6.0))),
        (("-ncmoe", "5"), Wish(cpu_moe=5)),
        (("-nkvo",), Wish(kv_on_host=True)),
        (
            ("-ot", r"blk\.(2|30)\.ffn_up.*=CPU"),
            Wish(overrides=(Override(r"blk\.(2|30)\.ffn_up.*", HOST),)),
        ),
    ],
)
@pytest.mark.parametrize("name", ["qwen3-8b", "gpt-oss-20b", "gemma-3-12b"])
def test_two_cards_hold_what_the_tool_says(
    name: str, arguments: tuple[str, ...], wish: Wish, tmp_path: Path
) -> None:
    header = blueprint(find(name)).header("Q4_K_M")
    model = build_model(header)
    path = write_header(header, tmp_path / "model.gguf")
    with card() as first, card() as second:
        rows = planned(path, ("-c", "8192", *arguments), f"{first},{second}")
    placement = place_model(model, wish, [1.0, 1.0])
    setup = EngineSetup("llama-bench", Allocation(8192), output_rows=512)
    for need, place in zip(needs(placement, setup, widths(model)), rows, strict=True):
        assert exact(need) == rows[place][:2], place
        low, high = need.buffers.low_bytes // MIB, need.buffers.high_bytes / MIB
        assert low <= rows[place][2] <= high, place


@pytest.mark.parametrize("seed", range(4))
def test_odd_settings_by_chance_take_what_the_tool_says(seed: int, tmp_path: Path) -> None:
    """Few tokens at a time, many sequences, wide caches, caches with the host, several cards."""
    chance = random.Random(seed)
    for entry in chance.sample(entries(), 4):
        header = blueprint(entry).header(chance.choice(["Q4_K_M", "IQ3_XXS", "Q8_0"]))
        model = build_model(header)
        if not model.writes_tokens:
            continue
        context, ubatch = chance.choice([777, 5000, 100_000]), chance.choice([1, 64, 512, 2048])
        batch, sequences = chance.choice([256, 2048]), chance.choice([1, 2, 5])
        kind = chance.choice(["f16", "f32", "bf16"])
        wish, told, cards = chance.choice(
            [
                (Wish(), (), 1),
                (Wish(kv_on_host=True), ("-nkvo",), 1),
                (Wish(gpu_layers=model.blocks // 2), ("-ngl", str(model.blocks // 2)), 1),
                (Wish(tensor_split=(1.0, 0.0)), ("-ts", "1,0"), 2),
                (Wish(tensor_split=(3.0, 1.0)), ("-ts", "3,1"), 2),
                (Wish(overrides=(Override("token_embd", HOST),)), ("-ot", "token_embd=CPU"), 1),
            ]
        )
        asked = f"-c {context} -ub {ubatch} -b {batch} -np {sequences} -ctk {kind} -ctv {kind}"
        arguments = [*asked.split(), *told]
        path = write_header(header, tmp_path / "model.gguf")
        with contextlib.ExitStack() as open_cards:
            addresses = [open_cards.enter_context(card()) for _ in range(cards)]
            rows = planned(path, arguments, ",".join(addresses))
        allocation = Allocation(context, ubatch, sequences, batch=batch)
        setup = EngineSetup("llama-bench", allocation, kind, kind, None, allocation.micro_batch)
        placement = place_model(model, wish, [1.0] * cards)
        for need, place in zip(needs(placement, setup, widths(model)), rows, strict=True):
            case = (entry.id, arguments, place)
            assert exact(need) == rows[place][:2], case
            low, high = need.buffers.low_bytes // MIB, need.buffers.high_bytes / MIB
            assert low <= rows[place][2] <= high, case
