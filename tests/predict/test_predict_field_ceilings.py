"""Ceilings of public reports: what people measured, and what the bytes allowed."""

from __future__ import annotations

from functools import cache

import pytest

from tokenroof.model import Model, build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.recipes import blueprint, find


@cache
def load(name: str) -> Model:
    entry, _, kind = name.partition("@")
    return build_model(blueprint(find(entry)).header(kind))


def ceiling(**question: object) -> float:
    asker = Asker(load, lambda: pytest.fail("nothing is measured here"))
    (row,) = asker.estimate([Case(**question)]).rows  # type: ignore[arg-type]
    assert row.ceiling_tokens_per_s is not None
    return row.ceiling_tokens_per_s


@pytest.mark.parametrize(
    ("weight_bytes", "bandwidth", "expected", "measured"),
    [
        # B001: 70B in NVFP4 on a DGX Spark: by the data sheet, and by what was read at most.
        (40.61e9, 273, 6.72, 4.1),
        (40.61e9, 233, 5.74, 4.1),
        # B002: 9B in 4 bits on an M4 Pro and an M3 Ultra.
        (5.1e9, 273, 53.5, 43.4),
        (5.1e9, 819, 160.6, 101),
        # B003: 31B and 27B dense on Strix Halo.
        (18.6e9, 256, 13.8, 11),
        (16_817_244_384, 256, 15.2, 11.6),
        # B013: 70B in F16 on two sockets of eight channels of DDR5-6400.
        (141.1e9, 819.2, 5.81, 4.31),
        # B019: 7B on a GB10 that ran on the processor after all.
        (4.68e9, 273, 58.3, 6.2),
    ],
)
def test_reports_with_their_own_byte_counts(
    weight_bytes: float, bandwidth: float, expected: float, measured: float
) -> None:
    found = ceiling(model="qwen3-8b@Q4_K_M", bandwidth=bandwidth, weight_bytes=weight_bytes)
    assert found == pytest.approx(expected, rel=0.005)
    assert measured < found


@pytest.mark.parametrize(
    ("bandwidth", "model", "expected", "measured"),
    [
        # Q4_K_M, single stream, cache left out: a community's measurements against 448 GB/s...
        (448, "llama-3.1-8b", 97.0, 71.87),
        (448, "qwen3-8b", 95.9, 69.34),
        (448, "qwen2.5-7b", 102.5, 76.96),
        (448, "qwen3-4b", 179.8, 110.6),
        # ...and 672, 800, 273 and 112 GB/s
        (672, "llama-3.1-8b", 145.5, 105.32),
        (672, "qwen3-4b", 269.7, 155.99),
        (672, "qwen3-14b", 78.5, 59.01),
        (800, "qwen3-8b", 171.2, 114.33),
        (800, "qwen3-32b", 41.4, 31.58),
        (273, "llama-3.1-8b", 59.1, 47.25),
        (273, "qwen3-14b", 31.9, 26.64),
        (112, "qwen3-4b", 45.0, 17.32),
        # B028: 3.3B of 30B are read a token, 1.92 GB: neither all of it nor the experts alone.
        (800, "qwen3-30b-a3b", 416.8, 151.77),
        (273, "qwen3-30b-a3b", 142.2, 70.55),
    ],
)
def test_reports_of_models_that_are_known(
    bandwidth: float, model: str, expected: float, measured: float
) -> None:
    found = ceiling(model=f"{model}@Q4_K_M", bandwidth=bandwidth)
    assert found == pytest.approx(expected, rel=0.01)
    assert measured < found


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        # B014: seven of eight channels of DDR4-3200, and four of DDR5-4400.
        ("ddr4-3200 x7", 179.2),
        ("ddr4-3200 x8", 204.8),
        ("ddr5-4400 x4", 140.8),
        # B041: two cards in turn are one card's bandwidth.
        ("2x RTX 3090", 936.2),
        ("RTX 3080 12 GB", 912.4),
    ],
)
def test_a_devices_own_bandwidth_bounds_it(device: str, expected: float) -> None:
    read = load("qwen3-8b@Q4_K_M").decode_weight_bytes
    assert read is not None
    found = ceiling(model="qwen3-8b@Q4_K_M", device=device)
    assert found * float(read) / 1e9 == pytest.approx(expected, rel=1e-3)


def test_an_engine_that_keeps_all_layers_whole_reads_more() -> None:
    """B036: gpt-oss-120b keeps 18 of 36 layers in full: 36,864 B a token beside its windows."""
    model = load("gpt-oss-120b@MXFP4_MOE")
    assert model.kv_bytes_per_token() == 36_864
    # 18 windows of 128 tokens x 2,048 B, which no longer grow.
    assert model.kv_read(10_000) == 10_000 * 36_864 + 18 * 128 * 2048
