"""NVIDIA's management library, where there is one.

It comes with the driver; the Python package only wraps it. No package, no driver and no GPU all
mean the same here: there is none to be seen.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tokenroof.hardware.device import Device


def open_nvml() -> Any | None:
    """The `pynvml` module, ready for use; None where there is nothing to ask."""
    try:
        nvml = import_module("pynvml")
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return None
    return nvml


def nvidia_devices(nvml: Any | None = None) -> tuple[Device, ...]:
    """The machine's NVIDIA GPUs by name and memory. Their bandwidth is not asked for: unknown.

    Args:
        nvml: the opened library; it is opened, and closed again, if none is given.
    """
    opened = open_nvml() if nvml is None else None
    library = nvml or opened
    if library is None:
        return ()
    try:
        return tuple(_device(library, handle) for handle in handles(library))
    finally:
        if opened is not None:
            opened.nvmlShutdown()


def handles(nvml: Any) -> tuple[Any, ...]:
    """The handles of all GPUs that answer."""
    found = []
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            found.append(nvml.nvmlDeviceGetHandleByIndex(index))
        except nvml.NVMLError:
            # One that fell off the bus must not hide the others.
            continue
    return tuple(found)


def gpu_name(nvml: Any, handle: Any) -> str:
    """What the driver calls a GPU."""
    try:
        name = nvml.nvmlDeviceGetName(handle)
    except nvml.NVMLError:
        return "NVIDIA GPU"
    # Older packages give bytes.
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def ask(nvml: Any, handle: Any, question: str, *arguments: object) -> Any | None:
    """The library's answer; None where this GPU, driver or package has none."""
    function = getattr(nvml, question, None)
    if function is None:
        return None
    try:
        return function(handle, *arguments)
    except nvml.NVMLError:
        return None


def _device(nvml: Any, handle: Any) -> Device:
    try:
        memory: int | None = int(nvml.nvmlDeviceGetMemoryInfo(handle).total)
    except nvml.NVMLError:
        # Chips that share the system's memory have none of their own to report.
        memory = None
    return Device(
        name=gpu_name(nvml, handle),
        source="hardware.source_nvml",
        place="gpu",
        memory_bytes=memory,
    )
