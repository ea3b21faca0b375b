"""The system, the processor and the memory of this machine, as far as they tell."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from tokenroof.doctor.records import MemoryState, Processor, SystemState
from tokenroof.hardware import cgroup, cpu
from tokenroof.hardware.bandwidth import ReadBandwidth
from tokenroof.hardware.device_names import meanings
from tokenroof.hardware.device_table import devices_by_name
from tokenroof.hardware.machine import Machine
from tokenroof.hardware.memory_modules import CHANNEL_BITS, MemoryLayout, claimed_bandwidth
from tokenroof.hardware.sources import dmi, numa, power, surroundings
from tokenroof.hardware.sources.apple import apple_machine
from tokenroof.hardware.sources.cim import cim
from tokenroof.hardware.sources.commands import Run, output
from tokenroof.predict.learnt.profile import Profile
from tokenroof.predict.learnt.profile_device import bandwidth_here
from tokenroof.units import GB

T = TypeVar("T")

_FOR_BOARDS_OF_TWO = ("EPYC", "Xeon")
"""Processors of which a board may hold several: their channels count for each."""


def known(look: Callable[[], T | None]) -> T | None:
    """What `look` finds; None where it fails: a sick machine is what the page is for."""
    try:
        return look()
    except Exception:
        return None


def system_state(
    machine: Machine, system: str | None = None, root: Path = Path("/"), run: Run = output
) -> SystemState:
    """The system and what it runs in.

    Args:
        machine: what is known of it already.
        system: what `platform.system` would say.
        root: where the Linux system's files are looked for.
        run: runs programs of the system.
    """
    system = platform.system() if system is None else system
    shared = SystemState(
        os=machine.os,
        kernel=machine.kernel,
        governor=machine.governor,
        on_battery=machine.on_battery,
        swap_used_bytes=known(_swap_used_bytes),
    )
    if system == "Darwin":
        told = SystemState(
            board=known(lambda: apple_machine(run).model),
            power_profile=known(lambda: power.macos_profile(run)),
        )
    elif system == "Windows":
        told = SystemState(
            board=known(lambda: cim(run).board()),
            power_profile=known(lambda: power.windows_profile(run)),
        )
    else:
        board = known(lambda: dmi.board(root))
        told = SystemState(
            board=board,
            container=known(lambda: surroundings.container(root)),
            virtual_machine=known(lambda: surroundings.virtual_machine(root, board)),
            frequency_driver=known(lambda: power.linux_frequency_driver(root)),
            energy_preference=known(lambda: power.linux_energy_preference(root)),
            power_profile=known(lambda: power.linux_profile(root)),
            boost=known(lambda: power.linux_boost(root)),
            nodes=known(lambda: numa.nodes(root)) or (),
        )
    return SystemState(
        os=shared.os,
        kernel=shared.kernel,
        board=told.board,
        container=told.container,
        virtual_machine=told.virtual_machine,
        governor=shared.governor,
        frequency_driver=told.frequency_driver,
        energy_preference=told.energy_preference,
        power_profile=told.power_profile,
        boost=told.boost,
        on_battery=shared.on_battery,
        swap_used_bytes=shared.swap_used_bytes,
        nodes=told.nodes,
    )


def processor(machine: Machine, root: Path = Path("/")) -> Processor:
    """The processor, with what the table says of it where it is certainly one of its devices.

    Args:
        machine: what is known of it already.
        root: where the Linux system's files are looked for.
    """
    found = meanings(machine.cpu_name) if machine.cpu_name else ()
    device = devices_by_name().get(found[0]) if len(found) == 1 else None
    sockets = known(lambda: cpu.sockets(root))
    if sockets is None and device is not None and not device.name.startswith(_FOR_BOARDS_OF_TWO):
        sockets = 1
    return Processor(
        name=machine.cpu_name,
        device=None if device is None else device.name,
        sockets=sockets,
        rated_gb_s=(
            device.bandwidth_gb_s * sockets if device is not None and sockets is not None else None
        ),
        most_channels=(
            int(device.bus_width_bits) // CHANNEL_BITS * sockets
            if device is not None and sockets is not None and device.kind == "cpu"
            else None
        ),
        physical_cores=machine.physical_cores,
        logical_cores=machine.logical_cores,
        usable_cores=machine.usable_cores,
        quota_cores=machine.quota_cores,
        cache_bytes=machine.cache_bytes,
    )


def memory_layout(
    system: str | None = None, root: Path = Path("/"), run: Run = output
) -> MemoryLayout | None:
    """The populated modules; None where nobody tells."""
    system = platform.system() if system is None else system
    if system == "Darwin":
        return known(lambda: apple_machine(run).layout)
    if system == "Windows":
        return known(lambda: cim(run).memory_layout())
    return known(lambda: dmi.memory_layout(root))


def memory_state(
    machine: Machine,
    processor: Processor,
    layout: MemoryLayout | None,
    read: ReadBandwidth | None,
    root: Path = Path("/"),
    *,
    profiles: Sequence[Profile] = (),
) -> MemoryState:
    """The memory: what it is said to move, what was read, and what was read when it was calibrated.

    Of soldered memory the table knows what it moves; of memory in sockets only the modules tell.
    """
    claim = None if layout is None else claimed_bandwidth(layout, processor.most_channels)
    device = devices_by_name().get(processor.device or "")
    claimed = None if claim is None else claim.bytes_per_second / GB
    if claimed is None and device is not None and device.kind == "soc":
        claimed = device.bandwidth_gb_s
    measured = None if read is None else read.best_bytes_per_second / GB
    limit = known(lambda: cgroup.memory_limit_bytes(root))
    then = next((each for each in profiles if bandwidth_here(each, machine)), None)
    return MemoryState(
        total_bytes=machine.memory_total_bytes,
        available_bytes=machine.memory_available_bytes,
        limit_bytes=limit if limit == machine.memory_total_bytes else None,
        layout=layout,
        channels=None if claim is None else claim.channels,
        claimed_gb_s=_rounded(claimed),
        claimed_is_bound=claim is not None and claim.is_bound,
        measured_gb_s=_rounded(measured),
        measured_lowest_gb_s=None if read is None else _rounded(read.lowest_bytes_per_second / GB),
        measured_threads=None if read is None else read.threads,
        measured_share=(None if measured is None or not claimed else round(measured / claimed, 3)),
        calibrated_gb_s=(
            None if then is None else _rounded((bandwidth_here(then, machine) or 0) / GB)
        ),
        calibrated_on=None if then is None else then.created[:10],
    )


def _rounded(gb_per_s: float | None) -> float | None:
    return None if gb_per_s is None else round(gb_per_s, 2)


def _swap_used_bytes() -> int:
    import psutil

    return int(psutil.swap_memory().used)
