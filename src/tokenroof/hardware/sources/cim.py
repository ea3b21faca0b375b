"""What Windows tells of memory, board and graphics, by its own classes (CIM).

There is no library for them that every Python has; PowerShell is on every Windows, and gives
them as JSON. One process asks for everything, since starting it takes most of the time.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tokenroof.hardware.memory_modules import (
    SMBIOS_TYPES,
    MemoryLayout,
    MemoryModule,
    channel_of,
)
from tokenroof.hardware.sources.commands import Run, output

_SCRIPT = (
    "[Console]::OutputEncoding=[Text.Encoding]::UTF8;"
    "@{"
    "memory=@(Get-CimInstance Win32_PhysicalMemory|Select-Object BankLabel,DeviceLocator,Capacity,"
    "Speed,ConfiguredClockSpeed,SMBIOSMemoryType,DataWidth);"
    "arrays=@(Get-CimInstance Win32_PhysicalMemoryArray|Select-Object MemoryDevices);"
    "board=@(Get-CimInstance Win32_ComputerSystem|Select-Object Manufacturer,Model);"
    "video=@(Get-CimInstance Win32_VideoController|Select-Object Name,DriverVersion)"
    "}|ConvertTo-Json -Compress -Depth 3"
)
COMMAND = ("powershell", "-NoProfile", "-NonInteractive", "-Command", _SCRIPT)


@cache
def cim(run: Run = output) -> Cim:
    """What this Windows tells; asked once, since that takes a second or two."""
    return Cim(run)


class Cim:
    """The answer, as far as there is one.

    Args:
        run: runs the command.
    """

    def __init__(self, run: Run = output) -> None:
        try:
            found = json.loads(run(COMMAND))
        except ValueError:
            found = {}
        self._found: dict[str, Any] = found if isinstance(found, dict) else {}

    def memory_layout(self) -> MemoryLayout | None:
        """The populated modules; None where none is told of."""
        modules = tuple(
            MemoryModule(
                slot=_text(each, "DeviceLocator"),
                channel=channel_of(_text(each, "DeviceLocator"), _text(each, "BankLabel")),
                size_bytes=_whole(each, "Capacity"),
                type=SMBIOS_TYPES.get(_whole(each, "SMBIOSMemoryType") or 0),
                data_rate_mtps=_whole(each, "ConfiguredClockSpeed") or _whole(each, "Speed"),
                rated_mtps=_whole(each, "Speed"),
                width_bits=_whole(each, "DataWidth"),
            )
            for each in self._all("memory")
            if _whole(each, "Capacity")
        )
        if not modules:
            return None
        slots = [count for each in self._all("arrays") if (count := _whole(each, "MemoryDevices"))]
        return MemoryLayout(source="CIM", modules=modules, slots=sum(slots) or None)

    def board(self) -> str | None:
        """Who made the machine and what it is called."""
        for each in self._all("board"):
            names = [_text(each, "Manufacturer"), _text(each, "Model")]
            if all(names):
                return " ".join(name for name in names if name)
        return None

    def drivers(self) -> dict[str, str]:
        """The version of each graphics driver, by the name of its adapter."""
        return {
            name: version
            for each in self._all("video")
            if (name := _text(each, "Name")) and (version := _text(each, "DriverVersion"))
        }

    def _all(self, key: str) -> list[dict[str, Any]]:
        """The objects of one class. A list of one is an object alone in some PowerShells."""
        found = self._found.get(key)
        entries = found if isinstance(found, list) else [found]
        return [each for each in entries if isinstance(each, dict)]


def _text(entry: dict[str, Any], key: str) -> str | None:
    value = entry.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _whole(entry: dict[str, Any], key: str) -> int | None:
    """A number above 0; large ones come as texts from some versions."""
    value = entry.get(key)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
