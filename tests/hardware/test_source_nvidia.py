# ruff: noqa: N802 - the library's own names
"""NVIDIA: the management library, and its program where the library cannot be loaded."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.recorded import programs, recorded
from tokenroof.hardware.gpus import find_gpus
from tokenroof.hardware.sources.nvidia import nvidia_gpus
from tokenroof.hardware.sources.nvidia_smi import nvidia_smi_gpus

GIB, MIB = 2**30, 2**20


class NvmlError(Exception):
    pass


class Library:
    """One GPU, as `nvidia-smi -q` shows such a card."""

    NVMLError = NvmlError
    NVML_CLOCK_MEM = 2

    def __init__(self, name: str, total_mib: int | None, bits: int, memory_mhz: int) -> None:
        self.name = name
        self.total_mib = total_mib
        self.bits = bits
        self.memory_mhz = memory_mhz

    def nvmlDeviceGetCount(self) -> int:
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlSystemGetDriverVersion(self) -> bytes:
        return b"570.86.15"

    def nvmlDeviceGetName(self, handle: int) -> str:
        return self.name

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:
        if self.total_mib is None:
            raise NvmlError
        return SimpleNamespace(total=self.total_mib * MIB, free=(self.total_mib - 400) * MIB)

    def nvmlDeviceGetMemoryBusWidth(self, handle: int) -> int:
        return self.bits

    def nvmlDeviceGetMaxClockInfo(self, handle: int, clock: int) -> int:
        assert clock == 2
        return self.memory_mhz

    def nvmlDeviceGetCurrPcieLinkGeneration(self, handle: int) -> int:
        return 1

    def nvmlDeviceGetMaxPcieLinkGeneration(self, handle: int) -> int:
        return 4

    def nvmlDeviceGetCurrPcieLinkWidth(self, handle: int) -> int:
        return 16

    def nvmlDeviceGetMaxPcieLinkWidth(self, handle: int) -> int:
        return 16

    def nvmlDeviceGetPowerManagementLimit(self, handle: int) -> int:
        return 280_000

    def nvmlDeviceGetPowerManagementDefaultLimit(self, handle: int) -> int:
        return 350_000

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> Any:
        return SimpleNamespace(gpu=4, memory=1)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: int) -> int:
        return 0x04

    def nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[Any]:
        raise NvmlError


RTX_3090 = ("NVIDIA GeForce RTX 3090", 24576, 384, 9751)


def test_the_library_tells_everything_that_matters() -> None:
    (gpu,) = nvidia_gpus(Library(*RTX_3090))
    assert (gpu.name, gpu.driver, gpu.source) == ("NVIDIA GeForce RTX 3090", "570.86.15", "NVML")
    assert (gpu.memory_total_bytes, gpu.memory_free_bytes) == (24 * GIB, 24176 * MIB)
    # 384 / 8 x 9751 MHz x 2
    assert (gpu.bandwidth_gb_s, gpu.bandwidth_source) == (936.1, "driver")
    assert (gpu.power_limit_watts, gpu.default_power_limit_watts) == (280, 350)
    assert gpu.link is not None
    assert (gpu.link.generation, gpu.link.most_generation, gpu.link.lanes) == (1, 4, 16)
    assert (gpu.busy, gpu.clocks_held_down, gpu.other_processes) == (0.04, True, None)


@pytest.mark.parametrize(
    ("library", "device", "bandwidth", "source"),
    [
        (RTX_3090, "GeForce RTX 3090", 936.2, "table"),
        # The name is ambiguous, the memory is not.
        (("NVIDIA GeForce RTX 3080", 10240, 320, 9501), "GeForce RTX 3080", 760.3, "table"),
        (("NVIDIA GeForce RTX 3080", 12288, 384, 9501), "GeForce RTX 3080 12 GB", 912.4, "table"),
        (("NVIDIA GeForce RTX 4090", 24564, 384, 10501), "GeForce RTX 4090", 1008.4, "table"),
        (
            ("NVIDIA GeForce RTX 4090", 49140, 384, 10501),
            "GeForce RTX 4090 48 GB (modified)",
            1008.4,
            "table",
        ),
        # GDDR6 and GDDR6X, both 12 GB: only the driver knows. 192 / 8 x 10501 x 2 = 504.0
        (("NVIDIA GeForce RTX 4070", 12282, 192, 10501), None, 504.0, "driver"),
        (("NVIDIA GeForce RTX 4070", 12282, 192, 10001), None, 480.0, "driver"),
        # Not in the table: what the driver tells, and never a neighbour's figure.
        (("NVIDIA RTX 9999", 24576, 512, 8751), None, 1120.1, "driver"),
        (("NVIDIA Graphics Device", 24576, 0, 0), None, None, None),
    ],
)
def test_a_gpus_bandwidth_is_the_tables_only_where_it_is_certainly_that_device(
    tmp_path: Path,
    library: tuple[str, int, int, int],
    device: str | None,
    bandwidth: float | None,
    source: str | None,
) -> None:
    (gpu,) = find_gpus(system="Linux", root=tmp_path, run=programs({}), nvml=Library(*library))
    assert (gpu.device, gpu.bandwidth_gb_s, gpu.bandwidth_source) == (device, bandwidth, source)


def test_a_chip_on_the_systems_memory_reports_none_of_its_own(tmp_path: Path) -> None:
    library = Library("NVIDIA GB10", None, 0, 0)
    (gpu,) = find_gpus(system="Linux", root=tmp_path, run=programs({}), nvml=library)
    assert (gpu.device, gpu.is_unified, gpu.memory_total_bytes) == ("DGX Spark (GB10)", True, None)
    assert gpu.bandwidth_gb_s == pytest.approx(273, abs=0.2)


def test_the_program_tells_where_the_library_cannot_be_loaded() -> None:
    card, chip = nvidia_smi_gpus(programs({"nvidia-smi": recorded("nvidia_smi.csv")}))
    assert (card.name, card.memory_total_bytes) == ("NVIDIA GeForce RTX 3090", 24 * GIB)
    assert (card.power_limit_watts, card.default_power_limit_watts) == (280, 350)
    assert card.link is not None
    assert (card.link.lanes, card.link.most_lanes) == (8, 16)
    # What it does not know is unknown, not 0.
    assert (chip.memory_total_bytes, chip.link, chip.power_limit_watts) == (None, None, None)
    assert chip.busy == 0.96


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
        "No devices were found\n",
        'Field "power.default_limit" is not a valid field to query.\n',
    ],
)
def test_a_message_is_no_gpu(text: str) -> None:
    assert nvidia_smi_gpus(programs({"nvidia-smi": text})) == ()
