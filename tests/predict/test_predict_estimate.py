"""Ceilings and verdicts, against arithmetic by hand and the published figures of three models."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.oracle.kinds import KINDS, converted
from support.oracle.recorded import model_of
from support.this_cpu import this_cpu
from tokenroof.errors import InputError, TokenroofError, UsageError
from tokenroof.gguf import Header
from tokenroof.hardware.device import Device, given_device
from tokenroof.model import Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.ceiling import decode_ceiling, prefill_ceiling
from tokenroof.predict.estimate import Questions, answer
from tokenroof.predict.records import Row

MODELS: dict[str, Callable[[], Header]] = {
    "qwen3-8b": qwen3_8b,
    "gpt-oss-20b": gpt_oss_20b,
    "qwen3-coder-30b": qwen3_coder_30b,
}


def load(name: str) -> Model:
    return build_model(MODELS[name]())


def here() -> Device:
    return this_cpu()


def ask(**question: object) -> Row:
    (row,) = Asker(load, here).estimate([Case(**question)]).rows  # type: ignore[arg-type]
    return row


def test_the_ceiling_is_bandwidth_over_bytes() -> None:
    # 256e9 / 2,589,401,844 = 98.8645
    assert decode_ceiling(256e9, 2_589_401_844) == pytest.approx(98.8645, abs=5e-5)


def test_the_ceiling_takes_arrays() -> None:
    ceilings = decode_ceiling(np.array([100.0, 300.0]), np.array([2.0, 3.0]))
    assert ceilings.tolist() == [50.0, 100.0]


def test_prefill_is_bounded_by_arithmetic() -> None:
    # 872 TFLOP for 35,700 tokens at 10 TFLOP/s: 87.2 s, so 409.4 tok/s.
    assert prefill_ceiling(10e12, 872e12, 35_700) == pytest.approx(409.4, abs=0.05)


@pytest.mark.parametrize(
    ("model", "depth", "ceiling"),
    [
        # The ceilings that the first article prints for 256 GB/s, with no context and at ~500.
        ("qwen3-8b", 0, 53),
        ("gpt-oss-20b", 0, 99),
        ("qwen3-coder-30b", 0, 133),
        ("qwen3-8b", 500, 52),
        ("gpt-oss-20b", 500, 99),
        ("qwen3-coder-30b", 500, 130),
    ],
)
def test_the_ceilings_of_the_article_come_out(model: str, depth: int, ceiling: int) -> None:
    row = ask(model=model, bandwidth=256, depth=depth)
    assert row.ceiling_tokens_per_s is not None
    assert round(row.ceiling_tokens_per_s) == ceiling


def test_a_bandwidth_alone_gives_a_bound_and_nothing_that_is_not_known() -> None:
    row = ask(model="gpt-oss-20b", bandwidth=256, depth=470)
    assert row.model == "Gpt Oss 20B"
    assert row.device == "256 GB/s"
    # 2,574,705,396 of weights + 12 x 2,048 x 470 + 12 x 2,048 x 128 of cache
    assert row.read_bytes == 2_574_705_396 + 11_550_720 + 3_145_728 == 2_589_401_844
    assert row.decode is not None
    assert row.decode.high == row.ceiling_tokens_per_s == pytest.approx(98.86, abs=0.005)
    assert (row.decode.tokens_per_s, row.decode.low, row.decode.basis) == (None, None, "spec")
    assert row.prefill is None
    assert row.wait is None
    assert row.fits is not None
    assert (row.fits.verdict, row.fits.capacity_bytes, row.fits.devices) == ("unknown", None, ())
    assert row.verify == "tokenroof bench gpt-oss-20b --lengths 470"


def test_resident_is_all_tensors_and_the_cache_as_it_is_allocated() -> None:
    row = ask(model="gpt-oss-20b", bandwidth=256, context=32_768)
    assert row.fits is not None
    # 12,096,558,336 of tensors + 12 x 2,048 x 32,768 + 12 x 2,048 x 768 cells
    assert row.fits.weights_bytes == 12_096_558_336
    assert row.fits.cache_bytes == 805_306_368 + 18_874_368
    assert row.fits.buffers_high_bytes is not None
    kept = 12_096_558_336 + 805_306_368 + 18_874_368
    assert row.fits.resident_bytes == kept + row.fits.buffers_high_bytes


def test_what_the_engine_does_not_load_takes_no_memory() -> None:
    (kind,) = (kind for kind in KINDS if kind.name == "predicting_block")
    model = build_model(Header.build(*converted(kind)))
    asker = Asker(lambda _: model, here)
    row = asker.estimate([Case(model="m", bandwidth=256.0, context=256)]).rows[0]
    assert row.fits is not None
    # Block 2 is for multi-token prediction; 2 layers keep 2 x 2 x 128 numbers of 2 B a token.
    loaded = sum(t.bytes for t in model.header.tensors if not t.name.startswith("blk.2."))
    assert row.fits.weights_bytes == loaded
    assert row.fits.cache_bytes == 256 * 2 * 2 * 256 * 2


def test_an_architecture_that_is_not_known_is_said_to_be_assumed() -> None:
    asker = Asker(lambda _: model_of("llama-dense", "brand-new"), here)
    row = asker.estimate([Case(model="m", bandwidth=256.0, depth=100)]).rows[0]
    assert "assumes_architecture" in [notice.id for notice in row.assumes]


def test_without_a_context_memory_is_counted_for_what_the_question_needs() -> None:
    row = ask(model="qwen3-8b", bandwidth=256, depth=500, prompt=400, output=124)
    # 500 + 400 + 124 = 1,024 tokens of 147,456 bytes
    assert row.context == 1024
    assert row.fits is not None
    assert row.fits.cache_bytes == 1024 * 147_456


@pytest.mark.parametrize(
    ("memory", "verdict"),
    # 12,096,558,336 of tensors + 12 x 2,048 x (256 + 256 cells) = 12,109,141,248 B, and a few MB
    # of buffers for a micro-batch of one token.
    [(12.0, "does_not_fit"), (12.2, "tight"), (13.1, "tight"), (13.3, "fits")],
)
def test_under_a_gib_left_is_tight(memory: float, verdict: str) -> None:
    row = ask(model="gpt-oss-20b", bandwidth=256, memory=memory)
    assert row.fits is not None
    assert row.fits.verdict == verdict
    assert row.fits.capacity_bytes == round(memory * 1e9)
    (share,) = row.fits.devices
    assert share.resident_bytes == row.fits.resident_bytes


def test_where_it_does_not_fit_there_is_no_speed_but_the_way_to_one() -> None:
    row = ask(model="gpt-oss-20b", bandwidth=256, memory=8, tflops=10, prompt=100, depth=7)
    assert (row.decode, row.prefill, row.wait) == (None, None, None)
    assert row.verify is not None
    assert row.verify.startswith("tokenroof estimate gpt-oss-20b --bandwidth 256 --memory 8")
    assert row.verify.endswith("--fit")


def test_arithmetic_bounds_the_reading_of_a_prompt() -> None:
    row = ask(model="qwen3-8b", bandwidth=256, tflops=10, prompt=35_700)
    assert row.prefill is not None
    # 496 TFLOP of weights + 376 of attention = 872 in all, at 10 TFLOP/s.
    assert row.prefill.high == pytest.approx(35_700 / 87.2, rel=0.005)
    assert (row.prefill.tokens_per_s, row.prefill.low) == (None, None)


def test_a_quantised_cache_is_read_faster() -> None:
    full = ask(model="qwen3-8b", bandwidth=256, depth=10_000)
    small = ask(model="qwen3-8b", bandwidth=256, depth=10_000, kv_type="q8_0")
    assert full.read_bytes is not None
    assert small.read_bytes is not None
    # 147,456 B a token in f16; 34 bytes for 32 values instead of 64 in q8_0.
    assert full.read_bytes - small.read_bytes == 10_000 * (147_456 - 147_456 * 34 // 64)


def test_here_uses_the_bandwidth_that_was_measured_and_looks_once() -> None:
    looks: list[int] = []

    def look() -> Device:
        looks.append(1)
        return here()

    cases = [Case(model="qwen3-8b", device="here", depth=depth) for depth in (0, 100)]
    rows = Asker(load, look).estimate(cases).rows
    assert len(looks) == 1
    # 50e9 / 4,869,359,872 = 10.27
    assert rows[0].ceiling_tokens_per_s == pytest.approx(10.27, abs=0.005)
    assert any("50.0 GB/s" in each.text() for each in rows[0].assumes)


def test_one_question_is_an_array_of_one() -> None:
    cases = [
        Case(model=model, bandwidth=256, depth=depth)
        for model in MODELS
        for depth in (0, 1000, 30_000)
    ]
    together = Asker(load, here).estimate(cases).rows
    assert [ask(model=each.model, bandwidth=256, depth=each.depth) for each in cases] == list(
        together
    )


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"bandwidth": 256}, "predict.no_model"),
        ({"model": "qwen3-8b"}, "predict.no_device"),
        ({"model": "qwen3-8b", "device": "rtx-4095"}, "hardware.unknown_device"),
        ({"model": "qwen3-8b", "device": "rtx-3080"}, "hardware.ambiguous_device"),
        ({"model": "qwen3-8b", "device": "ddr5-5600"}, "hardware.memory_needs_channels"),
        ({"model": "qwen3-8b", "device": "here", "host": "ddr5-5600 x2"}, "predict.host_of_here"),
        ({"model": "qwen3-8b", "device": "here", "bandwidth": 1}, "predict.device_twice"),
        ({"model": "qwen3-8b", "bandwidth": 1, "depth": -1}, "predict.out_of_range"),
        ({"model": "qwen3-8b", "bandwidth": 1, "prompt": 0}, "predict.out_of_range"),
        (
            {"model": "qwen3-8b", "bandwidth": 1, "depth": 300, "context": 300},
            "predict.context_too_small",
        ),
    ],
)
def test_a_question_that_means_nothing_is_a_usage_error(
    question: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ask(**question)
    assert caught.value.message == message
    assert caught.value.exit_code == 2


def test_a_known_device_bounds_decode_and_says_whether_it_fits() -> None:
    row = ask(model="gpt-oss-20b", device="rtx-3090", depth=470)
    assert row.device == "GeForce RTX 3090"
    # 936.2e9 / 2,589,401,844 = 361.551
    assert row.ceiling_tokens_per_s == pytest.approx(361.551, abs=5e-4)
    assert row.decode is not None
    assert row.decode.basis == row.basis == "public"
    assert (row.prefill, row.wait) == (None, None)
    assert row.fits is not None
    assert (row.fits.capacity_bytes, row.fits.verdict) == (24 * 2**30, "fits")


def test_a_given_compute_bounds_prefill() -> None:
    """Engines compute in several types, some faster than any that is published of a device."""
    given = ask(model="gpt-oss-20b", device="rtx-3090", prompt=512, tflops=7.12)
    free = ask(model="gpt-oss-20b", device="rtx-3090", prompt=512)
    assert given.prefill is not None
    assert free.prefill is not None
    assert free.prefill.high is not None
    assert given.prefill.high is not None
    assert given.prefill.high < free.prefill.high


def test_two_cards_have_the_ceiling_of_one_and_the_room_of_two() -> None:
    one = ask(model="qwen3-coder-30b", device="RTX 5070")
    two = ask(model="qwen3-coder-30b", device="2x RTX 5070")
    assert one.ceiling_tokens_per_s == two.ceiling_tokens_per_s
    assert one.fits is not None
    assert two.fits is not None
    # 18.6 GB of weights: not in 12 GiB, but in 24 GiB.
    assert (one.fits.verdict, one.decode) == ("does_not_fit", None)
    assert two.fits.verdict == "fits"
    assert two.fits.capacity_bytes == 24 * 2**30
    shares = two.fits.devices
    assert [share.device for share in shares] == ["GeForce RTX 5070"] * 2
    assert sum(share.resident_bytes for share in shares) == two.fits.resident_bytes
    # 49 layers, the output layer among them: 25 and 24.
    assert [share.layers for share in shares] == [25, 24]
    assert "predict.assumes_split" in [each.message for each in two.assumes]


def test_a_device_and_its_host_are_one_question() -> None:
    apart = ask(model="qwen3-8b", device="EPYC 7302", host="ddr4-3200 x7")
    together = ask(model="qwen3-8b", device="EPYC 7302 + ddr4-3200 x7")
    assert apart == together
    assert apart.device == "EPYC 7302 + DDR4-3200 x7"
    assert apart.read_bytes is not None
    assert apart.ceiling_tokens_per_s == pytest.approx(179.2e9 / apart.read_bytes)
    # Nobody said how large the modules are.
    assert apart.fits is not None
    assert apart.fits.verdict == "unknown"


def test_a_persons_memory_stands_for_the_devices() -> None:
    row = ask(model="qwen3-8b", device="M4 Max", memory=36)
    assert row.device == "Apple M4 Max (32-core GPU)"
    assert row.fits is not None
    assert row.fits.capacity_bytes == 36 * 10**9
    measured = ask(model="qwen3-8b", device="here", memory=4)
    assert measured.fits is not None
    assert measured.fits.verdict == "does_not_fit"


def test_every_figure_that_the_ceiling_rests_on_is_said() -> None:
    texts = [each.text() for each in ask(model="qwen3-8b", device="rtx-3090").assumes]
    assert texts[:4] == [
        "llama.cpp",
        "one stream",
        "all layers on one device",
        "936.2 GB/s as published",
    ]


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.nan, math.inf])
def test_a_bandwidth_that_cannot_be_is_refused(bandwidth: float) -> None:
    with pytest.raises(UsageError):
        ask(model="qwen3-8b", bandwidth=bandwidth)


def test_a_model_that_is_not_understood_gets_no_number() -> None:
    strange = Header.build(
        {"general.architecture": "strange", "general.name": "Strange"},
        [("blk.0.attn_q.weight", (64, 64), "F32")],
    )
    with pytest.raises(InputError) as caught:
        Asker(lambda _: build_model(strange), here).estimate([Case(model="s", bandwidth=1)])
    # Nobody knows whether it writes, so it is not said that it doesn't.
    assert caught.value.message == "predict.not_modelled"


def test_an_encoder_is_said_not_to_write() -> None:
    encoder = Header.build(
        {"general.architecture": "bert", "bert.block_count": 1, "bert.embedding_length": 64},
        [("token_embd.weight", (64, 64), "F32"), ("blk.0.attn_q.weight", (64, 64), "F32")],
    )
    with pytest.raises(InputError) as caught:
        Asker(lambda _: build_model(encoder), here).estimate([Case(model="s", bandwidth=1)])
    assert caught.value.message == "predict.no_decode"


def test_a_given_weight_replaces_the_files_own() -> None:
    row = ask(model="qwen3-8b", bandwidth=100, weight_bytes=4e9)
    assert row.read_bytes == 4_000_000_000
    assert row.ceiling_tokens_per_s == pytest.approx(25.0)


def test_a_depth_beyond_the_training_is_said() -> None:
    row = ask(model="qwen3-8b", bandwidth=256, depth=50_000)
    assert any("40,960" in each.text() for each in row.assumes)


def test_rows_keep_the_order_of_the_questions_and_say_why_one_has_no_answer() -> None:
    def missing(name: str) -> Model:
        if name == "gone":
            raise InputError("library.no_name")
        return load(name)

    cases: list[Case | TokenroofError] = [
        Case(model="gone", bandwidth=1, depth=5),
        Case(model="qwen3-8b", bandwidth=256),
        UsageError("predict.bad_case", line=3, reason="odd"),
        Case(model="gpt-oss-20b", bandwidth=256),
    ]
    rows = Asker(missing, here).estimate_each(cases).rows
    assert [row.model for row in rows] == ["gone", "Qwen3 8B", None, "Gpt Oss 20B"]
    assert [row.error is None for row in rows] == [False, True, False, True]
    assert rows[0].to_dict()["error"].startswith("The model's name is empty")
    assert rows[0].to_dict()["decode"] is None
    assert rows[0].depth == 5
    assert "error" not in rows[1].to_dict()


POSITIVE = st.floats(1e6, 1e15)


@given(
    st.lists(st.tuples(POSITIVE, POSITIVE, POSITIVE, POSITIVE), min_size=1, max_size=5),
    st.floats(1.01, 100),
)
def test_more_bandwidth_is_never_slower_and_more_bytes_never_faster(
    rows: list[tuple[float, float, float, float]], factor: float
) -> None:
    read, bandwidth, resident, capacity = map(np.array, zip(*rows, strict=True))
    unknown = np.full(len(rows), np.nan)

    def rates(read_bytes: np.ndarray, bytes_per_second: np.ndarray) -> np.ndarray:
        questions = Questions(
            read_bytes, bytes_per_second, resident, capacity, unknown, unknown, unknown
        )
        return answer(questions).decode_tokens_per_second

    plain = rates(read, bandwidth)
    assert (rates(read, bandwidth * factor) > plain).all()
    assert (rates(read * factor, bandwidth) < plain).all()


def test_nothing_to_read_is_unknown_not_infinitely_fast() -> None:
    nothing, unknown = np.zeros(1), np.full(1, np.nan)
    questions = Questions(nothing, np.ones(1), nothing, unknown, unknown, unknown, unknown)
    assert math.isnan(answer(questions).decode_tokens_per_second[0])
    assert answer(questions).verdicts == ["unknown"]


def test_a_device_without_a_bandwidth_has_no_ceiling() -> None:
    unmeasured = Device(name="a CPU", source="hardware.source_here", place="cpu")
    case = Case(model="qwen3-8b", device="here")
    (row,) = Asker(load, lambda: unmeasured).estimate([case]).rows
    assert row.ceiling_tokens_per_s is None
    assert row.decode is not None
    assert row.decode.high is None


def test_the_given_device_is_named_as_the_contract_shows() -> None:
    assert given_device(256).name == "256 GB/s"
