"""From what people and drivers write to the one device that they mean, or to none.

A name is compared without regard to case, spaces, hyphens and underscores. It means a device, or
several, which is an error with the candidates; what is not known is an error too. Nothing is ever
taken for the device with the nearest name: a laptop's chip has half the bandwidth of the desktop
card that shares its number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from tokenroof.errors import AmbiguousName, UsageError
from tokenroof.hardware.device_table import KnownDevice, device_table, devices_by_name
from tokenroof.safetext import printable

_LEFT_OUT = re.compile(r"[\s_-]+")

_MEMORY = re.compile(r"(?P<name>.+?)[\s,]*\(?(?P<gb>\d{1,4})\s*(?:GB|GiB|G)\)?", re.IGNORECASE)

_DECORATION = re.compile(
    r"\((?:r|tm)\)|[®™]"  # marks
    r"|\bCPU\b|@\s*[\d.]+\s*GHz"  # of a processor's brand string
    r"|\b\d+-Core Processor\b|\b\d+th Gen\b|\bwith Radeon .*|\bw/ Radeon .*"
    r"|\(RADV [^)]*\)",  # of a driver
    re.IGNORECASE,
)
_VENDOR = re.compile(r"^\s*(?:AMD|Intel|NVIDIA)\s+", re.IGNORECASE)
_LAPTOP = re.compile(r"\bLaptop(?: GPU)?\b", re.IGNORECASE)
"""What NVIDIA's drivers say for the parts that the table calls Mobile."""


def normalised(name: str) -> str:
    """A name as it is compared: small letters, no spaces, hyphens or underscores."""
    return _LEFT_OUT.sub("", unicodedata.normalize("NFKC", name).lower())


def meanings(name: str) -> tuple[str, ...]:
    """Everything that a name may mean: names of devices, or texts such as `2x A + B`.

    A device's own name, in large or small letters, means that device and nothing else.
    """
    for spelling in _spellings(name):
        own = _own_names().get(" ".join(spelling.casefold().split()))
        if own is not None:
            return (own,)
        found = _every_name().get(normalised(spelling))
        if found is not None:
            return found
    return _of_a_size(name)


def find_device(name: str, memory_gb: float | None = None) -> KnownDevice:
    """The one device that a name means.

    Args:
        memory_gb: a size of memory that it is sold with, to choose among variants.

    Raises:
        AmbiguousName: it may mean several, which the error names.
        UsageError: no device is known by that name.
    """
    found = meanings(name)
    if len(found) > 1 and memory_gb is not None:
        found = sold_with(found, memory_gb) or found
    if len(found) > 1:
        raise AmbiguousName(
            "hardware.ambiguous_device", name=printable(name), candidates="; ".join(found)
        )
    devices = devices_by_name()
    if not found or found[0] not in devices:
        raise unknown_device(name)
    return devices[found[0]]


def unknown_device(name: str) -> UsageError:
    """The error for a name that means no device."""
    return UsageError("hardware.unknown_device", name=printable(name))


def sold_with(names: tuple[str, ...], memory_gb: float) -> tuple[str, ...]:
    """Those of some devices that are sold with a size of memory."""
    devices = devices_by_name()
    return tuple(each for each in names if each in devices and memory_gb in devices[each].memory_gb)


def memory_in_name(name: str) -> tuple[str, float] | None:
    """A name that ends with a size of memory, taken apart; None where it does not."""
    match = _MEMORY.fullmatch(name.strip())
    return (match["name"], float(match["gb"])) if match else None


def _of_a_size(name: str) -> tuple[str, ...]:
    """Of a name that ends with a size: what the rest means, as far as it is sold with that."""
    parts = memory_in_name(name)
    return sold_with(meanings(parts[0]), parts[1]) if parts else ()


def _spellings(name: str) -> Iterator[str]:
    """The name, then the name without what vendors and drivers put around it."""
    yield name
    bare = _DECORATION.sub(" ", name)
    yield bare
    bare = _VENDOR.sub("", bare)
    yield bare
    yield _LAPTOP.sub("Mobile", bare)


@cache
def _own_names() -> dict[str, str]:
    return {" ".join(each.name.casefold().split()): each.name for each in device_table().devices}


@cache
def _every_name() -> dict[str, tuple[str, ...]]:
    """The further names, and the devices' own where no further name is alike."""
    own = {normalised(each.name): (each.name,) for each in device_table().devices}
    return own | {normalised(name): means for name, means in device_table().names.items()}
