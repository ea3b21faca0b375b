"""GPUs of a Linux machine, by the files that the kernel keeps for each.

The AMD driver tells memory, limits and use there. Of any other GPU at least that it is there, so
that nobody thinks there is none only because its driver is missing.

An AMD GPU in a processor has a carve-out that the firmware reserves for it, and the GTT, which is
as much of the system's memory as the kernel lets it use besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.hardware.sources.files import number, text

DRM = "sys/class/drm"
PCI = "sys/bus/pci/devices"
KFD = "sys/class/kfd/kfd/topology/nodes"
AMD_NAMES = ("usr/share/libdrm/amdgpu.ids", "opt/amdgpu/share/libdrm/amdgpu.ids")

_AMD = 0x1002
_DISPLAY_CLASS = 0x03
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
"""Gigatransfers per second and lane, to the generation of PCI Express."""

VENDORS = {0x10DE: "NVIDIA", 0x1002: "AMD", 0x8086: "Intel", 0x106B: "Apple", 0x5143: "Qualcomm"}
"""Makers by their PCI numbers; those of boards for servers and virtual displays are left out."""


def amd_gpus(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """Every GPU that AMD's driver runs."""
    cards = sorted((root / DRM).glob("card[0-9]*/device"), key=lambda path: path.parent.name)
    devices = [card for card in cards if re.fullmatch(r"card\d+", card.parent.name)]
    return tuple(_amd_gpu(root, each) for each in devices if number(each / "vendor") == _AMD)


def other_gpus(root: Path = Path("/"), known: frozenset[str] = frozenset()) -> tuple[Gpu, ...]:
    """GPUs of the makers above on the PCI bus that nobody else told of.

    Args:
        known: makers whose GPUs others told of.
    """
    return tuple(_on_the_bus(root, known))


def _on_the_bus(root: Path, known: frozenset[str]) -> Iterator[Gpu]:
    for device in sorted((root / PCI).glob("*")):
        kind, vendor = number(device / "class"), number(device / "vendor")
        maker = VENDORS.get(vendor or 0)
        if kind is None or kind >> 16 != _DISPLAY_CLASS or maker is None or maker in known:
            continue
        driver = device / "driver"
        yield Gpu(
            name=f"{maker} GPU",
            vendor=maker,
            source="PCI",
            driver=driver.resolve().name if driver.exists() else None,
            pci_id=_pci_id(device),
            link=_link(device),
        )


def _amd_gpu(root: Path, device: Path) -> Gpu:
    chip = _chip(root, device)
    vram = number(device / "mem_info_vram_total")
    gtt = number(device / "mem_info_gtt_total")
    busy = number(device / "gpu_busy_percent")
    driver = text(root / "sys/module/amdgpu/version")
    return Gpu(
        name=_marketing_name(root, device) or f"AMD GPU ({chip or _pci_id(device)})",
        vendor="AMD",
        source="sysfs",
        memory_total_bytes=vram,
        memory_free_bytes=_left(vram, number(device / "mem_info_vram_used")),
        shared_total_bytes=gtt,
        shared_free_bytes=_left(gtt, number(device / "mem_info_gtt_used")),
        driver="amdgpu" if driver is None else f"amdgpu {driver}",
        link=_link(device),
        power_limit_watts=_watts(device, "power1_cap"),
        default_power_limit_watts=_watts(device, "power1_cap_default"),
        busy=None if busy is None else min(busy / 100, 1.0),
        chip=chip,
        pci_id=_pci_id(device),
        api=("ROCm",) if (root / "dev/kfd").exists() else (),
    )


def _marketing_name(root: Path, device: Path) -> str | None:
    """AMD's own name for a chip and its revision, from the list that its driver's library has."""
    told = text(device / "product_name")
    if told is not None:
        return told
    chip, revision = number(device / "device"), number(device / "revision")
    if chip is None or revision is None:
        return None
    for path in AMD_NAMES:
        for line in (text(root / path) or "").splitlines():
            fields = [field.strip() for field in line.split(",", 2)]
            if len(fields) == 3 and fields[:2] == [f"{chip:04X}", f"{revision:02X}"]:
                return fields[2]
    return None


def _chip(root: Path, device: Path) -> str | None:
    """The compiler's name of the chip: 110501 in the compute driver's files is gfx1151."""
    minors = {
        int(found[1])
        for each in device.glob("drm/renderD*")
        if (found := re.fullmatch(r"renderD(\d+)", each.name))
    }
    for properties in sorted((root / KFD).glob("*/properties")):
        values = {
            fields[0]: int(fields[1])
            for line in (text(properties) or "").splitlines()
            if len(fields := line.split()) == 2 and fields[1].isdecimal()
        }
        version = values.get("gfx_target_version", 0)
        if version and values.get("drm_render_minor") in minors:
            major, rest = divmod(version, 10_000)
            minor, stepping = divmod(rest, 100)
            return f"gfx{major}{minor}{stepping:x}"
    return None


def _link(device: Path) -> Link | None:
    link = Link(
        generation=_generation(text(device / "current_link_speed")),
        lanes=number(device / "current_link_width") or None,
        most_generation=_generation(text(device / "max_link_speed")),
        most_lanes=_lanes(number(device / "max_link_width")),
    )
    return None if link == Link() else link


def _generation(speed: str | None) -> int | None:
    found = re.match(r"([\d.]+) GT/s", speed or "")
    return _GENERATIONS.get(float(found[1])) if found else None


def _lanes(count: int | None) -> int | None:
    """255 and 0 stand for a bridge that does not say."""
    return count if count is not None and 0 < count <= 32 else None


def _watts(device: Path, file: str) -> float | None:
    found = sorted(device.glob(f"hwmon/hwmon*/{file}"))
    microwatts = number(found[0]) if found else None
    return None if not microwatts else microwatts / 1e6


def _left(total: int | None, used: int | None) -> int | None:
    return None if total is None or used is None else max(total - used, 0)


def _pci_id(device: Path) -> str:
    vendor, chip = number(device / "vendor"), number(device / "device")
    return f"{vendor or 0:04x}:{chip or 0:04x}"
