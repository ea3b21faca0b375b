"""Energy, where the machine counts it: RAPL for processors and memory, NVML for NVIDIA's GPUs.

    joules of a phase = counter at its end - counter at its beginning

These are counters of whole devices, so they hold whatever else the device did, and its idling; on
a quiet machine that is the run. Nothing is worked out from a power figure that was read now and
then. Linux lets only the administrator read RAPL unless it was told otherwise; then there is none.

RAPL counts in a register that begins again at `max_energy_range_uj`, every quarter of an hour or
so under load, so it is read every half second and each such fall counts as one turn.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from tokenroof.hardware.nvml import gpu_name, handles, open_nvml

POWERCAP = Path("/sys/class/powercap")

_PACKAGE = re.compile(r"package-\d+", re.ASCII)
_MEMORY = "dram"
"""Memory is counted apart from the package on the machines that count it; the other parts of a
package are in its own figure, and `psys`, the whole board, is in no other's words."""


class Counter(Protocol):
    """One counter that only grows."""

    @property
    def name(self) -> str:
        """What it counts, as a person would call it."""

    def joules(self) -> float | None:
        """What it counted since it was first read; None where it cannot be read."""


class RaplCounter:
    """One domain of the powercap tree."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._file = folder / "energy_uj"
        self._range = _number(folder / "max_energy_range_uj")
        self._before: int | None = None
        self._total = 0

    def joules(self) -> float | None:
        """See `Counter`."""
        now = _number(self._file)
        if now is None:
            return None
        if self._before is not None:
            grown = now - self._before
            if grown < 0:
                if self._range is None:
                    return None
                grown += self._range
            self._total += grown
        self._before = now
        return self._total / 1e6


class NvmlCounter:
    """One GPU; from Volta on, the driver counts its energy since it was loaded."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self.name = gpu_name(nvml, handle)
        self._nvml = nvml
        self._handle = handle
        self._first: float | None = None

    def joules(self) -> float | None:
        """See `Counter`."""
        ask = getattr(self._nvml, "nvmlDeviceGetTotalEnergyConsumption", None)
        if ask is None:
            return None
        try:
            now = float(ask(self._handle)) / 1000
        except self._nvml.NVMLError:
            return None
        if self._first is None:
            self._first = now
        return now - self._first

    def is_used_by(self, pids: Sequence[int]) -> bool | None:
        """Whether one of these processes computes on it; None where the driver does not tell."""
        try:
            running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
        except (self._nvml.NVMLError, AttributeError):
            return None
        return any(process.pid in set(pids) for process in running)


class EnergyMeter:
    """All counters that a run may draw on.

    Args:
        cpu: counters of the processor and its memory.
        gpus: counters of GPUs.
        own_pids: the engine's process ids at this moment.
        engine_on_gpu: False where the engine runs on the CPU, so that a GPU only idles.
    """

    def __init__(
        self,
        cpu: Sequence[Counter] = (),
        gpus: Sequence[NvmlCounter] = (),
        own_pids: Callable[[], Sequence[int]] = tuple,
        engine_on_gpu: bool | None = None,
    ) -> None:
        self._cpu = tuple(cpu)
        self._gpus = () if engine_on_gpu is False else tuple(gpus)
        self._own_pids = own_pids

    def counters(self) -> tuple[Counter, ...]:
        """Those that count for a run that begins now: the processor, and the GPUs that it uses.

        In a container the driver's process ids are not ours; a single GPU is then the one. Of
        several, none is, because nothing says which.
        """
        pids = tuple(self._own_pids())
        used = [gpu for gpu in self._gpus if gpu.is_used_by(pids)]
        if not used and len(self._gpus) == 1:
            used = list(self._gpus)
        return (*self._cpu, *used)

    def begin(self) -> Energy:
        """Begin to count for one run."""
        return Energy(self.counters())


class Energy:
    """What a run draws, by phase. Times are told by who runs it: `mark` at the first token.

    Args:
        counters: what to read.
    """

    def __init__(self, counters: Sequence[Counter]) -> None:
        self._counters = tuple(counters)
        # Who watches polls in a thread of its own.
        self._lock = threading.Lock()
        self._first = self._read()
        self._middle: float | None = None
        self._last: float | None = None
        self.steps_before_mark: int | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return tuple(counter.name for counter in self._counters)

    def poll(self) -> None:
        """Read, so that no turn of a register is missed."""
        self._read()

    def mark(self, steps_done: int) -> None:
        """The prompt is read, and so many tokens are there; only the first call counts."""
        if self.steps_before_mark is None:
            self.steps_before_mark = steps_done
            self._middle = self._read()

    def end(self) -> None:
        """The run is over."""
        self._last = self._read()

    @property
    def joules(self) -> float | None:
        """Of the whole run."""
        return _between(self._first, self._last)

    @property
    def prefill_joules(self) -> float | None:
        """From the beginning to the mark."""
        return _between(self._first, self._middle)

    @property
    def decode_joules(self) -> float | None:
        """From the mark to the end."""
        return _between(self._middle, self._last)

    def _read(self) -> float | None:
        with self._lock:
            read = [counter.joules() for counter in self._counters]
        known = [each for each in read if each is not None]
        return sum(known) if known and len(known) == len(read) else None


def energy_meter(
    own_pids: Callable[[], Sequence[int]],
    engine_on_gpu: bool | None = None,
    powercap: Path = POWERCAP,
    nvml: Any | None = None,
) -> EnergyMeter:
    """The counters that this machine has and lets us read."""
    library = nvml or open_nvml()
    gpus = [] if library is None else [NvmlCounter(library, each) for each in handles(library)]
    return EnergyMeter(
        rapl_counters(powercap),
        [gpu for gpu in gpus if gpu.joules() is not None],
        own_pids,
        engine_on_gpu,
    )


def rapl_counters(powercap: Path = POWERCAP) -> list[RaplCounter]:
    """Packages, and memory where it is counted apart, as far as they may be read."""
    found = []
    for folder in sorted(powercap.glob("intel-rapl:*")):  # AMD's processors too
        name = _text(folder / "name")
        if _PACKAGE.fullmatch(name) or name == _MEMORY:
            counter = RaplCounter(folder, f"RAPL {folder.name.partition(':')[2]} {name}")
            if counter.joules() is not None:
                found.append(counter)
    return found


def _between(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else max(last - first, 0.0)


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="ascii", errors="replace").strip()
    return ""
