"""What a container or a service may use of a Linux machine.

A control group can be given a share of the processors and an amount of memory far below what the
machine has; `os.cpu_count` and the free memory do not show it. Each ancestor of our group may
limit us, so the smallest limit on the way up is the one that holds. Version 2 keeps all limits in
one tree, version 1 one tree per controller.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")


def quota_cores(root: Path = ROOT) -> float | None:
    """How many cores' worth of time our group may use; None without a limit."""
    quotas = [
        *(_quota_v2(folder) for folder in _folders(root, "")),
        *(_quota_v1(folder) for folder in _folders(root, "cpu")),
    ]
    return min((quota for quota in quotas if quota is not None), default=None)


def memory_limit_bytes(root: Path = ROOT) -> int | None:
    """How much memory our group may use; None without a limit."""
    return min((limit for _, limit in _memory_limits(root)), default=None)


def memory_left_bytes(root: Path = ROOT) -> int | None:
    """How much of that is left; None without a limit."""
    left = [limit - _memory_used(folder) for folder, limit in _memory_limits(root)]
    return max(min(left), 0) if left else None


def _memory_limits(root: Path) -> Iterator[tuple[Path, int]]:
    for controller, file in (("", "memory.max"), ("memory", "memory.limit_in_bytes")):
        for folder in _folders(root, controller):
            limit = _number(folder / file)
            # Version 1 writes "no limit" as the largest page-aligned 63-bit number.
            if limit is not None and limit < 2**62:
                yield folder, limit


def _memory_used(folder: Path) -> int:
    """What a group holds, less its file cache, which the kernel gives back when it must.

    The active half of it too: it is where a model file lies that was read a moment ago.
    """
    used = _number(folder / "memory.current")
    keys = {"inactive_file", "active_file"}
    if used is None:
        used = _number(folder / "memory.usage_in_bytes")
        keys = {f"total_{key}" for key in keys}
    cached = 0
    for line in (_text(folder / "memory.stat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name in keys and value.isdecimal():
            cached += int(value)
    return max((used or 0) - cached, 0)


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Our group's folder and its ancestors' in one tree, innermost first.

    Inside a container the path can be one that only the host sees; the tree's own root is ours
    then, and it is always among the ancestors.
    """
    mount = root / "sys/fs/cgroup"
    group = _group(root, controller)
    if group is None:
        return
    if controller:
        mount /= controller
    elif (mount / "unified").is_dir():
        mount /= "unified"
    inner = mount / group.lstrip("/")
    yield inner
    while inner != mount:
        inner = inner.parent
        yield inner


def _group(root: Path, controller: str) -> str | None:
    """Our group's path: lines are `number:controllers:path`, with none for version 2."""
    text = _text(root / "proc/self/cgroup")
    for line in (text or "").splitlines():
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if controller in names.split(",") and ".." not in path.split("/"):
            return path
    return None


def _quota_v2(folder: Path) -> float | None:
    """`cpu.max` reads "quota period" in microseconds, or "max period"."""
    quota, _, period = (_text(folder / "cpu.max") or "").strip().partition(" ")
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return None
    return int(quota) / int(period)


def _quota_v1(folder: Path) -> float | None:
    """-1 means no limit."""
    quota = _number(folder / "cpu.cfs_quota_us")
    period = _number(folder / "cpu.cfs_period_us")
    return quota / period if quota is not None and period else None


def _number(path: Path) -> int | None:
    text = (_text(path) or "").strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
