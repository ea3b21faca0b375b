"""Where things lie and how fast that can be, by arithmetic that stands beside each case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from tokenroof.errors import UsageError
from tokenroof.hardware.device import Device
from tokenroof.model import Allocation, Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case, read_cases
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.flags import flags
from tokenroof.predict.memory.placement import HOST, Override, Wish, place_model
from tokenroof.predict.records import Flags, Placed, Row
from tokenroof.recipes import blueprint, find

GIB = 2**30
MODELS = {"qwen3-8b": qwen3_8b, "gpt-oss-20b": gpt_oss_20b, "qwen3-coder-30b": qwen3_coder_30b}
TWO_CHANNELS = 89.6e9
"""DDR5-5600 with two channels: 2 x 8 B x 5,600e6."""

LINK = 31.5e9


def load(name: str) -> Model:
    if name in MODELS:
        return build_model(MODELS[name]())
    entry, _, kind = name.partition("@")
    return build_model(blueprint(find(entry)).header(kind))


def here() -> Device:
    return Device(
        name="a CPU",
        source="hardware.source_measured",
        place="cpu",
        bandwidth_bytes_per_second=50e9,
        bandwidth_basis="measured",
        memory_bytes=32 * GIB,
        free_bytes=20 * GIB,
    )


def ask(**question: object) -> Row:
    (row,) = Asker(load, here).estimate([Case(**question)]).rows  # type: ignore[arg-type]
    return row


def placed(row: Row) -> Placed:
    assert row.placement is not None
    return row.placement


def ceiling(row: Row) -> float:
    assert row.ceiling_tokens_per_s is not None
    return row.ceiling_tokens_per_s


def read(row: Row, place: str) -> float:
    (part,) = [each for each in placed(row).parts if each.place == place]
    return sum(part.weights.values()) + sum(part.experts.values()) + part.cache_bytes


# --- where llama.cpp puts things ------------------------------------------------------------


def test_the_last_layers_go_to_the_card_and_the_output_layer_is_one_of_them() -> None:
    model = load("qwen3-8b")
    for layers in (0, 1, 10, 36, 37):
        placement = place_model(model, Wish(gpu_layers=layers), [8e9])
        card = placement.cards[0]
        # 36 blocks and the output layer: 37 in all.
        assert card.layers == tuple(range(37 - layers, 36))
        assert card.has_output == (layers > 0)
        names = {piece.entry.name for piece in card.pieces}
        assert ("output.weight" in names) == (layers > 0)
        assert "token_embd.weight" not in names
        assert {cache.layer for cache in card.caches} == set(card.layers)


def test_cards_take_layers_in_proportion() -> None:
    model = load("qwen3-8b")
    by_memory = place_model(model, Wish(), [8e9, 24e9])
    # 37 layers, a quarter and three: 37 / 4 = 9.25, so layers 0 to 9 lie below it.
    assert by_memory.cards[0].layers == tuple(range(10))
    told = place_model(model, Wish(tensor_split=(30.0, 7.0)), [8e9, 24e9])
    assert told.cards[0].layers == tuple(range(30))
    assert told.cards[1].layers == tuple(range(30, 36))
    assert told.cards[1].has_output


def test_experts_of_the_first_blocks_stay_with_the_host() -> None:
    model = load("qwen3-coder-30b")
    placement = place_model(model, Wish(cpu_moe=2), [24e9])
    moved = {piece.entry.name for piece in placement.host.pieces}
    assert moved == {"token_embd.weight"} | {
        f"blk.{block}.ffn_{part}_exps.weight" for block in (0, 1) for part in ("gate", "up", "down")
    }
    # Their layers, with caches, are still the card's.
    assert len(placement.cards[0].caches) == 48


def test_the_first_pattern_that_is_found_counts() -> None:
    model = load("qwen3-8b")
    overrides = (Override(r"blk\.3\.ffn_up", 1), Override(r"blk\.3\.", HOST))
    placement = place_model(model, Wish(overrides=overrides), [8e9, 8e9])
    places = {
        piece.entry.name: hold.place
        for hold in placement.holds
        for piece in hold.pieces
        if piece.entry.block == 3
    }
    assert places.pop("blk.3.ffn_up.weight") == 1
    assert set(places.values()) == {HOST}


def test_caches_may_all_stay_with_the_host() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", kv_offload=False, context=8192, depth=4096)
    assert row.fits is not None
    assert row.fits.host is not None
    assert row.fits.cache_bytes == 0
    assert row.fits.host.cache_bytes == 8192 * 147_456
    # And one row of the embedding, 2,304 B.
    assert read(row, "cpu") == 4096 * 147_456 + 2304
    # Each of 36 layers sends its query over and its answer back: 72 x 4,096 x 4 B.
    seconds = read(row, "gpu") / 936.2e9 + read(row, "cpu") / TWO_CHANNELS
    assert 1 / ceiling(row) == pytest.approx(seconds + 72 * 4096 * 4 / LINK)


def test_rows_cut_weights_and_tensors_cut_caches_too() -> None:
    model = load("qwen3-8b")
    whole = place_model(model, Wish(), [1.0]).cards[0]
    rows = place_model(model, Wish(split="row"), [1.0, 1.0])
    tensors = place_model(model, Wish(split="tensor"), [3.0, 1.0])
    assert sum(hold.weights_bytes for hold in rows.cards) == whole.weights_bytes
    assert rows.cards[0].weights_bytes == pytest.approx(whole.weights_bytes / 2, rel=1e-3)
    assert [len(hold.caches) for hold in rows.cards] == [36, 0]
    assert [hold.cache_share for hold in tensors.cards] == [0.75, 0.25]
    assert [len(hold.caches) for hold in tensors.cards] == [36, 36]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"tensor_split": "1,2,3"}, "predict.split_of_cards"),
        ({"tensor_split": "0,0"}, "predict.split_of_nothing"),
        ({"tensor_split": "a,b"}, "predict.bad_split"),
        ({"override_tensor": "blk"}, "predict.bad_override"),
        ({"override_tensor": "blk=elsewhere"}, "predict.bad_override"),
        ({"override_tensor": "(=CPU"}, "predict.bad_pattern"),
        ({"override_tensor": "blk=2"}, "predict.no_such_card"),
        ({"gpu_layers": -1}, "predict.out_of_range"),
        ({"gpu_layers": 3, "fit": True}, "predict.fit_and_places"),
    ],
)
def test_a_placement_that_cannot_be_is_refused(question: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ask(model="qwen3-8b", device="2x RTX 3090", **question)
    assert caught.value.message == message


def test_a_fit_needs_to_know_the_memory() -> None:
    with pytest.raises(UsageError) as caught:
        ask(model="qwen3-8b", bandwidth=936, fit=True)
    assert caught.value.message == "predict.fit_needs_memory"


# --- speeds of placements -------------------------------------------------------------------


def test_times_add_and_speeds_are_never_averaged() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", gpu_layers=18)
    seconds = read(row, "gpu") / 936.2e9 + read(row, "cpu") / TWO_CHANNELS + 4096 * 4 / LINK
    assert 1 / ceiling(row) == pytest.approx(seconds)
    assert row.read_bytes == pytest.approx(read(row, "gpu") + read(row, "cpu"))
    # About half of the bytes at a tenth of the speed: far below the mean of the two ceilings.
    assert ceiling(row) < 2 * TWO_CHANNELS / (row.read_bytes or 0)


def test_an_assumed_host_is_named() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", gpu_layers=18)
    assert any("DDR5-5600 x2 (89.6 GB/s)" in each.text() for each in row.assumes)
    named = ask(model="qwen3-8b", device="RTX 3090 + ddr4-3200 x2", gpu_layers=18)
    assert not any("none is named" in each.text() for each in named.assumes)
    assert ceiling(named) < ceiling(row)
    all_there = ask(model="qwen3-8b", device="RTX 3090")
    assert "assumes_host" not in [each.id for each in all_there.assumes]


def test_a_card_by_its_figures_has_a_host_too() -> None:
    row = ask(model="qwen3-8b", bandwidth=936.2, memory=24, gpu_layers=18)
    assert ceiling(row) == pytest.approx(
        ceiling(ask(model="qwen3-8b", device="RTX 3090", gpu_layers=18))
    )
    slow = ask(model="qwen3-8b", bandwidth=936.2, memory=24, gpu_layers=18, host="ddr4-3200 x2")
    assert ceiling(slow) < ceiling(row)


def test_two_cards_in_turn_are_as_fast_as_one_and_side_by_side_up_to_twice() -> None:
    """B020, B041: a table that multiplies bandwidth by the number of cards is wrong."""
    one = ask(model="qwen3-8b", device="RTX 3090", depth=8000)
    turn = ask(model="qwen3-8b", device="2x RTX 3090", depth=8000)
    rows = ask(model="qwen3-8b", device="2x RTX 3090", depth=8000, split_mode="row")
    both = ask(model="qwen3-8b", device="2x RTX 3090", depth=8000, split_mode="tensor")
    assert ceiling(turn) == pytest.approx(ceiling(one))
    # Weights in halves, the cache on the first; 72 exchanges of 4,096 x 4 B.
    model = load("qwen3-8b")
    weights = float(model.decode_weight_bytes or 0)
    cache = 8000 * 147_456
    link = 72 * 4096 * 4 / LINK
    assert 1 / ceiling(rows) == pytest.approx((weights / 2 + cache) / 936.2e9 + link, rel=1e-3)
    assert 1 / ceiling(both) == pytest.approx((weights + cache) / 2 / 936.2e9 + link, rel=1e-3)
    assert ceiling(one) < ceiling(rows) < ceiling(both) < 2 * ceiling(one)


def test_unlike_cards_each_read_their_own_part() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090 + GeForce RTX 3060 12 GB")
    fast, slow = placed(row).parts
    seconds = sum(
        (sum(part.weights.values()) + part.cache_bytes) / rate
        for part, rate in ((fast, 936.2e9), (slow, 360e9))
    )
    assert 1 / ceiling(row) == pytest.approx(seconds)
    assert (fast.bandwidth_bytes_per_s, slow.bandwidth_bytes_per_s) == (936.2e9, 360e9)


def test_a_prompt_reads_what_lies_with_the_host_at_every_micro_batch() -> None:
    question = {"model": "gpt-oss-20b", "device": "RTX 3090", "prompt": 2048, "tflops": 71}
    alone = ask(**question)
    behind = ask(**question, cpu_moe=True)
    assert alone.prefill is not None
    assert behind.prefill is not None
    assert behind.prefill.high is not None
    # Four micro-batches of 512, each of which reads at least a token's experts: 4 of 32.
    least = 4 * read(behind, "cpu") / TWO_CHANNELS
    assert 2048 / behind.prefill.high > least
    assert behind.prefill.high < (alone.prefill.high or 0)


def test_one_memory_is_one_place_whatever_lies_on_the_gpu() -> None:
    whole = ask(model="qwen3-8b", device="M4 Max", memory=36)
    half = ask(model="qwen3-8b", device="M4 Max", memory=36, gpu_layers=18)
    assert ceiling(whole) == ceiling(half)
    assert half.placement is None


# --- memory ----------------------------------------------------------------------------------


def test_what_is_free_counts_and_not_what_there_is() -> None:
    row = ask(model="qwen3-8b", device="here")
    assert row.fits is not None
    assert row.fits.capacity_bytes == 20 * GIB


def test_the_place_with_the_least_room_decides() -> None:
    """18.6 GB on two cards of 12 GiB: in halves they fit, at 3:1 the first does not."""
    halves = ask(model="qwen3-coder-30b", device="2x RTX 5070")
    uneven = ask(model="qwen3-coder-30b", device="2x RTX 5070", tensor_split="3,1")
    assert halves.fits is not None
    assert uneven.fits is not None
    assert (halves.fits.verdict, uneven.fits.verdict) == ("fits", "does_not_fit")
    first, second = uneven.fits.devices
    assert first.resident_bytes > 12 * GIB > second.resident_bytes


def test_shares_add_up_and_are_made_of_their_parts() -> None:
    row = ask(model="gpt-oss-20b", device="2x RTX 3060 12 GB", gpu_layers=20, context=16_384)
    assert row.fits is not None
    assert row.fits.host is not None
    for share in (*row.fits.devices, row.fits.host):
        assert share.resident_bytes == sum(
            part or 0
            for part in (
                share.weights_bytes,
                share.cache_bytes,
                share.state_bytes,
                share.projector_bytes,
                share.buffers_high_bytes,
            )
        )
    assert row.fits.resident_bytes == sum(share.resident_bytes for share in row.fits.devices)
    assert row.fits.resident_low_bytes is not None
    assert row.fits.resident_low_bytes < row.fits.resident_bytes
    # 24 blocks and the output layer: 20 on cards, 5 with the host; 12 full and 12 sliding layers.
    assert [share.layers for share in (*row.fits.devices, row.fits.host)] == [10, 10, 5]
    caches = sum(share.cache_bytes or 0 for share in (*row.fits.devices, row.fits.host))
    assert caches == 12 * 2048 * 16_384 + 12 * 2048 * 768


def test_a_projector_lies_on_the_first_card() -> None:
    plain = ask(model="qwen3-8b", device="2x RTX 3060 12 GB")
    seeing = ask(model="qwen3-8b", device="2x RTX 3060 12 GB", projector="qwen3-0.6b@Q8_0")
    assert plain.fits is not None
    assert seeing.fits is not None
    assert seeing.fits.devices[0].projector_bytes == load("qwen3-0.6b@Q8_0").tensor_bytes
    assert seeing.fits.devices[1] == plain.fits.devices[1]


@pytest.mark.parametrize(
    ("engine", "parallel", "sequences", "unified", "cells"),
    [
        # Windows of 128: one slot's micro-batch of 512 makes 640, padded 768 cells.
        (None, None, 1, False, 768),
        ("llama-server", None, 4, True, 4 * 128 + 512),
        ("llama-server", 1, 1, False, 768),
        ("llama-bench", None, 1, False, 768),
        # Ollama's batch is 1,024 at this context: 128 + 1,024 padded.
        ("ollama", None, 1, False, 1280),
    ],
)
def test_engines_set_aside_what_they_set_aside(
    engine: str | None, parallel: int | None, sequences: int, unified: bool, cells: int
) -> None:
    row = ask(
        model="gpt-oss-20b",
        device="RTX 3090",
        engine=engine,
        parallel=parallel,
        context=8192,
    )
    assert (placed(row).parallel, placed(row).unified) == (sequences, unified)
    assert row.fits is not None
    assert row.fits.cache_bytes == 12 * 2048 * 8192 + 12 * 2048 * cells


def test_sequences_share_a_context_out_and_ollama_multiplies_it() -> None:
    question = {"model": "qwen3-8b", "device": "RTX 3090", "parallel": 4, "context": 8192}
    server = ask(engine="llama-server", **question)
    ollama = ask(engine="ollama", **question)
    assert (server.context, ollama.context) == (2048, 8192)
    assert server.fits is not None
    assert ollama.fits is not None
    assert server.fits.cache_bytes == 8192 * 147_456
    assert ollama.fits.cache_bytes == 4 * 8192 * 147_456


# --- field cases ------------------------------------------------------------------------------


def test_more_layers_are_not_more_bytes() -> None:
    """B010: 42 of 43 layers on the card, and still most bytes are with the host.

    Gemma 4 e4b's embeddings of all layers are a table at the host; its blocks are small.
    """
    row = ask(model="gemma-4-e4b@Q4_K_M", device="GeForce RTX 3060 12 GB", gpu_layers=42)
    assert row.fits is not None
    assert row.fits.host is not None
    assert placed(row).gpu_layers == 42
    assert placed(row).layers == 43
    host, card = row.fits.host.weights_bytes or 0, row.fits.devices[0].weights_bytes or 0
    assert 42 / 43 > 0.97
    assert host / (host + card) > 0.4


def test_a_dense_model_that_spills_is_slower_than_a_larger_sparse_one() -> None:
    """B005: on 8 GiB, 30B-A3B (18.6 GB) runs at 33.7 tok/s, 14B dense (9.0 GB) at 16.9.

    An X299 board with four channels of DDR4-2666 stands behind the card: 85.3 GB/s.
    """
    host = "ddr4-2666 x4"
    dense = ask(model="qwen3-14b@Q4_K_M", device="GeForce RTX 2080", host=host, fit=True)
    sparse = ask(model="qwen3-coder-30b", device="GeForce RTX 2080", host=host, fit=True)
    assert ceiling(dense) > 16.85
    assert ceiling(sparse) > 33.72
    assert ceiling(sparse) > ceiling(dense)


def test_active_bytes_bound_a_sparse_model_and_not_its_size() -> None:
    """B008: 671B in RAM at 20 GB/s: about 404 GB x 37 / 671 = 22 GB a token, 0.9 tok/s."""
    question = {"bandwidth": 936, "memory": 24, "host": "ddr3-1250 x2", "gpu_layers": 0}
    row = ask(model="deepseek-v3@Q4_K_M", **question)
    assert row.read_bytes is not None
    assert row.read_bytes == pytest.approx(22e9, rel=0.1)
    assert ceiling(row) == pytest.approx(0.9, rel=0.15)


def test_experts_at_the_host_never_run_at_the_cards_bandwidth() -> None:
    """T4: 80 tok/s were predicted where 15.4 were measured, with the experts in RAM."""
    row = ask(model="qwen3-coder-30b", device="RTX 3090", cpu_moe=True)
    experts = sum(placed(row).parts[-1].experts.values())
    # 1.10 GB of experts a token: 1.10e9 / 89.6e9 = 12.3 ms alone.
    assert experts == pytest.approx(1.10e9, rel=0.02)
    assert ceiling(row) < TWO_CHANNELS / experts


def test_a_page_cannot_promise_more_than_the_bytes_allow() -> None:
    """T1: 70B Q4_K_S, 58 of 80 layers on a 4090, "78 tok/s": all of it there gives 25."""
    row = ask(model="llama-3.1-70b@Q4_K_S", device="RTX 4090", memory=24, gpu_layers=58)
    assert ceiling(row) < 10
    whole = ask(model="llama-3.1-70b@Q4_K_S", bandwidth=1008)
    assert ceiling(whole) == pytest.approx(25.5, abs=1)


def test_a_longer_context_spills_though_no_more_of_it_is_used() -> None:
    """B018: the same prompt, 16,384 tokens of context fit and 24,576 do not."""
    question = {"model": "llama-2-7b@Q8_0", "device": "RTX 3090", "memory": 19, "depth": 1000}
    fits = ask(**question, context=16_384)
    spills = ask(**question, context=24_576)
    assert fits.fits is not None
    assert spills.fits is not None
    assert (fits.fits.verdict, spills.fits.verdict) == ("fits", "does_not_fit")
    assert fits.read_bytes == spills.read_bytes
    # The cache grows with the context and not with its square: 524,288 B a token.
    assert (spills.fits.cache_bytes or 0) - (fits.fits.cache_bytes or 0) == 8192 * 524_288


@pytest.mark.parametrize(
    ("context", "bytes_of_cache"),
    # B032: 10 of 40 layers keep a cache: 10 x 2 x 2 x 256 x 2 B = 20,480 B a token.
    [(65_536, 1.25 * GIB), (262_144, 5 * GIB)],
)
def test_a_hybrid_models_cache_is_that_of_the_layers_that_keep_one(
    context: int, bytes_of_cache: float
) -> None:
    row = ask(model="qwen3.5-35b-a3b@Q4_K_M", device="RTX 3090", context=context)
    assert row.fits is not None
    assert row.fits.cache_bytes == bytes_of_cache
    assert (row.fits.state_bytes or 0) > 0


@pytest.mark.parametrize(("kind", "gibibytes"), [("q4_0", 4.5), ("q8_0", 8.5)])
def test_a_quantised_cache_takes_what_its_format_says(kind: str, gibibytes: float) -> None:
    """B044: 16 layers of 4 heads x 256 at 262,144 tokens; 18 or 34 B for 32 values.

    Qwen3.5 27B has such layers: 16 of 64, 4 heads of 256.
    """
    row = ask(model="qwen3.5-27b@Q4_K_M", device="RTX 3090", context=262_144, kv_type=kind)
    assert row.fits is not None
    assert row.fits.cache_bytes == gibibytes * GIB
    assert (row.fits.buffers_low_bytes or 0) < (row.fits.buffers_high_bytes or 0)


def test_a_question_in_a_file_is_answered_as_on_the_command_line(tmp_path: Path) -> None:
    """B029: one estimator, whichever way it is asked."""
    question = {
        "model": "gpt-oss-20b",
        "device": "RTX 3090",
        "host": "ddr5-5600 x2",
        "gpu_layers": 25,
        "cpu_moe": 4,
        "batch": 1024,
        "ubatch": 256,
        "threads": 8,
        "context": 16_384,
        "parallel": 2,
        "memory": 24,
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(question), encoding="utf-8")
    (row,) = Asker(load, here).estimate_each(read_cases(path)).rows
    assert row == ask(**question)
    where = placed(row)
    assert (where.gpu_layers, where.cpu_moe, where.batch, where.ubatch) == (25, 4, 1024, 256)
    assert (where.context, where.parallel) == (16_384, 2)
    assert row.fits is not None
    assert row.fits.capacity_bytes == 24 * 10**9


@pytest.mark.parametrize("layers", [0, 1, 10, 19])
def test_a_tied_embedding_lies_in_two_places_and_is_read_in_one(layers: int) -> None:
    row = ask(model="gemma-3-270m@Q4_K_M", device="RTX 3090", gpu_layers=layers, depth=100)
    there = sum(sum(part.weights.values()) + part.cache_bytes for part in placed(row).parts)
    # But for the one row of it that the host looks up, 640 numbers, where the output is on a card.
    assert there == pytest.approx(row.read_bytes, abs=1024)
    assert row.fits is not None
    assert row.fits.host is not None
    model = load("gemma-3-270m@Q4_K_M")
    table = next(t.bytes for t in model.header.tensors if t.name == "token_embd.weight")
    held = (row.fits.host.weights_bytes or 0) + (row.fits.weights_bytes or 0)
    assert held - model.resident_bytes == (table if layers else 0)


def test_bytes_without_a_model_have_a_ceiling_and_nothing_else() -> None:
    """40.61 GB a token at 273 GB/s are 6.72 tok/s, at the 233 that were measured 5.74."""
    row = ask(weight_bytes=40.61e9, bandwidth=273.0)
    assert ceiling(row) == pytest.approx(273 / 40.61)
    assert ceiling(ask(weight_bytes=40.61e9, bandwidth=233.0)) == pytest.approx(233 / 40.61)
    assert (row.read_bytes, row.fits, row.prefill, row.wait) == (40_610_000_000, None, None, None)
    assert row.decode is not None
    assert (row.decode.tokens_per_s, row.decode.high) == (None, row.ceiling_tokens_per_s)
    named = ask(weight_bytes=5.1e9, device="Apple M4 Pro (20-core GPU)")
    assert ceiling(named) == pytest.approx(273 / 5.1, rel=1e-3)
    with pytest.raises(UsageError, match="names no model"):
        ask(bandwidth=273.0)


def test_a_host_that_is_too_small_holds_nothing_that_does_not_fit_it() -> None:
    """Qwen3-8B F16 is 16.4 GB: 8 GiB of card and 8 of host cannot hold it, 8 and 16 can."""
    question = {"model": "qwen3-8b@F16", "context": 4096, "fit": True}
    small = ask(device="GeForce RTX 3070 + ddr4-3200 x2 8GB", **question)
    assert small.fits is not None
    assert small.fits.verdict == "does_not_fit"
    # It was looked for: to advise the same command again would help nobody.
    assert (small.decode, small.verify) == (None, None)
    large = ask(device="GeForce RTX 3070 + ddr4-3200 x2 16 GB", **question)
    assert large.fits is not None
    assert large.fits.host is not None
    assert large.fits.verdict == "fits"
    assert large.fits.host.capacity_bytes == 16 * GIB


def assumed(row: Row) -> list[str]:
    return [notice.message for notice in row.assumes]


def test_what_has_to_be_free_in_a_host_of_unknown_size_is_said() -> None:
    question = {"model": "qwen3-8b@F16", "context": 4096, "fit": True}
    assert "predict.assumes_host_room" in assumed(ask(device="GeForce RTX 3070", **question))
    told = ask(device="GeForce RTX 3070 + ddr5-5600 x2 64GB", **question)
    assert "predict.assumes_host_room" not in assumed(told)
    # Where only rows are looked up there, it need not be said.
    assert "predict.assumes_host_room" not in assumed(ask(model="qwen3-8b", device="RTX 3090"))


def test_an_engine_whose_memory_is_not_known_is_named() -> None:
    row = ask(model="qwen3-8b", device="RTX 3090", engine="vLLM")
    assert "vLLM" in row.assumes[0].text("en")
    assert ask(model="qwen3-8b", device="RTX 3090").assumes[0].text("en") == "llama.cpp"


def test_the_command_that_looks_for_a_placement_asks_the_same_question() -> None:
    """A quarter of the cache or four slots decide what fits."""
    row = ask(
        model="qwen3-8b",
        device="GeForce RTX 3070",
        context=200_000,
        kv_type="q8_0",
        parallel=2,
        ubatch=256,
        engine="llama-server",
    )
    assert row.verify == (
        "tokenroof estimate qwen3-8b --on 'GeForce RTX 3070' --context 200000 "
        "--kv-type q8_0 --parallel 2 --ubatch 256 --engine llama-server --fit"
    )


def flags_of(**question: object) -> Flags:
    return placed(ask(device="GeForce RTX 3090", context=8192, **question)).flags


def test_what_a_modelfile_cannot_set_is_printed_for_the_server() -> None:
    """Without OLLAMA_KV_CACHE_TYPE the caches would take twice what was worked out."""
    one = flags_of(model="qwen3-8b", kv_type="q8_0", parallel=2)
    assert one.ollama_environment == (
        "OLLAMA_NUM_PARALLEL=2",
        "OLLAMA_FLASH_ATTENTION=1",
        "OLLAMA_KV_CACHE_TYPE=q8_0",
    )
    assert one.lm_studio_kv_types == ("q8_0", "q8_0")
    plain = flags_of(model="qwen3-8b")
    assert (plain.ollama_environment, plain.ollama_cannot) == ((), ())
    assert plain.lm_studio_kv_types is None
    unlike = flags_of(model="qwen3-8b", kv_type="q8_0,f16", kv_offload=False)
    assert unlike.ollama_environment == ()
    assert unlike.ollama_cannot == ("-ctk q8_0", "--no-kv-offload")
    assert unlike.lm_studio_kv_on_host


@pytest.mark.parametrize(("told", "option"), [(True, "-fa on"), (False, "-fa off")])
def test_flash_attention_is_printed_where_it_was_asked_for(told: bool, option: str) -> None:
    assert option in flags_of(model="qwen3-8b", flash_attention=told).llama_server
    assert "-fa" not in flags_of(model="qwen3-8b").llama_server


def test_several_cards_are_told_how_many_layers_each_takes() -> None:
    """By what is free of them at that moment, the engine would move some."""
    row = ask(model="qwen3-8b", device="RTX 3090 + GeForce RTX 3060 12 GB", context=8192)
    assert row.fits is not None
    split = ",".join(str(share.layers) for share in row.fits.devices)
    assert f"--tensor-split {split} " in placed(row).flags.llama_server
    assert placed(row).flags.ollama_cannot == (f"--tensor-split {split}",)
    again = ask(
        model="qwen3-8b",
        device="RTX 3090 + GeForce RTX 3060 12 GB",
        context=8192,
        tensor_split=split,
    )
    assert again.fits == row.fits


@pytest.mark.parametrize(
    ("name", "start", "origin"),
    [
        ("ollama:qwen3:8b", "llama-server -m MODEL.gguf ", "FROM qwen3:8b"),
        ("hf:unsloth/Qwen3-8B-GGUF:Q4_K_M", "llama-server -hf unsloth/Qwen3-8B-GGUF:Q4_K_M ",
         "FROM hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M"),
        ("hf:o/r/f.gguf", "llama-server -m MODEL.gguf ", "FROM ./MODEL.gguf"),
        ("https://x/y.gguf", "llama-server -m MODEL.gguf ", "FROM ./MODEL.gguf"),
        ("a b/m.gguf", "llama-server -m 'a b/m.gguf' ", "FROM ./a b/m.gguf"),
        ("/m.gguf", "llama-server -m /m.gguf ", "FROM /m.gguf"),
    ],
)  # fmt: skip
def test_a_model_is_pasted_by_the_name_that_each_engine_has_for_it(
    name: str, start: str, origin: str
) -> None:
    model = load("qwen3-8b")
    setup = EngineSetup("llama.cpp", Allocation(8192))
    printed = flags(place_model(model, Wish(), (1.0,)), setup, name)
    assert printed.llama_server.startswith(start)
    assert printed.ollama[0] == origin
