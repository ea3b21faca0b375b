from __future__ import annotations

import math

import pytest

from tokenroof.errors import UsageError
from tokenroof.hardware.device import (
    Device,
    Ran,
    bus_bandwidth,
    ceiling_bandwidth,
    given_device,
)

CPU = Device(
    name="a CPU",
    source="hardware.source_measured",
    place="cpu",
    bandwidth_bytes_per_second=80e9,
    bandwidth_basis="measured",
)
GPU = Device(
    name="a GPU",
    source="hardware.source_nvml",
    place="gpu",
    bandwidth_bytes_per_second=936.2e9,
    bandwidth_basis="spec",
)


@pytest.mark.parametrize(
    ("bits", "rate", "bytes_per_second"),
    [
        # 256 / 8 = 32 bytes a transfer x 8000e6 transfers a second.
        (256, 8000, 256e9),
        # Eight DIMM channels of 64 bits, one of them empty: 7 x 8 x 3200e6, not 204.8e9.
        (7 * 64, 3200, 179.2e9),
        (4 * 64, 4400, 140.8e9),
        # The 384 and the 512 bit bins of one Apple chip: 48 x 8533e6 and 64 x 8533e6.
        (384, 8533, 409.584e9),
        (512, 8533, 546.112e9),
    ],
)
def test_a_bus_moves_its_width_times_its_rate(
    bits: int, rate: int, bytes_per_second: float
) -> None:
    assert bus_bandwidth(bits, rate) == bytes_per_second


def test_a_given_device_scales_its_figures_without_a_rounding_error() -> None:
    device = given_device(936.2, memory_gb=24, tflops=35.6)
    assert device.name == "936.2 GB/s"
    assert device.bandwidth_bytes_per_second == 936_200_000_000
    assert device.memory_bytes == 24_000_000_000
    assert device.flop_per_second == 35_600_000_000_000
    assert device.bandwidth_basis == "given"


def test_a_given_device_leaves_unknown_what_was_not_given() -> None:
    device = given_device(256)
    assert device.name == "256 GB/s"
    assert (device.memory_bytes, device.flop_per_second, device.place) == (None, None, None)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_a_given_figure_must_be_a_positive_number(value: float) -> None:
    with pytest.raises(UsageError, match="--bandwidth"):
        given_device(value)
    with pytest.raises(UsageError, match="--memory"):
        given_device(256, memory_gb=value)
    with pytest.raises(UsageError, match="--tflops"):
        given_device(256, tflops=value)


@pytest.mark.parametrize(("device", "ran"), [(CPU, "cpu"), (GPU, "gpu")])
def test_a_bandwidth_is_the_ceiling_of_what_ran_in_its_place(device: Device, ran: Ran) -> None:
    ceiling = ceiling_bandwidth(device, ran)
    assert ceiling.bytes_per_second == device.bandwidth_bytes_per_second
    assert ceiling.basis == device.bandwidth_basis
    assert ceiling.notices == ()


@pytest.mark.parametrize(
    ("device", "ran", "notice"),
    [
        (CPU, "gpu", "ceiling_other_place"),
        (CPU, None, "ceiling_place_unknown"),
        (CPU, "mixed", "ceiling_two_places"),
        (GPU, "cpu", "ceiling_other_place"),
        (GPU, None, "ceiling_place_unknown"),
        (given_device(256), "mixed", "ceiling_two_places"),
        (None, "cpu", "bandwidth_unknown"),
        (Device(name="x", source="hardware.source_here", place="cpu"), "cpu", "bandwidth_unknown"),
    ],
)
def test_a_bandwidth_of_another_place_is_no_ceiling_and_the_reason_is_said(
    device: Device | None, ran: Ran | None, notice: str
) -> None:
    ceiling = ceiling_bandwidth(device, ran)
    assert ceiling.bytes_per_second is None
    assert ceiling.basis is None
    assert [each.id for each in ceiling.notices] == [notice]
    assert ceiling.notices[0].text("ja") != ceiling.notices[0].text("en")


@pytest.mark.parametrize("ran", ["cpu", "gpu", None])
def test_what_the_person_gives_is_the_ceiling_wherever_it_ran(ran: Ran | None) -> None:
    assert ceiling_bandwidth(given_device(256), ran).bytes_per_second == 256e9
