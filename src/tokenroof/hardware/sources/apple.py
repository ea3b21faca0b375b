"""What macOS tells: the chip and its GPU's cores, the memory, and how much of it the GPU may use.

`system_profiler` gives JSON; its level "mini" leaves out what identifies a machine. `ioreg` gives
a property list, in which the GPU's own driver says how much memory it has in use.

Metal lets programs have a part of the memory resident for the GPU: two thirds below 36 GiB, three
quarters from there on, unless `iogpu.wired_limit_mb` says another number.
"""

from __future__ import annotations

import json
import plistlib
import re
from functools import cache
from typing import Any

from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.memory_modules import MemoryLayout, MemoryModule, channel_of
from tokenroof.hardware.sources.commands import Run, output
from tokenroof.records import Record
from tokenroof.units import GIB, MIB

PROFILE = (
    "system_profiler",
    "-json",
    "-detailLevel",
    "mini",
    "SPHardwareDataType",
    "SPDisplaysDataType",
    "SPMemoryDataType",
)
ACCELERATORS = ("ioreg", "-a", "-r", "-d", "1", "-c", "IOAccelerator")
WIRED_LIMIT = ("sysctl", "-n", "iogpu.wired_limit_mb")

_MORE_FROM_BYTES = 36 * GIB
_UNITS = {"KB": 1024, "MB": MIB, "GB": GIB, "TB": 1024 * GIB}


class AppleMachine(Record, frozen=True, kw_only=True):
    """What was told. Unknown is None."""

    model: str | None = None
    chip: str | None = None
    memory_bytes: int | None = None
    layout: MemoryLayout | None = None
    gpus: tuple[Gpu, ...] = ()


@cache
def apple_machine(run: Run = output) -> AppleMachine:
    """This Mac; asked once, since that takes a second or two."""
    found = _document(run(PROFILE))
    hardware = next(iter(_entries(found, "SPHardwareDataType")), {})
    chip = _text(hardware, "chip_type") or _text(hardware, "cpu_type")
    memory = _bytes(_text(hardware, "physical_memory"))
    model = [_text(hardware, "machine_name"), _text(hardware, "machine_model")]
    return AppleMachine(
        model=" ".join(each for each in model if each) or None,
        chip=chip,
        memory_bytes=memory,
        layout=_layout(found),
        gpus=tuple(_gpus(found, memory, run)),
    )


def working_set_bytes(memory_bytes: int, wired_limit: str) -> int:
    """How much of the memory the GPU may have resident.

    Args:
        wired_limit: what `sysctl` says of `iogpu.wired_limit_mb`; 0 or nothing is the default.
    """
    limit = wired_limit.strip()
    if limit.isdecimal() and int(limit):
        return int(limit) * MIB
    if memory_bytes >= _MORE_FROM_BYTES:
        return memory_bytes * 3 // 4
    return memory_bytes * 2 // 3


def _gpus(found: dict[str, Any], memory: int | None, run: Run) -> list[Gpu]:
    accelerators = _accelerators(run(ACCELERATORS))
    gpus = []
    for each in _entries(found, "SPDisplaysDataType"):
        name = _text(each, "sppci_model") or _text(each, "_name")
        if name is None:
            continue
        in_use = accelerators.get(name, {})
        apple = name.startswith("Apple")
        cores = _whole(_text(each, "sppci_cores")) or in_use.get("gpu-core-count")
        limit = working_set_bytes(memory, run(WIRED_LIMIT)) if apple and memory else None
        used = in_use.get("In use system memory")
        gpus.append(
            Gpu(
                name=name,
                vendor="Apple" if apple else _vendor(_text(each, "spdisplays_vendor")),
                source="system_profiler",
                is_unified=apple or _text(each, "spdisplays_vram_shared") is not None,
                memory_total_bytes=None if apple else _bytes(_text(each, "spdisplays_vram")),
                shared_total_bytes=limit,
                shared_free_bytes=max(limit - used, 0) if limit and used is not None else None,
                busy=_share(in_use.get("Device Utilization %")),
                cores=cores,
                api=("Metal",),
            )
        )
    return gpus


def _layout(found: dict[str, Any]) -> MemoryLayout | None:
    """The modules of a Mac with slots; those with memory on the chip tell of none."""
    entries = _entries(found, "SPMemoryDataType")
    modules, slots = [], 0
    for each in [*entries, *(item for entry in entries for item in _items(entry, "_items"))]:
        size = _bytes(_text(each, "dimm_size"))
        if _text(each, "dimm_size") is None:
            continue
        slots += 1
        if size:
            speed = re.match(r"(\d+) M", _text(each, "dimm_speed") or "")
            slot = _text(each, "_name")
            modules.append(
                MemoryModule(
                    slot=slot,
                    channel=channel_of(slot, None),
                    size_bytes=size,
                    type=_text(each, "dimm_type"),
                    data_rate_mtps=int(speed[1]) if speed else None,
                )
            )
    if not modules:
        return None
    return MemoryLayout(source="system_profiler", modules=tuple(modules), slots=slots)


def _accelerators(document: str) -> dict[str, dict[str, int]]:
    """Numbers of each GPU's driver, by the GPU's name."""
    try:
        entries = plistlib.loads(document.encode())
    except (plistlib.InvalidFileException, ValueError, OverflowError):
        return {}
    except Exception:  # expat's own errors have no common root with the others
        return {}
    found: dict[str, dict[str, int]] = {}
    for entry in entries if isinstance(entries, list) else []:
        model = entry.get("model") if isinstance(entry, dict) else None
        if isinstance(model, bytes):
            model = model.rstrip(b"\0").decode("utf-8", "replace")
        if isinstance(model, str):
            numbers = {**entry, **(entry.get("PerformanceStatistics") or {})}
            found[model] = {k: v for k, v in numbers.items() if isinstance(v, int)}
    return found


def _document(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _entries(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return _items(found, key)


def _items(entry: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = entry.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(entry: dict[str, Any], key: str) -> str | None:
    value = entry.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _bytes(size: str | None) -> int | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ([KMGT]B)", size or "")
    return round(float(found[1]) * _UNITS[found[2]]) if found else None


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None


def _share(percent: int | None) -> float | None:
    return None if percent is None else min(percent / 100, 1.0)


def _vendor(told: str | None) -> str | None:
    """`sppci_vendor_amd`, or `AMD (0x1002)`."""
    for name in ("AMD", "Intel", "NVIDIA"):
        if told is not None and name.lower() in told.lower():
            return name
    return told
