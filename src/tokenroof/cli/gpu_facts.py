"""What the doctor's page says of one GPU."""

from __future__ import annotations

from tokenroof import words
from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.safetext import printable
from tokenroof.units import binary_size

_SOURCES = {
    "table": "doctor.by_table",
    "driver": "doctor.by_driver",
    "memory": "doctor.by_memory",
}


def facts(gpu: Gpu, language: str) -> list[tuple[str, str]]:
    """Names and what they are; only what is known, but for the bandwidth."""

    def text(message: str, **values: object) -> str:
        return words.text(message, language, **values)

    found: list[tuple[str, str]] = []
    if gpu.device is not None and gpu.device != gpu.name:
        found.append((text("doctor.gpu_device"), gpu.device))
    memory = _unified(gpu, language) if gpu.is_unified else _own(gpu, language)
    if memory is not None:
        title = "doctor.gpu_unified" if gpu.is_unified else "doctor.gpu_memory_fact"
        found.append((text(title), memory))
    found.append((text("doctor.gpu_bandwidth"), _bandwidth(gpu, language)))
    driver = words.text("cli.comma", language).join(
        [*([] if gpu.driver is None else [printable(gpu.driver, 60)]), *gpu.api]
    )
    if driver:
        found.append((text("doctor.gpu_driver"), driver))
    if gpu.link is not None:
        found.append((text("doctor.gpu_link"), _link(gpu.link, language)))
    if gpu.power_limit_watts is not None:
        limit, default = f"{gpu.power_limit_watts:g}", gpu.default_power_limit_watts
        if default is None:
            watts = text("doctor.watts_alone", limit=limit)
        else:
            watts = text("doctor.watts", limit=limit, default=f"{default:g}")
        found.append((text("doctor.gpu_power_fact"), watts))
    return found


def _own(gpu: Gpu, language: str) -> str | None:
    if gpu.memory_total_bytes is None:
        return None
    total = binary_size(gpu.memory_total_bytes)
    if gpu.memory_free_bytes is None:
        return total
    free = binary_size(gpu.memory_free_bytes)
    return words.text("doctor.gpu_memory_free", language, total=total, free=free)


def _unified(gpu: Gpu, language: str) -> str | None:
    parts = []
    if gpu.memory_total_bytes:
        own = binary_size(gpu.memory_total_bytes)
        parts.append(words.text("doctor.gpu_carve_out", language, own=own))
    if gpu.shared_total_bytes is not None:
        shared = binary_size(gpu.shared_total_bytes)
        parts.append(words.text("doctor.gpu_shared", language, shared=shared))
    return words.text("cli.comma", language).join(parts) or None


def _bandwidth(gpu: Gpu, language: str) -> str:
    message = _SOURCES.get(gpu.bandwidth_source or "")
    if gpu.bandwidth_gb_s is None or message is None:
        return words.text("doctor.gpu_bandwidth_unknown", language)
    return words.text(message, language, bandwidth=f"{gpu.bandwidth_gb_s:g} GB/s")


def _link(link: Link, language: str) -> str:
    numbers = {
        "generation": link.generation,
        "lanes": link.lanes,
        "most_generation": link.most_generation,
        "most_lanes": link.most_lanes,
    }
    written = {name: "?" if value is None else str(value) for name, value in numbers.items()}
    return words.text("doctor.link", language, **written)
