"""Looking for devices by a name, or by words of one."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from tokenroof.errors import AmbiguousName, UsageError
from tokenroof.hardware.device_names import (
    is_own_name,
    meanings,
    namesakes,
    normalised,
    unknown_device,
)
from tokenroof.hardware.device_table import KnownDevice, device_table, devices_by_name
from tokenroof.hardware.device_text import known_devices
from tokenroof.records import Record

DEVICES_SCHEMA: Literal["tokenroof.devices/1"] = "tokenroof.devices/1"


class Devices(Record, frozen=True, kw_only=True):
    """What was found. `query` is None where all devices were asked for."""

    schema: Literal["tokenroof.devices/1"] = DEVICES_SCHEMA
    query: str | None
    devices: tuple[KnownDevice, ...]


def search_devices(query: str | None = None) -> Devices:
    """The devices that a text means, else those with each of its words in their names.

    A text that `estimate --on` takes, such as `2x RTX 3090 + ddr5-5600 x2`, means all that it
    names.

    Raises:
        UsageError: there is none.
    """
    if query is None or not query.strip():
        return Devices(query=None, devices=device_table().devices)
    found = _meant(query) or _of_a_setup(query) or _with_words(query)
    if not found:
        raise unknown_device(query)
    return Devices(query=query, devices=found)


def further_names(device: KnownDevice) -> tuple[str, ...]:
    """What else the device is called, where that means no other one."""
    names = device_table().names.items()
    return tuple(name for name, means in names if means == (device.name,))


def _meant(query: str) -> tuple[KnownDevice, ...]:
    """What a name means, and what else is called so; of a device's own name that one alone."""
    known = devices_by_name()
    names = [name for name in meanings(query) if name in known]
    if len(names) == 1 and not is_own_name(query):
        names += namesakes(query, known[names[0]])
    return tuple(known[name] for name in names)


def _of_a_setup(query: str) -> tuple[KnownDevice, ...]:
    try:
        return known_devices(query)
    except AmbiguousName:
        raise
    except UsageError:
        return ()


def _with_words(query: str) -> tuple[KnownDevice, ...]:
    words = [word for each in query.split() if (word := "".join(_words(normalised(each))))]
    if not words:
        return ()
    return tuple(
        device
        for device in device_table().devices
        if any(all(_has(text, word) for word in words) for text in _texts()[device.name])
    )


def _has(text: tuple[str, ...], word: str) -> bool:
    """Whether a word stands within one word of a text, or at the start of several.

    `3080ti` is found in `RTX 3080 Ti`, and `n97` not in `Ryzen 9 7950X`.
    """
    if any(word in part for part in text):
        return True
    return any("".join(text[at:]).startswith(word) for at in range(len(text)))


@cache
def _texts() -> dict[str, list[tuple[str, ...]]]:
    """What each device is found by, as words: what the table says of it, and its further names."""
    table = device_table()
    texts = {
        each.name: [_words(f"{each.vendor} {each.name} {each.memory_type}")]
        for each in table.devices
    }
    for name, means in table.names.items():
        for each in means:
            if each in texts:
                texts[each].append(_words(name))
    return texts


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))
