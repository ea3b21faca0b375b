# ruff: noqa: N802 - the library's own names
"""Vulkan: asked in a process of its own; what it adds to what others told."""

from __future__ import annotations

import ctypes
import json
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from support.recorded import programs, write
from tokenroof.hardware.gpus import find_gpus
from tokenroof.hardware.sources import vulkan
from tokenroof.hardware.sources.commands import output

GIB = 2**30


class FakeVulkan:
    """As much of the library as is asked for: a card and a GPU made of software."""

    def __init__(self) -> None:
        self.living = 0

    def vkCreateInstance(self, record: bytes, allocator: None, out: Any) -> int:
        # VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, and a record of 64 bytes
        assert struct.unpack_from("<I", record) == (1,)
        assert len(record) == 64
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = 77
        self.living += 1
        return 0

    def vkDestroyInstance(self, instance: Any, allocator: None) -> None:
        self.living -= 1

    def vkEnumeratePhysicalDevices(self, instance: Any, count: Any, devices: Any) -> int:
        ctypes.cast(count, ctypes.POINTER(ctypes.c_uint32))[0] = 2
        if devices is not None:
            devices[0], devices[1] = 1, 2
        return 0

    def vkGetPhysicalDeviceProperties(self, device: Any, out: Any) -> None:
        kind, name = (2, b"AMD Radeon RX 7900 XTX (RADV NAVI31)") if device.value == 1 else (
            4, b"llvmpipe (LLVM 19.1.7, 256 bits)"
        )  # fmt: skip
        record = struct.pack("<5I256s", 0x403112, 1, 0x1002, 0x744C, kind, name)
        ctypes.memmove(out, record, len(record))

    def vkGetPhysicalDeviceMemoryProperties(self, device: Any, out: Any) -> None:
        types = struct.pack("<I", 1) + bytes(32 * 8)
        heaps = struct.pack("<IQIIQII", 2, 24 * GIB, 1, 0, 32 * GIB, 0, 0)
        record = types + heaps
        ctypes.memmove(out, record, len(record))


def test_the_library_tells_name_kind_numbers_and_the_memory_of_the_gpus_own() -> None:
    library = FakeVulkan()
    card, software = vulkan.described_by(library)
    assert card == {
        "name": "AMD Radeon RX 7900 XTX (RADV NAVI31)",
        "vendor": 0x1002,
        "chip": 0x744C,
        "kind": 2,
        "local_bytes": 24 * GIB,
    }
    assert software["kind"] == 4
    assert library.living == 0


def answer(*devices: tuple[str, int, int, int, int]) -> str:
    keys = ("name", "vendor", "chip", "kind", "local_bytes")
    return json.dumps([dict(zip(keys, each, strict=True)) for each in devices])


CARD = ("AMD Radeon RX 7900 XTX (RADV NAVI31)", 0x1002, 0x744C, 2, 24 * GIB)
SOFTWARE = ("llvmpipe (LLVM 19.1.7, 256 bits)", 0x10005, 0, 4, 16 * GIB)


def test_a_gpu_made_of_software_is_none() -> None:
    (gpu,) = vulkan.vulkan_gpus(programs({sys.executable: answer(CARD, SOFTWARE)}))
    assert (gpu.name, gpu.memory_total_bytes) == (CARD[0], 24 * GIB)


def test_it_names_a_gpu_that_others_only_number(tmp_path: Path) -> None:
    device = "sys/class/drm/card0/device"
    files = {
        f"{device}/vendor": "0x1002",
        f"{device}/device": "0x744c",
        f"{device}/mem_info_vram_total": "25753026560",
    }
    run = programs({sys.executable: answer(CARD)})
    (gpu,) = find_gpus(system="Linux", root=write(tmp_path, files), run=run)
    assert (gpu.device, gpu.source) == ("Radeon RX 7900 XTX", "sysfs")
    assert (gpu.memory_total_bytes, gpu.api) == (25753026560, ("Vulkan",))
    assert gpu.bandwidth_gb_s == 960


def test_a_gpu_that_it_alone_sees_is_added(tmp_path: Path) -> None:
    integrated = ("Intel(R) Arc(tm) Graphics (MTL)", 0x8086, 0x7D55, 1, 23 * GIB)
    run = programs({sys.executable: answer(integrated)})
    (gpu,) = find_gpus(system="Linux", root=tmp_path, run=run)
    assert (gpu.source, gpu.vendor, gpu.is_unified) == ("Vulkan", "Intel", True)
    assert (gpu.memory_total_bytes, gpu.shared_total_bytes) == (None, 23 * GIB)


@pytest.mark.parametrize("text", ["", "Segmentation fault", "[]"])
def test_a_driver_that_takes_the_process_with_it_costs_nothing_else(text: str) -> None:
    assert vulkan.vulkan_gpus(programs({sys.executable: text})) == ()


def test_the_question_really_runs_and_answers_in_json() -> None:
    assert isinstance(json.loads(output(vulkan.COMMAND)), list)
