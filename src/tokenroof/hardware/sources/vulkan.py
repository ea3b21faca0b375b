"""GPUs that Vulkan sees: a name for those whose own driver gives none, and that it can be used.

The loader starts every driver that is installed inside the process that asks. A broken one takes
the process with it, so the question is asked in a process of its own: this module, run as a
program, prints what the library says.
"""

from __future__ import annotations

import ctypes
import json
import struct
import sys
from typing import Any

from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.sources.commands import Run, output
from tokenroof.hardware.sources.drm import VENDORS

COMMAND = (sys.executable, "-m", "tokenroof.hardware.sources.vulkan")
LIBRARIES = ("libvulkan.so.1", "vulkan-1.dll")

_INTEGRATED, _DISCRETE = 1, 2
_DEVICE_LOCAL = 1
_ROOM_BYTES = 4096
"""More than any record that is filled here; their ends are of no interest."""

_CREATE_INSTANCE = struct.Struct("@IPIPIPIP")
_INSTANCE_RECORD = 1


def vulkan_gpus(run: Run = output) -> tuple[Gpu, ...]:
    """Every real GPU that it sees; none where there is no Vulkan."""
    try:
        found = json.loads(run(COMMAND))
    except ValueError:
        return ()
    return tuple(_gpu(each) for each in found if each["kind"] in {_INTEGRATED, _DISCRETE})


def _gpu(device: dict[str, Any]) -> Gpu:
    unified = device["kind"] == _INTEGRATED
    local = device["local_bytes"] or None
    return Gpu(
        name=device["name"],
        vendor=VENDORS.get(device["vendor"], f"0x{device['vendor']:04x}"),
        source="Vulkan",
        is_unified=unified,
        memory_total_bytes=None if unified else local,
        shared_total_bytes=local if unified else None,
        pci_id=f"{device['vendor']:04x}:{device['chip']:04x}",
        api=("Vulkan",),
    )


def described_by(library: Any) -> list[dict[str, Any]]:
    """What the library says of each device: name, numbers of PCI, kind, memory of its own."""
    instance = ctypes.c_void_p()
    record = _CREATE_INSTANCE.pack(_INSTANCE_RECORD, 0, 0, 0, 0, 0, 0, 0)
    if library.vkCreateInstance(record, None, ctypes.byref(instance)) != 0:
        return []
    try:
        count = ctypes.c_uint32()
        library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None)
        devices = (ctypes.c_void_p * count.value)()
        library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), devices)
        return [_described(library, ctypes.c_void_p(each)) for each in devices if each]
    finally:
        library.vkDestroyInstance(instance, None)


def _described(library: Any, device: ctypes.c_void_p) -> dict[str, Any]:
    properties = ctypes.create_string_buffer(_ROOM_BYTES)
    library.vkGetPhysicalDeviceProperties(device, properties)
    memory = ctypes.create_string_buffer(_ROOM_BYTES)
    library.vkGetPhysicalDeviceMemoryProperties(device, memory)
    _, _, vendor, chip, kind, name = struct.unpack_from("<5I256s", properties.raw)
    # 32 types of 8 bytes stand between their number and that of the heaps.
    (heaps,) = struct.unpack_from("<I", memory.raw, 260)
    sizes = [struct.unpack_from("<QI", memory.raw, 264 + 16 * each) for each in range(heaps)]
    return {
        "name": name.partition(b"\0")[0].decode("utf-8", "replace"),
        "vendor": vendor,
        "chip": chip,
        "kind": kind,
        "local_bytes": sum(size for size, flags in sizes if flags & _DEVICE_LOCAL),
    }


def _library() -> Any | None:
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def main() -> None:
    """Print what the library of this machine says, as JSON."""
    library = _library()
    found = [] if library is None else described_by(library)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
