"""The modules of memory, as the firmware tells Linux (SMBIOS, called DMI).

The tables themselves are for root alone, because they hold serial numbers. What systemd's udev
reads of them when the machine starts is for everybody, and says the same of the memory. Who made
the board is told to everybody as well.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from tokenroof.hardware.memory_modules import (
    SMBIOS_TYPES,
    MemoryLayout,
    MemoryModule,
    channel_of,
)
from tokenroof.hardware.sources.files import text
from tokenroof.units import MIB

UDEV_DATABASE = "run/udev/data/+dmi:id"
TABLES = "sys/firmware/dmi/tables/DMI"
IDENTITY = "sys/class/dmi/id"

_ENTRY = re.compile(r"E:MEMORY_DEVICE_(\d+)_([A-Z_]+)=(.*)")
_MEMORY_DEVICE, _END = 17, 127


def memory_layout(root: Path = Path("/")) -> MemoryLayout | None:
    """The populated modules; None where nobody tells.

    Args:
        root: where the system's files are looked for.
    """
    try:
        tables = (root / TABLES).read_bytes()
    except OSError:
        tables = b""
    database = text(root / UDEV_DATABASE) or ""
    return layout_in_tables(tables) or layout_in_udev(database)


def board(root: Path = Path("/")) -> str | None:
    """Who made the machine and what it is called, as on its box; None where nobody tells."""
    folder = root / IDENTITY
    for pair in (("sys_vendor", "product_name"), ("board_vendor", "board_name")):
        names = [name for each in pair if (name := text(folder / each)) and _says_something(name)]
        if len(names) == len(pair):
            return " ".join(names)
    return None


def layout_in_udev(database: str) -> MemoryLayout | None:
    """The modules in udev's entry for the firmware; None where it has none."""
    slots: dict[int, dict[str, str]] = {}
    for line in database.splitlines():
        found = _ENTRY.fullmatch(line)
        if found:
            slots.setdefault(int(found[1]), {})[found[2]] = found[3].strip()
    if not slots:
        return None
    modules = tuple(
        _module(
            slot=each.get("LOCATOR"),
            bank=each.get("BANK_LOCATOR"),
            size_bytes=_whole(each.get("SIZE")),
            kind=each.get("TYPE"),
            configured=_whole(each.get("CONFIGURED_SPEED_MTS")),
            rated=_whole(each.get("SPEED_MTS")),
            width=_whole(each.get("DATA_WIDTH")),
        )
        for _, each in sorted(slots.items())
        if _whole(each.get("SIZE"))
    )
    return MemoryLayout(source="udev", modules=modules, slots=len(slots))


def layout_in_tables(tables: bytes) -> MemoryLayout | None:
    """The modules in the firmware's own tables; None where they tell of no slot."""
    slots, modules = 0, []
    for kind, body, strings in _structures(tables):
        if kind == _MEMORY_DEVICE and len(body) >= 0x15:
            slots += 1
            size = _size_bytes(body)
            if size:
                modules.append(_module_in(body, strings, size))
    if not slots:
        return None
    return MemoryLayout(source="SMBIOS", modules=tuple(modules), slots=slots)


def _structures(tables: bytes) -> Iterator[tuple[int, bytes, list[str]]]:
    """Kind, fixed part and strings of each structure; ends where the tables make no sense."""
    at = 0
    while at + 4 <= len(tables):
        kind, length = tables[at], tables[at + 1]
        end = tables.find(b"\0\0", at + length)
        if length < 4 or end < 0 or kind == _END:
            return
        strings = tables[at + length : end].decode("latin-1").split("\0")
        yield kind, tables[at : at + length], strings
        at = end + 2


def _module_in(body: bytes, strings: list[str], size: int) -> MemoryModule:
    def named(offset: int) -> str | None:
        index = body[offset]
        return strings[index - 1] if 0 < index <= len(strings) else None

    return _module(
        slot=named(0x10),
        bank=named(0x11),
        size_bytes=size,
        kind=SMBIOS_TYPES.get(body[0x12]),
        configured=_rate(body, 0x20, 0x58),
        rated=_rate(body, 0x15, 0x54),
        width=_word(body, 0x0A),
    )


def _size_bytes(body: bytes) -> int | None:
    size = _word(body, 0x0C)
    if size == 0x7FFF:
        extended = _double(body, 0x1C)
        return None if extended is None else (extended & 0x7FFFFFFF) * MIB
    if size is None:
        return None
    return (size & 0x7FFF) * 1024 if size & 0x8000 else size * MIB


def _rate(body: bytes, offset: int, extended: int) -> int | None:
    """A data rate: 0xffff says that a later field has it, 0 that nobody knows."""
    rate = _word(body, offset, unknown=0)
    return (_double(body, extended) or None) if rate == 0xFFFF else rate


def _word(body: bytes, offset: int, unknown: int = 0xFFFF) -> int | None:
    if offset + 2 > len(body):
        return None
    (value,) = struct.unpack_from("<H", body, offset)
    return None if value == unknown else int(value)


def _double(body: bytes, offset: int) -> int | None:
    if offset + 4 > len(body):
        return None
    (value,) = struct.unpack_from("<I", body, offset)
    return int(value)


def _module(
    *,
    slot: str | None,
    bank: str | None,
    size_bytes: int | None,
    kind: str | None,
    configured: int | None,
    rated: int | None,
    width: int | None,
) -> MemoryModule:
    return MemoryModule(
        slot=slot or bank or None,
        channel=channel_of(slot, bank),
        size_bytes=size_bytes or None,
        type=kind if kind and _says_something(kind) else None,
        data_rate_mtps=configured or rated or None,
        rated_mtps=rated or None,
        width_bits=width or None,
    )


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None


def _says_something(name: str) -> bool:
    """Not one of the fillings that makers forget to replace."""
    fillings = {"unknown", "none", "default string", "system product name", "other", "n/a"}
    lowered = name.strip().lower()
    return lowered not in fillings and not lowered.startswith("to be filled")
