"""Looking for devices by a name, or by words of one."""

from __future__ import annotations

from typing import Literal

from tokenroof.hardware.device_names import meanings, normalised, unknown_device
from tokenroof.hardware.device_table import KnownDevice, device_table, devices_by_name
from tokenroof.records import Record

DEVICES_SCHEMA: Literal["tokenroof.devices/1"] = "tokenroof.devices/1"


class Devices(Record, frozen=True, kw_only=True):
    """What was found. `query` is None where all devices were asked for."""

    schema: Literal["tokenroof.devices/1"] = DEVICES_SCHEMA
    query: str | None
    devices: tuple[KnownDevice, ...]


def search_devices(query: str | None = None) -> Devices:
    """The devices that a text means, else those with each of its words in their names.

    Raises:
        UsageError: there is none.
    """
    if query is None or not query.strip():
        return Devices(query=None, devices=device_table().devices)
    known = devices_by_name()
    found = [known[name] for name in meanings(query) if name in known]
    if not found:
        words = [word for each in query.split() if (word := normalised(each))]
        found = [each for each in device_table().devices if _has_all(each, words)]
    if not found:
        raise unknown_device(query)
    return Devices(query=query, devices=tuple(found))


def further_names(device: KnownDevice) -> tuple[str, ...]:
    """What else the device is called, where that means no other one."""
    names = device_table().names.items()
    return tuple(name for name, means in names if means == (device.name,))


def _has_all(device: KnownDevice, words: list[str]) -> bool:
    text = normalised(f"{device.vendor} {device.name} {device.memory_type}")
    return bool(words) and all(word in text for word in words)
