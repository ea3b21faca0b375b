"""From what people and drivers write to the one device that they mean, or to none.

A name is compared without regard to case, spaces, hyphens and underscores. It means a device, or
several, which is an error with the candidates; what is not known is an error too. Nothing is ever
taken for the device with the nearest name: a laptop's chip has half the bandwidth of the desktop
card that shares its number.
"""

from __future__ import annotations

import itertools
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
_BRACKET = re.compile(r"\s*\([^()]*\)$")
_MAKERS_WORD = re.compile(r"^(?:AMD|Apple|Intel|NVIDIA|Core|GeForce|Radeon)\s+")
_MODIFIED = " (modified)"
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
"""How this program itself abbreviates a name: small letters and hyphens."""
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
        own = _own_names().get(_as_own(spelling))
        if own is not None:
            return (own,)
        found = _every_name().get(normalised(spelling))
        if found is not None:
            return found
    return _of_a_size(name)


def find_device(name: str, memory_gb: float | None = None) -> KnownDevice:
    """The one device that a name means.

    A card that somebody gave more memory reports the name that it was made with, so what drivers
    and people write may mean either. An id, as `rtx-4090`, is the card as it was made.

    Args:
        memory_gb: a size of memory that it is sold with, to choose among variants.

    Raises:
        AmbiguousName: it may mean several, which the error names.
        UsageError: no device is known by that name.
    """
    found = meanings(name)
    if len(found) > 1 and memory_gb is not None:
        found = sold_with(found, memory_gb) or found
    if _ID.fullmatch(name.strip()):
        found = as_made(found)
    if len(found) > 1:
        raise AmbiguousName(
            "hardware.ambiguous_device", name=printable(name), candidates="; ".join(found)
        )
    devices = devices_by_name()
    if not found or found[0] not in devices:
        raise unknown_device(name)
    return devices[found[0]]


def is_own_name(name: str) -> bool:
    """Whether a name is a device's own, in large or small letters."""
    return _as_own(name) in _own_names()


def unknown_device(name: str) -> UsageError:
    """The error for a name that means no device."""
    return UsageError("hardware.unknown_device", name=printable(name))


def sold_with(names: tuple[str, ...], memory_gb: float) -> tuple[str, ...]:
    """Those of some devices that are sold with a size of memory."""
    devices = devices_by_name()
    return tuple(each for each in names if each in devices and memory_gb in devices[each].memory_gb)


def as_made(names: tuple[str, ...]) -> tuple[str, ...]:
    """A device alone where all the others are that one with memory that somebody added to it.

    Example:
        Of `GeForce RTX 4090` and `GeForce RTX 4090 48 GB (modified)` the first; of `GeForce RTX
        3080`, one of 12 GB that was made so, and a modified one all three.
    """
    made = [name for name in names if not name.endswith(_MODIFIED)]
    if len(made) == 1 and all(name.startswith(made[0]) for name in names):
        return (made[0],)
    return names


def namesakes(name: str, device: KnownDevice) -> tuple[str, ...]:
    """Devices that a name could mean as well as the one that it is taken for.

    They are what the table has for the name beside that one, and those that are called so when
    the bracket behind their names is left out, and their makers' word before them.

    Example:
        `i7-12700H` is a processor with DDR4, as reports use the name; one with DDR5 is called
        so too.
    """
    bare = (_bare().get(normalised(each), ()) for each in _spellings(name))
    others = dict.fromkeys((*meanings(name), *itertools.chain.from_iterable(bare)))
    return tuple(each for each in others if each != device.name and each in devices_by_name())


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


def _as_own(name: str) -> str:
    return " ".join(name.casefold().split())


@cache
def _bare() -> dict[str, tuple[str, ...]]:
    """Devices by their names without bracket, with and without their makers' word."""
    found: dict[str, tuple[str, ...]] = {}
    for device in device_table().devices:
        bare = _BRACKET.sub("", device.name)
        for each in {normalised(bare), normalised(_MAKERS_WORD.sub("", bare))}:
            found[each] = (*found.get(each, ()), device.name)
    return found


@cache
def _own_names() -> dict[str, str]:
    return {_as_own(each.name): each.name for each in device_table().devices}


@cache
def _every_name() -> dict[str, tuple[str, ...]]:
    """The further names, and the devices' own where no further name is alike."""
    own = {normalised(each.name): (each.name,) for each in device_table().devices}
    return own | {normalised(name): means for name, means in device_table().names.items()}
