"""What computes where: the cards and the host that a device means.

Cards have memory of their own, and behind them stands a host, whose memory holds what they do not.
Where nobody says which, a host as most desktop machines have it is assumed. A processor, and a
chip whose processor and GPU use one memory, has one place for everything: layers that are "on the
GPU" there read the same memory as those that are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tokenroof.hardware.device import Device, NamedDevice, Part
from tokenroof.predict.memory.parts import Processor
from tokenroof.predict.memory.placement import HOST

if TYPE_CHECKING:
    from collections.abc import Callable

ASSUMED_HOST = "ddr5-5600 x2"
"""Two channels of DDR5-5600: 89.6 GB/s."""


@dataclass(frozen=True, slots=True)
class Processors:
    """The cards of a device, and the host.

    Attributes:
        all: every card in order, then the host; a device with one memory is the host.
        is_assumed: whether nobody said what the host is.
    """

    all: tuple[Processor, ...]
    is_assumed: bool

    @property
    def has_cards(self) -> bool:
        """Whether there is more than one memory."""
        return len(self.all) > 1


def processors(
    device: Device, host: Device | None, *, has_host: bool, here: Callable[[], Device]
) -> Processors:
    """The places of a device.

    Args:
        device: what was named or described.
        host: what was named as its host.
        has_host: whether a device that only figures describe is a card with a host behind it.
        here: this machine's processor, for a host of that name.
    """
    named = device if isinstance(device, NamedDevice) else None
    behind = host if host is not None else named.host if named is not None else None
    is_card = named.has_own_memory if named is not None else device.place is None and has_host
    if not is_card:
        return Processors((_processor(device, HOST),), is_assumed=False)
    cards = _cards(device, named.parts if named is not None else ())
    is_assumed = behind is None
    if behind is None:
        behind = _assumed()
    elif behind.source == "hardware.source_here":
        behind = here()
    return Processors((*cards, _processor(behind, HOST)), is_assumed)


def _cards(device: Device, parts: tuple[Part, ...]) -> tuple[Processor, ...]:
    if not parts:
        return (replace(_processor(device, 0), name=_without_host(device)),)
    return tuple(
        Processor(
            name=part.name,
            place=place,
            kind="gpu",
            bandwidth_bytes_per_second=part.bandwidth_bytes_per_second,
            memory_bytes=part.memory_bytes,
            flop_per_second=device.flop_per_second,
        )
        for place, part in enumerate(parts)
    )


def _without_host(device: Device) -> str:
    """A card's own name."""
    host = device.host if isinstance(device, NamedDevice) else None
    return device.name if host is None else device.name.removesuffix(f" + {host.name}")


def _processor(device: Device, place: int) -> Processor:
    return Processor(
        name=device.name,
        place=place,
        kind=device.place if place == HOST else "gpu",
        bandwidth_bytes_per_second=device.bandwidth_bytes_per_second,
        memory_bytes=device.free_bytes if device.free_bytes is not None else device.memory_bytes,
        flop_per_second=device.flop_per_second,
    )


def _assumed() -> Device:
    from tokenroof.hardware.hosts import memory_device

    host = memory_device(ASSUMED_HOST)
    assert host is not None
    return host
