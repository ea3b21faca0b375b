"""An NVIDIA GPU, by its management library: use by others, clocks, heat, and what holds it down.

The driver tells how busy the GPU is, whoever it was; which process used how much it tells only on
some systems. While a run of ours may be on the GPU, others' share is therefore given only where
the driver names our own processes among those it counts; in a container the numbers of processes
differ from the driver's, ours are not found, and the share is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tokenroof.hardware.nvml import gpu_name, handles, open_nvml
from tokenroof.measure.sensors.base import Reading, ThrottleReason

REASONS: tuple[tuple[int, ThrottleReason], ...] = (
    (0x04, "sw_power_cap"),
    (0x08, "hw_slowdown"),
    (0x20, "sw_thermal"),
    (0x40, "hw_thermal"),
    (0x80, "hw_power_brake"),
)
"""Bits of the library's clock-event reasons that hold the clocks down. The others (idle, clocks
set by the person, display) say nothing about a run."""


def throttle_reasons(bits: int) -> tuple[ThrottleReason, ...]:
    """The names of the bits that hold the clocks down."""
    return tuple(name for bit, name in REASONS if bits & bit)


class NvidiaSensor:
    """Watches one GPU.

    Args:
        nvml: the opened management library.
        handle: the GPU's handle.
        own_pids: our processes that may use the GPU.
        engine_on_gpu: False where the engine runs on the CPU, so that all use is others'.
    """

    def __init__(
        self,
        nvml: Any,
        handle: Any,
        own_pids: Callable[[], Sequence[int]] = tuple,
        engine_on_gpu: bool | None = None,
    ) -> None:
        self._nvml = nvml
        self._handle = handle
        self._own_pids = own_pids
        self._engine_on_gpu = engine_on_gpu
        self._seen_microseconds = 0
        self.name = gpu_name(nvml, handle)
        self._used_before = self._used()

    def read(self, *, ours_running: bool) -> Reading:
        """Use by others, clocks, heat and reasons now."""
        ours = ours_running and self._engine_on_gpu is not False
        clock = self._ask("nvmlDeviceGetClockInfo", getattr(self._nvml, "NVML_CLOCK_SM", 1))
        celsius = self._ask(
            "nvmlDeviceGetTemperature", getattr(self._nvml, "NVML_TEMPERATURE_GPU", 0)
        )
        milliwatts = self._ask("nvmlDeviceGetPowerUsage")
        return Reading(
            busy=self._others_busy() if ours else self._busy(),
            throttle_reasons=self._reasons(),
            clock_mhz=None if clock is None else float(clock),
            temperature_celsius=None if celsius is None else float(celsius),
            power_watts=None if milliwatts is None else float(milliwatts) / 1000,
            other_processes=self._other_processes(),
            own_vram_bytes=self._own_vram(),
        )

    def _busy(self) -> float | None:
        rates = self._ask("nvmlDeviceGetUtilizationRates")
        return None if rates is None else float(rates.gpu) / 100

    def _others_busy(self) -> float | None:
        samples = self._ask("nvmlDeviceGetProcessUtilization", self._seen_microseconds)
        if not samples:
            return None
        self._seen_microseconds = max(
            self._seen_microseconds, *(int(sample.timeStamp) for sample in samples)
        )
        own = set(self._own_pids())
        if not any(sample.pid in own for sample in samples):
            return None
        others = sum(int(sample.smUtil) for sample in samples if sample.pid not in own)
        return min(others / 100, 1.0)

    def _reasons(self) -> tuple[ThrottleReason, ...] | None:
        # The library renamed the question; older drivers know only the old name.
        bits = self._ask("nvmlDeviceGetCurrentClocksEventReasons")
        if bits is None:
            bits = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons")
        return None if bits is None else throttle_reasons(bits)

    def _other_processes(self) -> int | None:
        running = self._ask("nvmlDeviceGetComputeRunningProcesses")
        if running is None:
            return None
        own = set(self._own_pids())
        return sum(1 for process in running if process.pid not in own)

    def _own_vram(self) -> int | None:
        """What our processes hold of it.

        In a container the driver's process ids are not ours. Where it counts one process at most,
        that is the engine, and what is in use beyond what was before it began is its own.
        """
        running = self._ask("nvmlDeviceGetComputeRunningProcesses")
        if running is None or self._engine_on_gpu is False:
            return None
        own = set(self._own_pids())
        sizes = [
            int(process.usedGpuMemory)
            for process in running
            if process.pid in own and getattr(process, "usedGpuMemory", None)
        ]
        if sizes:
            return sum(sizes)
        used = self._used()
        if len(running) > 1 or used is None or self._used_before is None:
            return None
        return max(used - self._used_before, 0) or None

    def _used(self) -> int | None:
        memory = self._ask("nvmlDeviceGetMemoryInfo")
        return None if memory is None else int(memory.used)

    def _ask(self, question: str, *arguments: object) -> Any | None:
        """The library's answer; None where this GPU, driver or package has none."""
        ask = getattr(self._nvml, question, None)
        if ask is None:
            return None
        try:
            return ask(self._handle, *arguments)
        except self._nvml.NVMLError:
            return None


def nvidia_sensors(
    own_pids: Callable[[], Sequence[int]] = tuple,
    engine_on_gpu: bool | None = None,
    nvml: Any | None = None,
) -> list[NvidiaSensor]:
    """One sensor for each GPU that answers; none without a driver."""
    library = nvml or open_nvml()
    if library is None:
        return []
    return [NvidiaSensor(library, handle, own_pids, engine_on_gpu) for handle in handles(library)]
