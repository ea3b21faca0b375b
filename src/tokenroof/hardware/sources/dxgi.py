"""GPUs of Windows, by DXGI, the library of the system's own graphics.

It tells the memory of a GPU's own and the system's memory that it may use besides; the class that
Windows' management has for adapters cannot say more than 4 GiB.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.sources.drm import VENDORS

_FACTORY_ID = UUID("770aae78-f26f-4dba-a829-253c83d1b387").bytes_le
_ENUMERATE_ADAPTERS_1, _GET_DESCRIPTION_1, _RELEASE = 12, 10, 2
"""Places of the functions in the tables of IDXGIFactory1, IDXGIAdapter1 and IUnknown."""

_SOFTWARE = 2
_NAME_BYTES = 256
_REST = struct.Struct("<4I3QIiI")
"""After the name: four numbers of PCI, three sizes, a number of the moment, and flags."""

DESCRIPTION_BYTES = 312
_MOST_ADAPTERS = 64

Descriptions = Callable[[], Iterator[bytes]]


def dxgi_gpus(descriptions: Descriptions | None = None) -> tuple[Gpu, ...]:
    """Every GPU that is not made of software; none where there is no DXGI.

    Args:
        descriptions: gives the records `DXGI_ADAPTER_DESC1`, as the library fills them.
    """
    found = (_gpu(raw) for raw in (descriptions or _of_this_system)())
    return tuple(gpu for gpu in found if gpu is not None)


def described_by(library: Any) -> Iterator[bytes]:
    """The records of all adapters, through the tables of functions that COM objects begin with."""
    factory = ctypes.c_void_p()
    if library.CreateDXGIFactory1(_FACTORY_ID, ctypes.byref(factory)) < 0:
        return
    try:
        for number in range(_MOST_ADAPTERS):
            adapter = ctypes.c_void_p()
            # An error ends the list.
            if _call(factory, _ENUMERATE_ADAPTERS_1, number, ctypes.pointer(adapter)) < 0:
                return
            try:
                raw = ctypes.create_string_buffer(DESCRIPTION_BYTES)
                if _call(adapter, _GET_DESCRIPTION_1, raw) >= 0:
                    yield raw.raw
            finally:
                _call(adapter, _RELEASE)
    finally:
        _call(factory, _RELEASE)


def _gpu(raw: bytes) -> Gpu | None:
    name = raw[:_NAME_BYTES].decode("utf-16-le", "replace").partition("\0")[0].strip()
    vendor, chip, _, _, own, reserved, shared, _, _, flags = _REST.unpack_from(raw, _NAME_BYTES)
    if flags & _SOFTWARE:
        return None
    return Gpu(
        name=name or "GPU",
        vendor=VENDORS.get(vendor, f"0x{vendor:04x}"),
        source="DXGI",
        memory_total_bytes=own + reserved,
        shared_total_bytes=shared or None,
        pci_id=f"{vendor:04x}:{chip:04x}",
    )


def _of_this_system() -> Iterator[bytes]:
    load = getattr(ctypes, "WinDLL", None)
    if load is None or struct.calcsize("P") != 8:
        return
    try:
        library = load("dxgi")
    except OSError:
        return
    yield from described_by(library)


def _call(this: ctypes.c_void_p, place: int, *arguments: Any) -> int:
    """Call a function of a COM object, which is a pointer to a table of pointers to functions."""
    objects = ctypes.cast(this, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))
    make = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)
    kinds = [ctypes.c_uint if isinstance(each, int) else ctypes.c_void_p for each in arguments]
    plain = [
        each if isinstance(each, int) else ctypes.cast(each, ctypes.c_void_p) for each in arguments
    ]
    function = make(ctypes.c_long, ctypes.c_void_p, *kinds)(objects[0][place])
    return int(function(this, *plain))
