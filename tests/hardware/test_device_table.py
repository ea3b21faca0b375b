"""The table of devices: what must hold of every row, and figures that are known from elsewhere."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import get_args

import pytest

from support.source import ROOT
from tokenroof.hardware.device_table import (
    FILE,
    Figure,
    KnownDevice,
    device_table,
    devices_by_name,
)

PACKAGED = ROOT / "src" / "tokenroof" / "hardware" / FILE


@cache
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_devices", ROOT / "tools/make_devices.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> Iterator[KnownDevice]:
    yield from device_table().devices


def test_the_packaged_table_is_what_the_source_tables_say() -> None:
    made = gzip.decompress(tool().packed(tool().table()))
    assert gzip.decompress(PACKAGED.read_bytes()) == made, "run tools/make_devices.py"


def test_the_packaged_table_is_small() -> None:
    assert PACKAGED.stat().st_size < 300_000


def test_no_two_devices_bear_one_name() -> None:
    assert len(devices_by_name()) == len(device_table().devices) >= 754


def test_published_and_computed_bandwidth_agree_within_three_percent_or_the_row_says_why() -> None:
    apart = {
        row.name: row.note
        for row in rows()
        for figure in (row.bandwidth_gb_s, row.published_gb_s)
        if figure is not None and abs(figure / row.computed_gb_s - 1) > 0.03
    }
    assert None not in apart.values(), apart


def test_computed_bandwidth_is_bus_width_times_data_rate() -> None:
    for row in rows():
        computed = row.bus_width_bits / 8 * row.data_rate_mtps / 1000
        assert row.computed_gb_s == pytest.approx(computed, abs=0.001), row.name


def test_the_published_bandwidth_is_used_unless_it_rounds_the_exact_one_down() -> None:
    for row in rows():
        if row.published_gb_s is None or row.published_gb_s == row.bandwidth_gb_s:
            continue
        # Not less than is published, but for a last digit, and what the bus moves.
        assert row.bandwidth_gb_s > row.published_gb_s * 0.998, row.name
        assert row.bandwidth_gb_s == pytest.approx(row.computed_gb_s, rel=0.001), row.name


def test_every_known_figure_has_a_source() -> None:
    for row in rows():
        known = {figure for figure in get_args(Figure) if getattr(row, figure)}
        sourced = {figure for source in row.sources for figure in source.figures}
        assert known == sourced, row.name
        assert all(source.text for source in row.sources), row.name


def test_what_nobody_confirmed_is_a_figure_that_is_there() -> None:
    for row in rows():
        assert all(getattr(row, figure) for figure in row.unverified), row.name


def test_sizes_of_memory_come_smallest_first() -> None:
    for row in rows():
        assert list(row.memory_gb) == sorted(set(row.memory_gb)), row.name


@pytest.mark.parametrize(
    ("name", "bandwidth", "memory"),
    [
        # NVIDIA's, AMD's and Apple's own pages.
        ("GeForce RTX 3090", 936.2, (24,)),
        ("GeForce RTX 4090", 1008, (24,)),
        ("GeForce RTX 5090", 1792, (32,)),
        ("GeForce RTX 3080", 760, (10,)),
        ("GeForce RTX 3080 12 GB", 912, (12,)),
        ("GeForce RTX 5070", 672, (12,)),
        ("GeForce RTX 5070 Mobile", 384, (8,)),
        ("Radeon RX 7900 XTX", 960, (24,)),
        ("Ryzen AI Max+ 395 (Radeon 8060S)", 256, (32, 64, 96, 128)),
        ("Apple M4 Max (32-core GPU)", 410, (36,)),
        ("Apple M4 Max (40-core GPU)", 546, (48, 64, 128)),
        # 1024 bits of LPDDR5-6400; Apple printed 800 for the older ones, 819 for this one.
        ("Apple M3 Ultra (80-core GPU)", 819, (96, 256, 512)),
        ("Apple M1 Ultra (64-core GPU)", 819.2, (64, 128)),
        ("DGX Spark (GB10)", 273, (128,)),
    ],
)
def test_figures_that_vendors_print(name: str, bandwidth: float, memory: tuple[float, ...]) -> None:
    row = devices_by_name()[name]
    assert row.bandwidth_gb_s == pytest.approx(bandwidth, rel=0.001)
    assert row.memory_gb == memory


def test_a_row_that_contradicts_itself_stops_the_tool() -> None:
    row = {
        "name": "X", "vendor": "Y", "kind": "gpu", "memory_type": "GDDR6", "bus_width_bits": "128",
        "data_rate_mtps": "16000", "bandwidth_gb_s": "300", "published_gb_s": "", "memory_gb": "8",
        "fp16_tflops": "", "fp32_tflops": "", "int8_tops": "", "power_w": "", "pcie": "4.0 x8",
        "year": "2024",
        "unverified": "", "source": "S", "memory_source": "", "compute_source": "",
        "power_source": "", "note": "",
    }  # fmt: skip
    # 128 / 8 x 16 = 256
    with pytest.raises(ValueError, match=r"300\.0 is not 256\.0"):
        tool()._device(row)
    assert tool()._device({**row, "note": "why"}).bandwidth_gb_s == 300
    # 16 GT/s x 8 lanes x 128/130 / 8 bits = 15.754
    assert tool()._device({**row, "note": "why"}).link_gb_s == 15.754
    with pytest.raises(ValueError, match="no figure speed"):
        tool()._device({**row, "bandwidth_gb_s": "256", "unverified": "speed"})
