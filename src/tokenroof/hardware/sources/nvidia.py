"""NVIDIA's GPUs, by the management library that comes with the driver.

The library tells the width of the memory's bus and its highest clock. Data moves on both edges
of that clock, so bus / 8 x clock x 2 is what the memory moves at most: for a GeForce RTX 3090
384 / 8 x 9751 MHz x 2 = 936 GB/s.
"""

from __future__ import annotations

from typing import Any

from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.hardware.nvml import ask, gpu_name, handles, open_nvml

_HELD_DOWN = 0x04 | 0x08 | 0x20 | 0x40 | 0x80
"""Bits of the reasons for a lowered clock: power cap, slowdown, heat, brake."""


def nvidia_gpus(nvml: Any | None = None) -> tuple[Gpu, ...]:
    """Every GPU that answers; none without a driver.

    Args:
        nvml: the opened library; it is opened, and closed again, if none is given.
    """
    opened = open_nvml() if nvml is None else None
    library = nvml or opened
    if library is None:
        return ()
    try:
        driver = _text(_system(library, "nvmlSystemGetDriverVersion"))
        return tuple(_gpu(library, handle, driver) for handle in handles(library))
    finally:
        if opened is not None:
            opened.nvmlShutdown()


def _gpu(nvml: Any, handle: Any, driver: str | None) -> Gpu:
    memory = ask(nvml, handle, "nvmlDeviceGetMemoryInfo")
    used = ask(nvml, handle, "nvmlDeviceGetUtilizationRates")
    running = ask(nvml, handle, "nvmlDeviceGetComputeRunningProcesses")
    bandwidth = _bandwidth_gb_s(nvml, handle)
    return Gpu(
        name=gpu_name(nvml, handle),
        vendor="NVIDIA",
        source="NVML",
        # Chips that share the system's memory have none of their own to report.
        is_unified=None if memory is not None else True,
        memory_total_bytes=None if memory is None else int(memory.total),
        memory_free_bytes=None if memory is None else int(memory.free),
        bandwidth_gb_s=bandwidth,
        bandwidth_source=None if bandwidth is None else "driver",
        driver=driver,
        link=_link(nvml, handle),
        power_limit_watts=_watts(ask(nvml, handle, "nvmlDeviceGetPowerManagementLimit")),
        default_power_limit_watts=_watts(
            ask(nvml, handle, "nvmlDeviceGetPowerManagementDefaultLimit")
        ),
        busy=None if used is None else float(used.gpu) / 100,
        other_processes=None if running is None else len(running),
        clocks_held_down=_held_down(nvml, handle),
        api=("CUDA",),
    )


def _bandwidth_gb_s(nvml: Any, handle: Any) -> float | None:
    bits = ask(nvml, handle, "nvmlDeviceGetMemoryBusWidth")
    memory_clock = getattr(nvml, "NVML_CLOCK_MEM", 2)
    mhz = ask(nvml, handle, "nvmlDeviceGetMaxClockInfo", memory_clock)
    return round(bits / 8 * mhz * 2 / 1000, 1) if bits and mhz else None


def _link(nvml: Any, handle: Any) -> Link | None:
    link = Link(
        generation=ask(nvml, handle, "nvmlDeviceGetCurrPcieLinkGeneration"),
        lanes=ask(nvml, handle, "nvmlDeviceGetCurrPcieLinkWidth"),
        most_generation=ask(nvml, handle, "nvmlDeviceGetMaxPcieLinkGeneration"),
        most_lanes=ask(nvml, handle, "nvmlDeviceGetMaxPcieLinkWidth"),
    )
    return None if link == Link() else link


def _held_down(nvml: Any, handle: Any) -> bool | None:
    # The library renamed the question; older drivers know only the old name.
    bits = ask(nvml, handle, "nvmlDeviceGetCurrentClocksEventReasons")
    if bits is None:
        bits = ask(nvml, handle, "nvmlDeviceGetCurrentClocksThrottleReasons")
    return None if bits is None else bool(bits & _HELD_DOWN)


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def _system(nvml: Any, question: str) -> Any | None:
    answer = getattr(nvml, question, None)
    try:
        return None if answer is None else answer()
    except nvml.NVMLError:
        return None


def _text(value: Any) -> str | None:
    # Older packages give bytes.
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
