"""This machine, as far as it tells: what a reader needs to judge figures that were taken on it."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tokenroof.hardware import cgroup, cpu
from tokenroof.records import Record

T = TypeVar("T")


class Machine(Record, frozen=True, kw_only=True):
    """The environment of a measurement. Unknown is None.

    Attributes:
        os: name and version of the system; `kernel` its kernel's release.
        physical_cores: cores without their second threads; `logical_cores` with them.
        usable_cores: what this process may run on: its affinity, and what a quota leaves.
        quota_cores: how many cores' worth of time a container or service may use.
        memory_total_bytes: what the machine has, or what a container may use if that is less.
        memory_available_bytes: how much of it could be taken now.
        cache_bytes: all last-level caches together.
        governor: the frequency governor.
        on_battery: a laptop that is not plugged in; None where there is no battery.
    """

    os: str | None = None
    kernel: str | None = None
    cpu_name: str | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    quota_cores: float | None = None
    memory_total_bytes: int | None = None
    memory_available_bytes: int | None = None
    cache_bytes: int | None = None
    governor: str | None = None
    on_battery: bool | None = None


def this_machine(root: Path = Path("/"), system: str | None = None) -> Machine:
    """Look at this machine. Never fails: what cannot be found out is None.

    Args:
        root: where the Linux system files are looked for.
        system: what `platform.system` would say.
    """
    system = platform.system() if system is None else system
    quota = _known(lambda: cgroup.quota_cores(root))
    total, available = _memory(root)
    return Machine(
        os=_known(lambda: _os_name(system)),
        kernel=_known(lambda: platform.release() or None),
        cpu_name=_known(lambda: cpu.cpu_name(system, root)),
        physical_cores=_known(_physical_cores),
        logical_cores=_known(os.cpu_count),
        usable_cores=usable_cores(_known(_affinity_cores), quota),
        quota_cores=quota,
        memory_total_bytes=total,
        memory_available_bytes=available,
        cache_bytes=_known(lambda: cpu.cache_bytes(system, root)),
        governor=_known(lambda: cpu.governor(root)),
        on_battery=_known(_on_battery),
    )


def usable_cores(affinity_cores: int | None, quota: float | None) -> int | None:
    """How many threads can run at once: whole cores within the quota, at least one.

    More threads than the quota pays for are all stopped together when it is spent, which is why
    a quota of 1.5 cores counts as one.
    """
    if affinity_cores is None:
        return None
    if quota is None:
        return affinity_cores
    return max(1, min(affinity_cores, math.floor(quota)))


def _known(look: Callable[[], T | None]) -> T | None:
    """What `look` finds; None where it fails.

    Any failure: a missing file, a refused call, a system that lacks the function, a text in
    another form. None of them may keep a measurement from being made.
    """
    try:
        return look()
    except Exception:
        return None


def _os_name(system: str) -> str | None:
    if system == "Linux":
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    if system == "Darwin":
        return f"macOS {platform.mac_ver()[0]}".strip()
    return f"{system} {platform.release()}".strip() or None


def _physical_cores() -> int | None:
    import psutil

    return psutil.cpu_count(logical=False)


def _affinity_cores() -> int | None:
    import psutil

    process = psutil.Process()
    # macOS has no affinity.
    if hasattr(process, "cpu_affinity"):
        return len(process.cpu_affinity())
    return os.cpu_count()


def _memory(root: Path) -> tuple[int | None, int | None]:
    import psutil

    memory = _known(psutil.virtual_memory)
    limit = _known(lambda: cgroup.memory_limit_bytes(root))
    left = _known(lambda: cgroup.memory_left_bytes(root))
    total = None if memory is None else memory.total
    available = None if memory is None else memory.available
    return _smallest(total, limit), _smallest(available, left)


def _smallest(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _on_battery() -> bool | None:
    import psutil

    battery = psutil.sensors_battery()
    if battery is None or battery.power_plugged is None:
        return None
    return not battery.power_plugged
