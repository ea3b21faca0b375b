# ruff: noqa: N802 - the library's own names
"""GPUs, by a stand-in for NVIDIA's library and by a tree of AMD's files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tokenroof.measure.sensors.amd import amd_sensors
from tokenroof.measure.sensors.base import ThrottleReason
from tokenroof.measure.sensors.nvidia import NvidiaSensor, nvidia_sensors, throttle_reasons


class NvmlError(Exception):
    pass


class Library:
    """One GPU that is 70 % busy: our process 11 with 55 %, another, 99, with 15 %."""

    NVMLError = NvmlError
    NVML_CLOCK_SM = 1
    NVML_TEMPERATURE_GPU = 0

    def __init__(self) -> None:
        self.samples: list[tuple[int, int]] | None = [(11, 55), (99, 15)]
        self.reasons = 0x01
        self.since: list[int] = []

    def nvmlDeviceGetCount(self) -> int:
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> str:
        return f"gpu {index}"

    def nvmlDeviceGetName(self, handle: str) -> str:
        return "NVIDIA GeForce RTX 3090"

    def nvmlDeviceGetUtilizationRates(self, handle: str) -> SimpleNamespace:
        return SimpleNamespace(gpu=70, memory=40)

    def nvmlDeviceGetProcessUtilization(self, handle: str, since: int) -> list[SimpleNamespace]:
        self.since.append(since)
        if self.samples is None:
            raise NvmlError
        return [
            SimpleNamespace(pid=pid, smUtil=used, timeStamp=1000 * (1 + len(self.since)))
            for pid, used in self.samples
        ]

    def nvmlDeviceGetComputeRunningProcesses(self, handle: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(pid=11), SimpleNamespace(pid=99)]

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle: str) -> int:
        return self.reasons

    def nvmlDeviceGetClockInfo(self, handle: str, kind: int) -> int:
        assert kind == 1
        return 1695

    def nvmlDeviceGetTemperature(self, handle: str, kind: int) -> int:
        return 71

    def nvmlDeviceGetPowerUsage(self, handle: str) -> int:
        return 314_500


class OlderLibrary(Library):
    """Knows the reasons by their former name, and no power."""

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: str) -> int:
        return 0x40

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle: str) -> int:
        raise NvmlError

    def nvmlDeviceGetPowerUsage(self, handle: str) -> int:
        raise NvmlError


def nvidia(library: Library, on_gpu: bool | None = True) -> NvidiaSensor:
    (sensor,) = nvidia_sensors(lambda: [11], on_gpu, library)
    return sensor


def test_before_a_run_all_use_of_the_gpu_is_others() -> None:
    assert nvidia(Library()).read(ours_running=False).busy == 0.70


def test_while_we_run_on_the_gpu_only_other_processes_count() -> None:
    library = Library()
    sensor = nvidia(library)
    assert [sensor.read(ours_running=True).busy for _ in range(2)] == [0.15, 0.15]
    # Each question asks for what is newer than the answer before.
    assert library.since == [0, 2000]


def test_while_we_run_on_the_cpu_all_use_of_the_gpu_is_others() -> None:
    assert nvidia(Library(), on_gpu=False).read(ours_running=True).busy == 0.70


@pytest.mark.parametrize("samples", [None, [], [(4711, 55), (99, 15)]])
def test_where_the_driver_does_not_name_us_others_share_is_unknown(
    samples: list[tuple[int, int]] | None,
) -> None:
    library = Library()
    library.samples = samples
    for on_gpu in (True, None):
        assert nvidia(library, on_gpu).read(ours_running=True).busy is None


def test_facts_are_given_in_plain_units() -> None:
    reading = nvidia(Library()).read(ours_running=False)
    assert (reading.clock_mhz, reading.temperature_celsius) == (1695.0, 71.0)
    assert reading.power_watts == 314.5
    assert reading.other_processes == 1
    assert reading.throttle_reasons == ()


@pytest.mark.parametrize(
    ("bits", "reasons"),
    [
        (0x00, ()),
        # Idle 1, clocks set by the person 2, sync boost 16, display 256: nothing held down.
        (0x01 | 0x02 | 0x10 | 0x100, ()),
        (0x04, ("sw_power_cap",)),
        (0x08 | 0x40, ("hw_slowdown", "hw_thermal")),
        (0x20 | 0x80, ("sw_thermal", "hw_power_brake")),
    ],
)
def test_reasons_are_the_bits_that_hold_the_clocks_down(
    bits: int, reasons: tuple[ThrottleReason, ...]
) -> None:
    assert throttle_reasons(bits) == reasons


def test_an_older_driver_is_asked_by_the_older_name_and_what_it_lacks_is_unknown() -> None:
    reading = nvidia(OlderLibrary()).read(ours_running=False)
    assert reading.throttle_reasons == ("hw_thermal",)
    assert reading.power_watts is None


def card(root: Path, name: str, vendor: str, percent: str | None) -> Path:
    device = root / name / "device"
    monitor = device / "hwmon" / "hwmon4"
    monitor.mkdir(parents=True)
    (device / "vendor").write_text(f"{vendor}\n")
    (monitor / "freq1_input").write_text("2900000000\n")
    (monitor / "temp1_input").write_text("47000\n")
    (monitor / "power1_average").write_text("55123000\n")
    if percent is not None:
        (device / "gpu_busy_percent").write_text(f"{percent}\n")
    return device


def test_an_amd_gpu_tells_its_use_while_we_do_not_run(tmp_path: Path) -> None:
    card(tmp_path, "card1", "0x1002", "37")
    (sensor,) = amd_sensors(root=tmp_path)
    reading = sensor.read(ours_running=False)
    assert reading.busy == 0.37
    assert (reading.clock_mhz, reading.temperature_celsius) == (2900.0, 47.0)
    assert reading.power_watts == 55.123
    assert reading.throttle_reasons is None


@pytest.mark.parametrize(("on_gpu", "busy"), [(True, None), (None, None), (False, 0.37)])
def test_an_amd_gpu_cannot_tell_ours_from_others_while_we_run_on_it(
    tmp_path: Path, on_gpu: bool | None, busy: float | None
) -> None:
    card(tmp_path, "card0", "0x1002", "37")
    (sensor,) = amd_sensors(on_gpu, tmp_path)
    assert sensor.read(ours_running=True).busy == busy


def test_only_amd_cards_that_tell_how_busy_they_are_become_sensors(tmp_path: Path) -> None:
    card(tmp_path, "card0", "0x10de", "50")
    card(tmp_path, "card1", "0x1002", None)
    card(tmp_path, "card2", "0x1002", "0")
    (tmp_path / "card2-HDMI-A-1").mkdir()
    assert [sensor.name for sensor in amd_sensors(root=tmp_path)] == ["AMD GPU (card2)"]


def test_a_file_that_stops_answering_is_unknown(tmp_path: Path) -> None:
    device = card(tmp_path, "card0", "0x1002", "37")
    (sensor,) = amd_sensors(root=tmp_path)
    (device / "gpu_busy_percent").unlink()
    assert sensor.read(ours_running=False).busy is None


def test_a_machine_without_such_gpus_has_no_sensors(tmp_path: Path) -> None:
    assert amd_sensors(root=tmp_path / "none") == []


class Holding(Library):
    """A GPU whose memory is in use: by these processes, and before we came."""

    def __init__(self, held: dict[int, int | None], used: int) -> None:
        super().__init__()
        self.held = held
        self.used = used

    def nvmlDeviceGetComputeRunningProcesses(self, handle: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(pid=pid, usedGpuMemory=size) for pid, size in self.held.items()]

    def nvmlDeviceGetMemoryInfo(self, handle: str) -> SimpleNamespace:
        return SimpleNamespace(used=self.used)


def test_memory_on_the_gpu_is_that_of_our_processes() -> None:
    library = Holding({11: 5_000, 99: 7_000}, used=13_000)
    sensor = NvidiaSensor(library, "gpu 0", lambda: [11])
    assert sensor.read(ours_running=True).own_vram_bytes == 5_000
    on_cpu = NvidiaSensor(library, "gpu 0", lambda: [11], engine_on_gpu=False)
    assert on_cpu.read(ours_running=True).own_vram_bytes is None


def test_in_a_container_it_is_what_came_into_use_if_nobody_else_can_have_taken_it() -> None:
    library = Holding({}, used=1_000)
    sensor = NvidiaSensor(library, "gpu 0", lambda: [11])
    library.used, library.held = 6_000, {4711: None}
    assert sensor.read(ours_running=True).own_vram_bytes == 5_000
    library.held = {4711: None, 4712: None}
    assert sensor.read(ours_running=True).own_vram_bytes is None
