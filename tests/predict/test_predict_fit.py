"""The fastest placement that fits, against llama.cpp's own choices for 6 models on 6 cards."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.engine_plans import DEVICE, card, planned_by_server
from support.quantizer import write_header
from tokenroof.model import Allocation, Model, build_model
from tokenroof.predict.memory.engine_fit import engines_own
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.fit import Fitted, Search, fastest
from tokenroof.predict.memory.flags import flags, options
from tokenroof.predict.memory.parts import Processor
from tokenroof.predict.memory.placement import HOST, Override, Wish
from tokenroof.recipes import blueprint, find

MIB, GIB = 2**20, 2**30
CHOICES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "fit_choices.json").read_text(encoding="utf-8")
)["fits"]
HOST_MEMORY = Processor("DDR5-5600 x2", HOST, "cpu", 89.6e9, None)


@cache
def model_of(name: str) -> Model:
    entry, _, kind = name.partition("@")
    return build_model(blueprint(find(entry)).header(kind))


def search(
    name: str, card_bytes: int, context: int, depth: int, cards: int = 1, bandwidth: float = 936e9
) -> Search:
    processors = [Processor(f"card {n}", n, "gpu", bandwidth, card_bytes) for n in range(cards)]
    return Search(
        model=model_of(name),
        setup=EngineSetup("llama-server", Allocation(context)),
        processors=(*processors, HOST_MEMORY),
        depth=depth,
    )


def engines_choice(row: dict[str, Any]) -> Wish:
    patterns = re.split(r",(?=blk)", row["override_tensor"] or "")
    overrides = [Override(each.removesuffix("=CPU"), HOST) for each in patterns if each]
    return Wish(gpu_layers=row["gpu_layers"], overrides=tuple(overrides))


@pytest.mark.parametrize("row", CHOICES, ids=lambda row: f"{row['model']}-{row['card_mib']}")
def test_no_choice_is_slower_than_the_engines_own(row: dict[str, Any]) -> None:
    context = row["context"]
    for depth in (0, context // 2, context - 1):
        asked = search(row["model"], row["card_mib"] * MIB, context, depth)
        best = fastest(asked)
        assert best is not None
        theirs = asked.worked_out(engines_choice(row))
        assert best.seconds <= theirs.seconds * (1 + 1e-9)


def _smallest_cards() -> list[tuple[str, int]]:
    return sorted({(row["model"], row["card_mib"]) for row in CHOICES})


@pytest.mark.engine
@pytest.mark.parametrize(("name", "card_mib"), _smallest_cards())
def test_what_is_said_to_fit_is_what_the_engine_plans(
    name: str, card_mib: int, tmp_path: Path
) -> None:
    """llama-server, told the flags that are printed, leaves the reserve free on the card."""
    best = fastest(search(name, card_mib * MIB, 8192, 0))
    assert best is not None
    path = write_header(model_of(name).header, tmp_path / "model.gguf")
    with card() as address:
        arguments = ["-c", "8192", "-np", "1", *options(best.placement), "-fit", "on"]
        rows = planned_by_server(path, arguments, address)
    weights, cache_, _ = rows[DEVICE]
    assert (weights, cache_) == (
        best.needs[0].weights_bytes // MIB,
        (best.needs[0].cache_bytes + best.needs[0].state_bytes) // MIB,
    )
    assert sum(rows[DEVICE]) + 1024 <= card_mib


def test_experts_leave_the_card_before_anything_that_is_read_in_full() -> None:
    """gpt-oss-20b: 4 of 32 experts are read; 12.1 GB do not fit on 8 GiB."""
    best = fastest(search("gpt-oss-20b@MXFP4_MOE", 8 * GIB, 8192, 0))
    assert best is not None
    host = best.placement.host
    assert best.placement.gpu_layers == best.placement.layer_count == 25
    assert all(
        piece.entry.kind == "expert" or piece.entry.name == "token_embd.weight"
        for piece in host.pieces
    )
    # 1.5 more GiB take three blocks' experts more: each has 32 x 3 x 2,880 x 2,880 weights of
    # 4.25 bits = 423 MB.
    more = fastest(search("gpt-oss-20b@MXFP4_MOE", 8 * GIB + 1536 * MIB, 8192, 0))
    assert more is not None
    assert best.wish.cpu_moe - more.wish.cpu_moe == pytest.approx(3, abs=1)
    assert more.seconds < best.seconds


def test_more_memory_is_never_slower() -> None:
    for name in ("qwen3-8b@Q4_K_M", "qwen3-30b-a3b@Q4_K_M"):
        seconds = []
        for mebibytes in range(2560, 24_000, 1280):
            best = fastest(search(name, mebibytes * MIB, 8192, 4096))
            assert best is not None
            seconds.append(best.seconds)
        assert seconds == sorted(seconds, reverse=True)


def test_a_context_that_is_longer_pushes_layers_off() -> None:
    short, long = (
        fastest(search("llama-2-7b@Q4_0", 8 * GIB, context, 0)) for context in (4096, 32_768)
    )
    assert short is not None
    assert long is not None
    # 524,288 B a token: 2 GiB of cache at 4,096 and 16 at 32,768.
    assert short.placement.gpu_layers == 33
    assert long.placement.gpu_layers < 20


def test_what_fits_nowhere_is_said_to() -> None:
    asked = search("qwen3-8b@Q4_K_M", 8 * GIB, 4096, 0)
    tiny = Processor("host", HOST, "cpu", 89.6e9, 200 * MIB)
    asked = Search(asked.model, asked.setup, (asked.processors[0], tiny), 0)
    # The host alone must hold the input embedding, 0.35 GB.
    assert fastest(asked) is None


def held(best: Fitted | None) -> Fitted:
    assert best is not None
    return best


def test_two_cards_hold_what_one_cannot() -> None:
    one = held(fastest(search("llama-3.1-70b@Q4_K_M", 24 * GIB, 4096, 0)))
    two = held(fastest(search("llama-3.1-70b@Q4_K_M", 24 * GIB, 4096, 0, cards=2)))
    # 42.5 GB of weights: 46 GiB hold them, 23 do not.
    assert one.placement.gpu_layers < 50
    assert two.placement.gpu_layers == 81
    # All on cards of one bandwidth, in turn: the bytes over it, however many there are.
    read = sum(part.read_bytes for part in two.path.parts)
    assert two.seconds == pytest.approx(read / 936e9)


def test_the_faster_of_two_cards_is_filled_first() -> None:
    asked = search("llama-3.1-8b@Q4_K_M", 24 * GIB, 4096, 0, cards=2)
    for order in ((0, 1), (1, 0)):
        speeds = {order[0]: 936e9, order[1]: 360e9}
        cards = tuple(
            Processor(f"card {n}", n, "gpu", speeds[n], 12 * GIB if n == order[1] else 4 * GIB)
            for n in range(2)
        )
        best = held(fastest(Search(asked.model, asked.setup, (*cards, HOST_MEMORY), 0)))
        assert best.placement.gpu_layers == 33
        fast = best.needs[order[0]]
        # What is left of the faster card's 3 GiB is less than one layer of 140 MB and its cache.
        assert 3 * GIB - fast.high_bytes < 200 * MIB


@pytest.mark.parametrize("row", CHOICES, ids=lambda row: f"{row['model']}-{row['card_mib']}")
def test_what_the_engine_would_choose_is_known_to_a_layer(row: dict[str, Any]) -> None:
    """The tool plans logits of a whole micro-batch; its buffers are ours at their most."""
    asked = search(row["model"], row["card_mib"] * MIB, row["context"], 0)
    setup = EngineSetup("llama-bench", Allocation(row["context"]), output_rows=512)
    asked = Search(asked.model, setup, asked.processors, 0)

    def layers(wish: Wish) -> tuple[int, int]:
        placement = asked.worked_out(wish).placement
        behind = {
            piece.entry.block for piece in placement.host.pieces if piece.entry.kind == "expert"
        }
        return placement.gpu_layers, len(behind)

    on_cards, behind = layers(engines_own(asked))
    theirs, theirs_behind = layers(engines_choice(row))
    assert theirs - 1 <= on_cards <= theirs
    assert theirs_behind <= behind <= theirs_behind + 1


def test_an_engine_that_is_told_no_tensors_is_told_layers_or_chooses_itself() -> None:
    """Ollama: the flags leave the number of layers out where experts matter."""
    asked = search("gpt-oss-20b@MXFP4_MOE", 8 * GIB, 8192, 0)
    setup = EngineSetup("ollama", Allocation(8192))
    best = held(fastest(Search(asked.model, setup, asked.processors, 0, may_override=False)))
    assert best.wish == engines_own(Search(asked.model, setup, asked.processors, 0))
    assert not any("num_gpu" in line for line in flags(best.placement, setup, "m.gguf").ollama)
    dense = search("qwen3-8b@Q4_K_M", 4 * GIB, 8192, 0)
    whole = held(fastest(Search(dense.model, setup, dense.processors, 0, may_override=False)))
    assert whole.wish.overrides == ()
    lines = flags(whole.placement, setup, "m.gguf").ollama
    assert f"PARAMETER num_gpu {whole.placement.gpu_layers}" in lines


def test_what_is_printed_is_what_llama_server_takes() -> None:
    asked = search("gpt-oss-20b@MXFP4_MOE", 8 * GIB, 16_384, 0)
    best = held(fastest(asked))
    printed = flags(best.placement, asked.setup, "my models/gpt-oss.gguf")
    words = shlex.split(printed.llama_server)
    assert words[:7] == ["llama-server", "-m", "my models/gpt-oss.gguf", "-c", "16384", "-np", "1"]
    assert words[words.index("-ngl") + 1] == "25"
    assert words[words.index("--n-cpu-moe") + 1] == str(best.wish.cpu_moe)
    assert words[-2:] == ["--fit", "off"]
    assert printed.ollama[:2] == ("FROM ./my models/gpt-oss.gguf", "PARAMETER num_ctx 16384")
    assert printed.lm_studio == "lms load MODEL --gpu max --context-length 16384"
    assert printed.lm_studio_experts == best.wish.cpu_moe
