"""Windows: CIM as JSON, DXGI's records, power plans."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from support.recorded import programs, recorded
from tokenroof.hardware.memory_modules import claimed_bandwidth
from tokenroof.hardware.sources import dxgi, power
from tokenroof.hardware.sources.cim import Cim

GIB = 2**30


def cim(text: str) -> Cim:
    return Cim(programs({"powershell": text}))


def test_the_modules_run_below_their_rate_where_no_profile_is_on() -> None:
    found = cim(recorded("cim.json")).memory_layout()
    assert found is not None
    assert (found.source, found.slots) == ("CIM", 4)
    assert [module.channel for module in found.modules] == ["0/A", "1/A"]
    # A number in one module and a text in the other: both forms come.
    assert [module.size_bytes for module in found.modules] == [16 * GIB, 16 * GIB]
    first = found.modules[0]
    assert (first.type, first.data_rate_mtps, first.rated_mtps) == ("DDR5", 4800, 6000)
    claim = claimed_bandwidth(found)
    assert claim is not None
    # 2 x 8 bytes x 4800
    assert claim.bytes_per_second == pytest.approx(76.8e9)


def test_board_and_drivers() -> None:
    told = cim(recorded("cim.json"))
    assert told.board() == "Micro-Star International Co., Ltd. MS-7D91"
    assert told.drivers() == {
        "NVIDIA GeForce RTX 4070": "32.0.15.7652",
        "Intel(R) UHD Graphics 770": "31.0.101.5590",
    }


def test_one_module_is_an_object_and_no_list() -> None:
    text = '{"memory":{"DeviceLocator":"DIMM 0","Capacity":8589934592,"Speed":3200},"arrays":null}'
    found = cim(text).memory_layout()
    assert found is not None
    assert (len(found.modules), found.slots) == (1, None)
    assert found.modules[0].data_rate_mtps == 3200


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "Get-CimInstance : Access denied", '{"memory":[{"Capacity":0}]}']
)
def test_no_answer_is_nothing(text: str) -> None:
    told = cim(text)
    assert (told.memory_layout(), told.board(), told.drivers()) == (None, None, {})


def description(name: str, vendor: int, chip: int, own: int, shared: int, flags: int = 0) -> bytes:
    """DXGI_ADAPTER_DESC1 as a 64-bit Windows fills it."""
    text = name.encode("utf-16-le").ljust(256, b"\0")
    numbers = struct.pack("<4I", vendor, chip, 0x88471043, 0xA1)
    sizes = struct.pack("<3Q", own, 0, shared)
    return (text + numbers + sizes + struct.pack("<IiI", 60_000, 0, flags)).ljust(312, b"\0")


RTX_4070 = description("NVIDIA GeForce RTX 4070", 0x10DE, 0x2786, 12_598_640_640, 17 * GIB)
INTEGRATED = description("AMD Radeon(TM) 890M Graphics", 0x1002, 0x150E, 536_870_912, 15 * GIB)
SOFTWARE = description("Microsoft Basic Render Driver", 0x1414, 0x8C, 0, 16 * GIB, flags=2)


def test_dxgi_tells_own_and_shared_memory_beyond_four_gibibytes() -> None:
    card, integrated = dxgi.dxgi_gpus(lambda: iter([RTX_4070, INTEGRATED, SOFTWARE]))
    assert (card.name, card.vendor, card.pci_id) == (
        "NVIDIA GeForce RTX 4070",
        "NVIDIA",
        "10de:2786",
    )
    assert (card.memory_total_bytes, card.shared_total_bytes) == (12_598_640_640, 17 * GIB)
    assert (integrated.memory_total_bytes, integrated.vendor) == (536_870_912, "AMD")


def test_without_the_library_there_is_no_gpu() -> None:
    assert dxgi.dxgi_gpus() == () or ctypes.__dict__.get("WinDLL")


class FakeDxgi:
    """COM objects in memory: pointers to tables of pointers to functions."""

    def __init__(self, records: list[bytes]) -> None:
        self.records = records
        self.living = 0
        self._kept: list[Any] = []

    def CreateDXGIFactory1(self, interface: bytes, out: Any) -> int:  # noqa: N802
        # 770aae78-f26f-4dba-a829-253c83d1b387
        assert interface[:4] == bytes.fromhex("78ae0a77")
        pointer = ctypes.c_void_p
        enumerate_kind = ctypes.CFUNCTYPE(ctypes.c_long, pointer, ctypes.c_uint, pointer)
        factory = self._object({2: self._release(), 12: enumerate_kind(self._enumerate)})
        ctypes.cast(out, ctypes.POINTER(pointer))[0] = factory
        return 0

    def _enumerate(self, this: int, number: int, out: int) -> int:
        del this
        if number >= len(self.records):
            return -2005270526  # DXGI_ERROR_NOT_FOUND
        raw = self.records[number]

        def describe(this: int, target: int) -> int:
            del this
            ctypes.memmove(target, raw, len(raw))
            return 0

        kind = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
        adapter = self._object({2: self._release(), 10: kind(describe)})
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = adapter
        return 0

    def _release(self) -> Any:
        def release(this: int) -> int:
            del this
            self.living -= 1
            return 0

        return ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(release)

    def _object(self, functions: dict[int, Any]) -> Any:
        table = (ctypes.c_void_p * 16)()
        for place, function in functions.items():
            table[place] = ctypes.cast(function, ctypes.c_void_p).value
        instance = ctypes.c_void_p(ctypes.addressof(table))
        self._kept += [table, instance, *functions.values()]
        self.living += 1
        return ctypes.addressof(instance)


def test_the_library_is_asked_through_its_objects_and_they_are_let_go() -> None:
    library = FakeDxgi([RTX_4070, INTEGRATED])

    def records() -> Iterator[bytes]:
        return dxgi.described_by(library)

    names = [gpu.name for gpu in dxgi.dxgi_gpus(records)]
    assert names == ["NVIDIA GeForce RTX 4070", "AMD Radeon(TM) 890M Graphics"]
    assert library.living == 0


@pytest.mark.parametrize(
    ("plan", "profile"),
    [
        ("Power Scheme GUID: a1841308-3541-4fab-bc81-f71556f20b4a  (Power saver)\n", "low"),
        ("電源設定の GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (バランス)\n", "balanced"),
        ("GUID: 8C5E7FDA-E8BF-4A96-9A85-A6E23A8C635C  (High performance)\n", "high"),
        ("Power Scheme GUID: 00000000-1111-2222-3333-444444444444  (ASUS Turbo)\n", None),
        ("", None),
    ],
)
def test_a_power_plan_is_known_by_its_number_in_any_language(
    plan: str, profile: str | None
) -> None:
    assert power.windows_profile(programs({"powercfg": plan})) == profile
