"""Predictions by public knowledge: what must hold for any device, model and condition."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.this_cpu import this_cpu
from tokenroof.gguf import Header
from tokenroof.hardware.device import Device
from tokenroof.hardware.device_table import device_table, devices_by_name
from tokenroof.model import Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.memory.footprint import KINDS
from tokenroof.predict.public import physics, rates
from tokenroof.predict.public.asked import prompt_of, steps_of
from tokenroof.predict.public.coefficients import knowledge, prefill_seconds
from tokenroof.predict.public.conditions import Conditions, era, flash, levels
from tokenroof.predict.public.device_class import backend_of, device_class
from tokenroof.predict.public.effects import Coefficient, values
from tokenroof.predict.records import Rate, Row
from tokenroof.recipes.mixes import nearest_plain

MODELS: dict[str, Callable[[], Header]] = {
    "qwen3-8b": qwen3_8b,
    "gpt-oss-20b": gpt_oss_20b,
    "qwen3-coder-30b": qwen3_coder_30b,
}

GIVEN = [
    each.name
    for each in device_table().devices
    if each.kind in ("gpu", "apu", "soc", "cpu") and each.vendor not in ("generic", "Moore Threads")
]

devices = st.sampled_from(GIVEN)
models = st.sampled_from(sorted(MODELS))
depths = st.integers(0, 60_000)


def ask(**question: object) -> Row:
    (row,) = ASKER.estimate([Case(**question)]).rows  # type: ignore[arg-type]
    return row


def load(name: str) -> Model:
    return build_model(MODELS[name]())


def here() -> Device:
    return this_cpu()


ASKER = Asker(load, here)


def rate(row: Row) -> float:
    assert row.decode is not None
    assert row.decode.tokens_per_s is not None
    return row.decode.tokens_per_s


def check_interval(found: Rate) -> None:
    assert found.low is not None
    assert found.high is not None
    assert found.tokens_per_s is not None
    assert 0 < found.low <= found.tokens_per_s <= found.high


@settings(max_examples=60, deadline=None)
@given(devices, models, depths, st.booleans())
def test_a_prediction_lies_in_its_interval_and_under_its_ceiling(
    device: str, model: str, depth: int, flash_attention: bool
) -> None:
    row = ask(
        model=model,
        device=device,
        depth=depth,
        prompt=700,
        memory=1000.0,
        flash_attention=flash_attention,
    )
    assert row.decode is not None
    assert row.prefill is not None
    assert row.basis == row.decode.basis == "public"
    check_interval(row.decode)
    check_interval(row.prefill)
    assert row.ceiling_tokens_per_s is not None
    assert row.decode.high is not None
    assert row.decode.high <= row.ceiling_tokens_per_s * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(devices, models, depths, depths)
def test_more_depth_is_never_faster(device: str, model: str, one: int, other: int) -> None:
    shallow, deep = sorted((one, other))
    speeds = [
        rate(ask(model=model, device=device, depth=depth, memory=1000.0))
        for depth in (shallow, deep)
    ]
    assert speeds[1] <= speeds[0] * (1 + 1e-12)


@settings(max_examples=150, deadline=None)
@given(devices, models, st.integers(1, 3000), st.integers(0, 600), st.sampled_from([None, 128]))
def test_a_longer_prompt_is_never_read_sooner(
    device: str, model: str, tokens: int, more: int, ubatch: int | None
) -> None:
    assert_longer_takes_longer(tokens, more, device=device, model=model, ubatch=ubatch)


@pytest.mark.parametrize("tokens", [512, 1024, 4096])
def test_a_token_in_a_new_micro_batch_does_not_speed_up_cards_that_share_the_layers(
    tokens: int,
) -> None:
    cards = {"device": "2x rtx-3090", "split_mode": "layer", "model": "qwen3-8b"}
    assert_longer_takes_longer(tokens, 1, **cards)


@pytest.mark.parametrize("tokens", [16, 24, 32])
def test_few_tokens_are_not_read_later_than_many_by_experts(tokens: int) -> None:
    assert_longer_takes_longer(tokens, 64 - tokens, device="rtx-3090", model="gpt-oss-20b")


def assert_longer_takes_longer(tokens: int, more: int, **question: object) -> None:
    seconds = []
    for prompt in (tokens, tokens + more):
        row = ask(prompt=prompt, memory=1000.0, **question)
        assert row.prefill is not None
        assert row.prefill.tokens_per_s is not None
        seconds.append(prompt / row.prefill.tokens_per_s)
    assert seconds[0] <= seconds[1] * (1 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(devices, st.floats(0.5e9, 20e9), st.floats(1.0, 3.0))
def test_more_bytes_of_the_same_types_are_never_faster(
    device: str, weight_bytes: float, factor: float
) -> None:
    speeds = [
        rate(ask(model="qwen3-8b", device=device, weight_bytes=each, memory=1000.0))
        for each in (weight_bytes, weight_bytes * factor)
    ]
    assert speeds[1] <= speeds[0] * (1 + 1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 11), st.integers(1, 5), st.integers(0, 36))
def test_more_bandwidth_of_the_host_is_never_slower(
    channels: int, more: int, gpu_layers: int
) -> None:
    speeds = [
        rate(
            ask(
                model="qwen3-8b",
                device="GeForce RTX 3080",
                host=f"ddr5-5600 x{count}",
                gpu_layers=gpu_layers,
            )
        )
        for count in (channels, channels + more)
    ]
    assert speeds[1] >= speeds[0] * (1 - 1e-12)


coefficient = st.floats(-14.0, 4.0)
amount = st.floats(0.0, 1e11)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(coefficient, min_size=len(physics.DECODE), max_size=len(physics.DECODE)),
    st.lists(amount, min_size=len(KINDS), max_size=len(KINDS)),
    st.floats(1e9, 1e13),
    st.floats(1.0, 10.0),
)
def test_whatever_the_coefficients_more_bandwidth_is_never_slower(
    coefficients: list[float], read: list[float], bandwidth: float, factor: float
) -> None:
    of = {
        name: np.array([value] * 2)
        for name, value in zip(physics.DECODE, coefficients, strict=True)
    }
    one = np.ones(2)
    bytes_ = np.array([read, read])
    asked = physics.Decode(
        bandwidth=np.array([bandwidth, bandwidth * factor]),
        arithmetic=one * 1e13,
        read_bytes=bytes_,
        expert_bytes=bytes_ / 2,
        weights=bytes_ * 2,
        matrices=one * 200,
        expert_layers=one * 20,
        state_layers=one * 10,
        hops=one,
        cache_bytes=one * 1e8,
        attention_flop=one * 1e9,
    )
    slow, fast = physics.decode_seconds(of, asked).tolist()
    assert fast <= slow * (1 + 1e-12)


def test_a_time_is_the_sum_of_its_parts() -> None:
    """One kind of weights on a processor with coefficients that make hand arithmetic easy."""
    far = -50.0
    of = {name: np.array([far]) for name in physics.DECODE}
    of |= {
        "slack": np.array([math.log(0.25)]),
        "matrix": np.array([math.log(1e-5)]),
        "cache": np.array([math.log(1.0)]),
        "engine": np.array([0.0]),
    }
    read = np.zeros((1, len(KINDS)))
    read[0, KINDS.index("K")] = 4e9
    zero = np.zeros(1)
    asked = physics.Decode(
        bandwidth=np.array([100e9]),
        arithmetic=np.array([1e13]),
        read_bytes=read,
        expert_bytes=read * 0,
        weights=read * 2,
        matrices=np.array([250.0]),
        expert_layers=zero,
        state_layers=zero,
        hops=zero,
        cache_bytes=np.array([1e9]),
        attention_flop=zero,
    )
    # 4 GB x 1.25 / 100 GB/s = 50 ms; 250 launches of 10 us = 2.5 ms; 1 GB x 2 x 1.25 / 100 = 25 ms
    assert physics.decode_seconds(of, asked)[0] == pytest.approx(0.0775, rel=1e-6)


def prompt_on(*, gain: float = 1.0, power: float = 1.0) -> physics.Prefill:
    """1e12 operations with weights, nothing besides, on a processor of 1e13 a second."""
    zero, one = np.zeros(1), np.ones(1)
    kinds = np.zeros((1, len(KINDS)))
    kinds[0, KINDS.index("K")] = 1.0
    return physics.Prefill(
        bandwidth=one * 1e12,
        arithmetic=one * 1e13,
        gain=one * gain,
        power=one * power,
        tokens=one * 512,
        batches=one,
        linear_flop=one * 1e12,
        kinds=kinds,
        expert_share=zero,
        tokens_per_expert=one * 512,
        weight_bytes=zero,
        cache_bytes=zero,
        attention_flop=zero,
        matrices=zero,
        state_layers=zero,
        overlap=one,
    )


def reading(asked: physics.Prefill, **logarithms: float) -> float:
    of = {name: np.array([-50.0]) for name in physics.PREFILL}
    given = {"compute": 0.0, "engine": 0.0, "multiply:K": 0.0, **logarithms}
    of |= {name: np.array([value]) for name, value in given.items()}
    return float(physics.prefill_seconds(of, asked)[0])


def test_a_prompt_takes_its_operations_over_the_rate_that_units_and_watts_allow() -> None:
    units, power = math.log(1 / 2), math.log(1 / 3)
    # 1e12 / 1e13 = 0.1 s.
    assert reading(prompt_on(), units=units, power=power) == pytest.approx(0.1)
    # Units that are 16 times as fast, half of the way: 16^(1/2) = 4 times.
    assert reading(prompt_on(gain=16), units=units, power=power) == pytest.approx(0.025)
    # An eighth of the watts for an operation: the clock falls to (1/8)^(1/3) = 1/2.
    assert reading(prompt_on(power=1 / 8), units=units, power=power) == pytest.approx(0.2)


@settings(max_examples=100, deadline=None)
@given(coefficient, coefficient, coefficient, st.floats(1.0, 64.0), st.floats(1.0, 10.0))
def test_whatever_the_coefficients_more_power_and_faster_units_are_never_slower(
    compute: float, units: float, power: float, gain: float, factor: float
) -> None:
    of = {"compute": compute, "units": min(units, 1.0), "power": min(power, 1.0)}
    slow = reading(prompt_on(gain=gain, power=0.5), **of)
    assert reading(prompt_on(gain=gain, power=0.5 * factor), **of) <= slow * (1 + 1e-12)
    assert reading(prompt_on(gain=gain * factor, power=0.5), **of) <= slow * (1 + 1e-12)


def test_rates_and_watts_are_the_published_ones() -> None:
    """FP32, small numbers and watts by the makers' tables; 6e-12 J an operation is usual."""
    named = devices_by_name()
    strix = named["Ryzen AI Max+ 395 (Radeon 8060S)"]
    card, apple = named["GeForce RTX 4090"], named["Apple M1 (8-core GPU)"]
    plain = rates.arithmetic(strix, 256e9, None, on_cpu=False)
    assert plain == 29.7e12
    # 59.4 / 29.7, and 120 W / 29.7e12 = 4.04e-12 J.
    assert rates.gain(strix, plain, on_cpu=False) == pytest.approx(2.0)
    assert rates.power(strix, plain, on_cpu=False) == pytest.approx(4.0404 / 6, rel=1e-3)
    # 660.6 TOP/s of INT8 over 82.58; 450 W / 82.58e12 = 5.449e-12 J.
    assert rates.gain(card, 82.58e12, on_cpu=False) == pytest.approx(8.0, rel=1e-3)
    assert rates.power(card, 82.58e12, on_cpu=False) == pytest.approx(5.449 / 6, rel=1e-3)
    # Nobody publishes the watts of Apple's chips, and nothing is known of a processor's cores.
    assert rates.power(apple, 2.62e12, on_cpu=False) == 1.0
    assert (rates.gain(strix, 1e12, on_cpu=True), rates.power(strix, 1e12, on_cpu=True)) == (1, 1)


def test_a_card_gets_what_its_lanes_move_and_no_more_than_the_host_has() -> None:
    named = devices_by_name()
    # 16 GT/s x 8 lanes x 128/130 / 8 bits; of 32 GT/s x 16 lanes half, by the host's slot.
    laptop, newest = named["GeForce RTX 4070 Mobile"], named["GeForce RTX 5090"]
    assert rates.link(laptop) == pytest.approx(15.754e9, rel=1e-4)
    assert newest.link_gb_s == pytest.approx(63.015, rel=1e-4)
    assert rates.link(newest) == rates.link(None) == 31.5e9


def test_weights_with_the_host_cost_a_prompt_twice_on_half_of_the_lanes() -> None:
    """What the answer has beside the card's own part: bytes over the link, times one factor."""
    question = ASKER.question(
        Case(model="qwen3-8b", device="GeForce RTX 3080", prompt=512, gpu_layers=18, memory=10.0)
    )
    steps = steps_of(question, 0)
    assert steps is not None
    prompt = prompt_of(question, steps)
    assert prompt is not None

    def seconds(lanes: float) -> float:
        found = [replace(step, link=step.link * lanes) for step in steps]
        return float(prefill_seconds(knowledge(), [found], [prompt])[0])

    without = seconds(1e12)
    assert seconds(0.5) - without == pytest.approx(2 * (seconds(1.0) - without), rel=1e-6)
    # 18 of 36 blocks' weights, 2.2 GB at 31.5 GB/s, are 70 ms; copying reaches part of that.
    assert 0.07 < seconds(1.0) - without < 0.25


def test_a_chip_with_half_of_the_watts_reads_slower_than_its_paper_says() -> None:
    """Two chips of one generation with the same figures but for the watts."""
    known = knowledge().coefficients["prefill gpu"]
    of = {name: known[name].start for name in ("units", "power")}
    less = reading(prompt_on(gain=2, power=0.5), **of) / reading(prompt_on(gain=2, power=1), **of)
    # At most the square root, at least the sixth root, of half as many watts.
    assert 2 ** (1 / 6) < less < 2 ** (1 / 2)


def test_a_class_that_was_never_seen_adds_nothing() -> None:
    one = Coefficient(start=-1.0, classes={"architecture": {"nv-ada": 0.5}})
    found = values({"slack": one}, [{"architecture": "nv-ada"}, {"architecture": "nv-next"}, {}])
    assert found["slack"].tolist() == [-0.5, -1.0, -1.0]


@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("GeForce RTX 4090", "nv-ada"),
        ("GeForce RTX 4070 Mobile", "nv-ada"),
        ("RTX 6000 Ada Generation", "nv-ada"),
        ("RTX PRO 6000 Blackwell", "nv-blackwell"),
        ("A100 SXM4 80 GB", "nv-ampere_hbm"),
        ("RTX A6000", "nv-ampere"),
        ("H100 SXM5 80 GB", "nv-hopper"),
        ("Tesla P100 PCIe 16 GB", "nv-pascal_hbm"),
        ("Tesla P40", "nv-pascal"),
        ("Quadro RTX 5000", "nv-turing"),
        ("GeForce GTX 1660", "nv-turing_plain"),
        ("Tesla K80", "nv-maxwell"),
        ("Jetson AGX Orin 64 GB", "nv-ampere"),
        ("DGX Spark (GB10)", "nv-blackwell"),
        ("Radeon RX 7900 XTX", "amd-rdna3"),
        ("Radeon RX 9070 XT", "amd-rdna4"),
        ("Radeon Instinct MI60", "amd-vega"),
        ("Radeon Instinct MI300X", "amd-cdna"),
        ("Ryzen AI Max+ 395 (Radeon 8060S)", "amd-strix"),
        ("Radeon 680M (Ryzen 6900HX)", "amd-apu"),
        ("Apple M4 Pro (20-core GPU)", "apple-m4"),
        ("Arc B580", "intel-xe2"),
        ("Arc A770 16 GB", "intel-xe1"),
        ("Raspberry Pi 400", "cpu-arm_soc"),
        ("EPYC 9374F", "cpu-server"),
        ("Core i7-7700HQ", "cpu-old"),
        ("Ryzen 9 7950X", "cpu-desktop"),
    ],
)
def test_a_device_is_of_its_generation(name: str, architecture: str) -> None:
    assert device_class(devices_by_name()[name], on_cpu=False).architecture == architecture


def test_every_device_has_a_class() -> None:
    named = {
        each.name: device_class(each, on_cpu=False).architecture for each in device_table().devices
    }
    others = {name for name, found in named.items() if found.startswith("other")}
    # Cards of makers of whom there is no measurement.
    kinds = {devices_by_name()[name].vendor for name in others}
    assert kinds <= {"Moore Threads", "Tenstorrent", "Huawei", "Intel"}


@pytest.mark.parametrize(
    ("said", "vendor", "backend"),
    [
        ("CUDA", "nv", "cuda"),
        ("CUDA/ROCm", "nv", "cuda"),
        ("CUDA/ROCm", "amd", "rocm"),
        ("Vulkan (RADV)", "amd", "vulkan"),
        ("MTL,BLAS", "apple", "metal"),
        ("HIP", "amd", "rocm"),
        (None, "nv", "cuda"),
        (None, "apple", "metal"),
        (None, "amd", "vulkan"),
        ("GPU", "intel", "vulkan"),
    ],
)
def test_a_backend_is_known_by_what_engines_call_it(
    said: str | None, vendor: str, backend: str
) -> None:
    assert backend_of(said, vendor, on_cpu=False) == backend


def test_cores_of_a_chip_are_a_processor() -> None:
    chip = devices_by_name()["Apple M2 Max (38-core GPU)"]
    of = levels(chip, Conditions(backend="CPU"), on_cpu=True)
    assert (of["architecture"], of["vendor"]) == ("cpu-unified", "cpu cpu")


@pytest.mark.parametrize(
    ("date", "version", "found"),
    [
        ("2023-11-22", None, "2023"),
        ("2024-05", None, "2024"),
        ("2025-06-30", None, "2025a"),
        ("2025-07", None, "2025b"),
        ("2026-08-04", "b4000", "2026"),
        (None, "b1500", "2023"),
        (None, "b6077 (83bc2f28)", "2025b"),
        (None, "b10470", "2026"),
        (None, "8e672ef", "2026"),
        (None, None, "2026"),
    ],
)
def test_an_engine_is_of_the_year_of_its_build(
    date: str | None, version: str | None, found: str
) -> None:
    assert era(Conditions(engine="llama.cpp", engine_version=version, date=date)) == found


def test_flash_attention_is_on_where_nobody_says_and_the_build_is_new() -> None:
    assert flash(Conditions())
    assert flash(Conditions(date="2026-01-01"))
    assert not flash(Conditions(date="2024-05"))
    assert not flash(Conditions(flash_attention=False))


def test_a_device_of_an_unknown_kind_has_a_ceiling_only() -> None:
    for question in ({"device": "Tenstorrent Blackhole p150"}, {"bandwidth": 512.0}):
        row = ask(model="qwen3-8b", **question)
        assert row.decode is not None
        assert (row.decode.tokens_per_s, row.basis) == (None, "spec")


def test_a_wider_class_has_a_wider_interval() -> None:
    """A device of a kind with many measured ones against one with none."""
    known = knowledge()

    def width(key: str) -> float:
        return known.spreads[key].slower - known.spreads[key].faster

    assert width("decode dense start few") > width("decode dense start many")
    assert width("decode partial") > width("decode dense start many")


def test_what_is_shipped_is_read_without_loss() -> None:
    known = knowledge()
    again = msgspec.json.decode(msgspec.json.encode(known), type=type(known))
    assert again == known
    assert set(physics.DECODE) == set(known.coefficients["decode gpu"])
    assert set(physics.PREFILL) == set(known.coefficients["prefill cpu"])


def test_a_publishers_mix_is_predicted_where_its_bytes_are_given() -> None:
    def found(name: str) -> Model:
        asked.append(name)
        return load("qwen3-8b")

    asked: list[str] = []
    asker = Asker(found, here)
    question = Case(model="qwen3-8b@UD-Q4_K_XL", device="GeForce RTX 3080", memory=10.0)
    asker.question(msgspec.structs.replace(question, weight_bytes=5e9))
    asker.question(question)
    assert asked == ["qwen3-8b@Q4_K_M", "qwen3-8b@UD-Q4_K_XL"]


@pytest.mark.parametrize(
    ("mix", "plain"),
    [
        ("UD-Q4_K_XL", "Q4_K_M"),
        ("UD-Q8_K_XL", "Q8_0"),
        ("UD-IQ2_XXS", "IQ2_XXS"),
        ("Q5_K_L", "Q5_K_M"),
        ("UD-Q2_K_XL", "Q2_K"),
        ("i1-IQ3_M", "IQ3_M"),
        ("EXL2", None),
    ],
)
def test_a_mix_is_named_after_a_plain_type(mix: str, plain: str | None) -> None:
    assert nearest_plain(mix) == plain
