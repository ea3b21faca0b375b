"""Every GPU of this machine, once, with all that its sources tell of it.

Vendors' own libraries know most, so they come first; the system and Vulkan add what those leave
out, and the GPUs that have no such library. A GPU's bandwidth is that of the table, where it is
certainly one device of it: by its name, the size of its memory, its number of cores, or the
processor that it is a part of. Else it is what its driver tells; else, where it uses the system's
memory, what that memory moves; else it is unknown.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from tokenroof.hardware.device_names import meanings
from tokenroof.hardware.device_table import devices_by_name
from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.sources.apple import apple_machine
from tokenroof.hardware.sources.cim import cim
from tokenroof.hardware.sources.commands import Run, output
from tokenroof.hardware.sources.drm import amd_gpus, other_gpus
from tokenroof.hardware.sources.dxgi import dxgi_gpus
from tokenroof.hardware.sources.nvidia import nvidia_gpus
from tokenroof.hardware.sources.nvidia_smi import nvidia_smi_gpus
from tokenroof.hardware.sources.rocm_smi import rocm_smi_gpus
from tokenroof.hardware.sources.vulkan import vulkan_gpus
from tokenroof.units import GIB

_SHARES_MEMORY = {"apu", "soc"}

_LEFT_FOR_PROGRAMS = 0.92
"""A driver reports less than is sold: error correction alone takes a sixteenth."""


def find_gpus(
    cpu_name: str | None = None,
    memory_gb_s: float | None = None,
    *,
    system: str | None = None,
    root: Path = Path("/"),
    run: Run = output,
    nvml: Any | None = None,
) -> tuple[Gpu, ...]:
    """Every GPU of this machine; none where nobody tells of one.

    Args:
        cpu_name: of the processor, which some GPUs are part of.
        memory_gb_s: what the system's memory moves at most.
        system: what `platform.system` would say.
        root: where the Linux system's files are looked for.
        run: runs programs of the system.
        nvml: NVIDIA's opened library.
    """
    system = platform.system() if system is None else system
    if system == "Darwin":
        found = list(apple_machine(run).gpus)
    elif system == "Windows":
        found = _on_windows(run, nvml)
    else:
        found = _on_linux(root, run, nvml)
    if system != "Darwin":
        found = _with_vulkan(found, vulkan_gpus(run))
    return tuple(_identified(gpu, cpu_name, memory_gb_s) for gpu in found)


def _on_linux(root: Path, run: Run, nvml: Any | None) -> list[Gpu]:
    nvidia = nvidia_gpus(nvml) or nvidia_smi_gpus(run)
    amd = amd_gpus(root)
    if any(gpu.name.startswith("AMD GPU (") for gpu in amd):
        amd = tuple(_named(amd, rocm_smi_gpus(run)))
    told = [*nvidia, *amd]
    makers = frozenset(gpu.vendor for gpu in told if gpu.vendor is not None)
    return [*told, *other_gpus(root, makers)]


def _on_windows(run: Run, nvml: Any | None) -> list[Gpu]:
    nvidia = list(nvidia_gpus(nvml) or nvidia_smi_gpus(run))
    drivers = cim(run).drivers()
    found = []
    for gpu in dxgi_gpus():
        twin = next((each for each in nvidia if each.name == gpu.name), None)
        if twin is not None:
            nvidia.remove(twin)
            found.append(_replace(twin, shared_total_bytes=gpu.shared_total_bytes))
        else:
            found.append(_replace(gpu, driver=drivers.get(gpu.name)))
    return [*found, *nvidia]


def _named(amd: Iterable[Gpu], listed: Iterable[Gpu]) -> Iterator[Gpu]:
    """GPUs with the names that another list has for those of the same memory."""
    names = {gpu.memory_total_bytes: gpu.name for gpu in listed}
    for gpu in amd:
        yield _replace(gpu, name=names.get(gpu.memory_total_bytes, gpu.name))


def _with_vulkan(found: list[Gpu], seen: tuple[Gpu, ...]) -> list[Gpu]:
    """What was found, with what Vulkan adds; a GPU that it alone sees comes last."""
    merged, left = list(found), []
    for view in seen:
        twins = (
            number
            for number, gpu in enumerate(merged)
            if "Vulkan" not in gpu.api and _is_same(gpu, view)
        )
        at = next(twins, None)
        if at is None:
            left.append(view)
            continue
        gpu = merged[at]
        unified = view.is_unified if gpu.is_unified is None else gpu.is_unified
        nameless = gpu.name in {f"{gpu.vendor} GPU", "GPU"} or gpu.name.startswith("AMD GPU (")
        name = view.name if nameless else gpu.name
        merged[at] = _replace(gpu, name=name, is_unified=unified, api=(*gpu.api, "Vulkan"))
    return merged + left


def _is_same(gpu: Gpu, view: Gpu) -> bool:
    if gpu.pci_id is not None:
        return gpu.pci_id == view.pci_id
    return gpu.vendor == view.vendor and gpu.name == view.name


def _identified(gpu: Gpu, cpu_name: str | None, memory_gb_s: float | None) -> Gpu:
    name = _in_table(gpu, cpu_name)
    device = devices_by_name().get(name or "")
    kinds = {device.kind} if device is not None else _kinds(gpu.chip)
    unified = True if kinds and kinds <= _SHARES_MEMORY else gpu.is_unified
    gpu = _replace(gpu, device=name, is_unified=unified)
    if device is not None:
        return _replace(gpu, bandwidth_gb_s=device.bandwidth_gb_s, bandwidth_source="table")
    if gpu.bandwidth_gb_s is None and unified and memory_gb_s is not None:
        return _replace(gpu, bandwidth_gb_s=memory_gb_s, bandwidth_source="memory")
    return gpu


def _in_table(gpu: Gpu, cpu_name: str | None) -> str | None:
    """The one device of the table that a GPU is; None where it could be several, or none."""
    if gpu.cores is not None:
        found = meanings(f"{gpu.name} ({gpu.cores}-core GPU)")
        if len(found) == 1:
            return found[0]
    # A list of chips has the name in brackets behind the chip: Rembrandt [Radeon 680M].
    inner = re.fullmatch(r".*\[(.+)\]", gpu.name)
    candidates = meanings(gpu.name) or (meanings(inner[1]) if inner else ())
    if len(candidates) > 1 and gpu.memory_total_bytes is not None and not gpu.is_unified:
        candidates = _of_a_size(candidates, gpu.memory_total_bytes / GIB)
    if len(candidates) != 1 and gpu.vendor in {"AMD", "Intel"} and cpu_name is not None:
        part_of = meanings(cpu_name)
        candidates = part_of if _shares(part_of) else candidates
    known = [each for each in candidates if each in devices_by_name()]
    return known[0] if len(candidates) == len(known) == 1 else None


def _of_a_size(names: tuple[str, ...], gib: float) -> tuple[str, ...]:
    """Those that are sold with a size that a driver may report so."""
    devices = devices_by_name()
    return tuple(
        name
        for name in names
        if name in devices
        and any(size * _LEFT_FOR_PROGRAMS <= gib <= size * 1.01 for size in devices[name].memory_gb)
    )


def _shares(names: tuple[str, ...]) -> bool:
    return len(names) == 1 and _kinds(names[0]) <= _SHARES_MEMORY


def _kinds(name: str | None) -> set[str]:
    """The kinds of everything that a name may mean."""
    devices = devices_by_name()
    return {devices[each].kind for each in meanings(name or "") if each in devices}


def _replace(gpu: Gpu, **changes: Any) -> Gpu:
    return msgspec.structs.replace(gpu, **changes)
