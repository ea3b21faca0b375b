"""The memory that stands in a machine, and what its populated channels move at most.

Each channel moves its width a transfer, and all of them run at the rate of the slowest module.
Firmware tells of modules and not of channels; where a module's slot is called by its channel
(`DIMM_A1`, `P0 CHANNEL B`), the channels are counted, and two modules on one channel count once.
Where it is not, each module may have a channel of its own: then the figure is only a bound. Some
makers letter the processors' slots and number the channels (`A1` to `A12`), which shows where
more modules bear one letter than a channel takes.
"""

from __future__ import annotations

import re
from collections import Counter

from tokenroof.hardware.device import bus_bandwidth
from tokenroof.records import Record

CHANNEL_BITS = 64

SMBIOS_TYPES = {
    0x12: "DDR",
    0x13: "DDR2",
    0x18: "DDR3",
    0x1A: "DDR4",
    0x1B: "LPDDR",
    0x1C: "LPDDR2",
    0x1D: "LPDDR3",
    0x1E: "LPDDR4",
    0x20: "HBM",
    0x21: "HBM2",
    0x22: "DDR5",
    0x23: "LPDDR5",
    0x24: "HBM3",
}
"""Kinds of memory as firmware numbers them (SMBIOS, type 17); Windows passes the number on."""

MOST_ON_A_CHANNEL = 2

_SOCKET = re.compile(r"(?:\b|_)(?:P|CPU|PROC(?:ESSOR)?|NODE)[\s_-]?(\d+)", re.IGNORECASE)
_CONTROLLER = re.compile(r"CONTROLLER[\s_-]?(\d+)", re.IGNORECASE)
_CHANNEL = re.compile(r"CHANNEL[\s_-]?([A-Z0-9])", re.IGNORECASE)
_DIMM = re.compile(
    r"(?:DIMM[\s_-]?|^|(?:^|[\s_-])(?:P|CPU)\d[\s_-]?)([A-P])[\s_-]?[0-2]?$", re.IGNORECASE
)
"""A letter that is a channel: behind it a channel's first or second slot, and no higher number."""


class MemoryModule(Record, frozen=True, kw_only=True):
    """One module, or one chip of soldered memory. Unknown is None.

    Attributes:
        slot: as the firmware calls it.
        channel: which channel it is on, where its slot tells.
        data_rate_mtps: what it runs at.
        rated_mtps: what it could run at.
        width_bits: data lines, without those for error correction.
    """

    slot: str | None = None
    channel: str | None = None
    size_bytes: int | None = None
    type: str | None = None
    data_rate_mtps: float | None = None
    rated_mtps: float | None = None
    width_bits: int | None = None


class MemoryLayout(Record, frozen=True, kw_only=True):
    """The populated modules, how many slots there are, and who said so."""

    source: str
    modules: tuple[MemoryModule, ...]
    slots: int | None = None


class ClaimedBandwidth(Record, frozen=True, kw_only=True):
    """What a layout moves at most.

    Attributes:
        channels: populated ones; None where the slots do not tell which they are on.
        is_bound: some modules may share a channel, so the truth may be less.
    """

    bytes_per_second: float
    channels: int | None
    is_bound: bool


def channel_of(slot: str | None, bank: str | None) -> str | None:
    """The channel that the firmware's names for a slot tell of; None where they do not.

    Example:
        `DIMM_A1` and `DIMM_A2` are on channel A; `P1-DIMMB1` is on channel B of processor 1.
    """
    names = [name.strip() for name in (bank, slot) if name and name.strip()]
    for name in names:
        channel = _CHANNEL.search(name) or _DIMM.search(name)
        if channel is None:
            continue
        owners = [
            found[1] for pattern in (_SOCKET, _CONTROLLER) for found in _first(pattern, names)
        ]
        return "/".join([*owners, channel[1].upper()])
    return None


def claimed_bandwidth(
    layout: MemoryLayout, most_channels: int | None = None
) -> ClaimedBandwidth | None:
    """What the populated channels move at most; None where a rate or a width is not known.

    Args:
        most_channels: how many the processor has, where that is known.
    """
    rates = [module.data_rate_mtps for module in layout.modules]
    widths = [_width(module) for module in layout.modules]
    if not layout.modules or None in rates or None in widths:
        return None
    slowest = min(rate for rate in rates if rate is not None)
    by_channel: dict[str | None, int] = {}
    for module, width in zip(layout.modules, widths, strict=True):
        by_channel[module.channel] = max(by_channel.get(module.channel, 0), width or 0)
    fullest = max(Counter(module.channel for module in layout.modules).values())
    if None not in by_channel and fullest <= MOST_ON_A_CHANNEL:
        total, channels = sum(by_channel.values()), len(by_channel)
        return ClaimedBandwidth(
            bytes_per_second=bus_bandwidth(total, slowest), channels=channels, is_bound=False
        )
    total = sum(width or 0 for width in widths)
    if most_channels is not None:
        total = min(total, most_channels * CHANNEL_BITS)
    return ClaimedBandwidth(
        bytes_per_second=bus_bandwidth(total, slowest),
        channels=None,
        # A single module has its channel to itself.
        is_bound=len(layout.modules) > 1,
    )


def _width(module: MemoryModule) -> int | None:
    if module.width_bits is not None:
        return module.width_bits
    # A module of DDR has 64 data lines whatever the firmware leaves out; a soldered chip may not.
    return CHANNEL_BITS if (module.type or "").startswith("DDR") else None


def _first(pattern: re.Pattern[str], names: list[str]) -> list[re.Match[str]]:
    """The first name's match alone: a slot and its bank say the same processor."""
    found = (pattern.search(name) for name in names)
    return [match for match in found if match is not None][:1]
