"""Memory by its type, its data rate and its populated channels: `ddr5-5600 x2`.

A channel of DIMMs has 64 data lines, so it moves 8 bytes a transfer: channels x rate x 8 B is what
the memory moves at most. What counts is the channels that hold a module. A missing module takes
its channel with it and changes nothing that the firmware says about the others, so seven of eight
channels at 3200 MT/s move 179.2 GB/s, not 204.8. Two modules on one channel share it.

Soldered memory (LPDDR) is told by the width of its whole bus: its channels are 16 or 32 bits wide.

How much there is of it may follow, `ddr5-5600 x2 64GB`, in GiB, which makers write as GB.
"""

from __future__ import annotations

import re

from tokenroof.errors import UsageError
from tokenroof.hardware.device import Device, bus_bandwidth
from tokenroof.hardware.device_table import KnownDevice
from tokenroof.safetext import printable
from tokenroof.units import GB, GIB

CHANNEL_BITS = 64

MOST_CHANNELS = 64
MOST_BUS_BITS = 16_384
DATA_RATES_MTPS = range(200, 32_001)

_TYPE = r"(?P<type>LPDDR\d[XT]?|DDR\d|MRDIMM)[\s-]*(?P<rate>\d{3,5})(?:\s*MT/s)?"
_CHANNELS = r"[x×]\s*(?P<channels>\d{1,3})"
_COUNTED = r"(?P<channels>\d{1,3})(?:\s*[x×]|\s*-?ch(?:annels?)?)"
_BITS = r"(?P<bits>\d{1,5})[\s-]*bits?"

_SIZE = r"(?:[\s,]+(?P<gb>\d{1,5})\s*Gi?B)?"

_FORMS = tuple(
    re.compile(form + _SIZE, re.IGNORECASE)
    for form in (
        rf"{_TYPE}(?:\s*{_CHANNELS})?",
        rf"{_TYPE}[\s,]+{_COUNTED}",
        rf"{_COUNTED}\s+{_TYPE}",
        rf"{_TYPE}[\s,]+{_BITS}",
        rf"{_BITS}[\s,]+{_TYPE}",
    )
)


def memory_device(text: str) -> Device | None:
    """The memory that a text describes; None where it describes none.

    Raises:
        UsageError: it names memory but not how much of it works side by side, or figures that
            no memory has.

    Example:
        `ddr4-3200 x7` is 7 x 64 bits at 3200 MT/s: 179.2 GB/s.
    """
    known = known_memory(text)
    if known is None:
        return None
    return Device(
        name=known.name,
        source="hardware.source_memory",
        place="cpu",
        bandwidth_bytes_per_second=bus_bandwidth(known.bus_width_bits, known.data_rate_mtps),
        bandwidth_basis="spec",
        memory_bytes=round(known.memory_gb[0] * GIB) if known.memory_gb else None,
    )


def known_memory(text: str) -> KnownDevice | None:
    """The memory that a text describes, with its figures as a device of the table has them.

    Raises:
        UsageError: as `memory_device`.
    """
    match = next((found for form in _FORMS if (found := form.fullmatch(text.strip()))), None)
    if match is None:
        return None
    told = match.groupdict()
    kind, rate = told["type"].upper(), int(told["rate"])
    channels, bits = told.get("channels"), told.get("bits")
    if bits is None and kind.startswith("LPDDR"):
        raise UsageError("hardware.memory_needs_bits", memory=printable(text))
    if bits is None and channels is None:
        raise UsageError("hardware.memory_needs_channels", memory=printable(text))
    width = int(bits) if bits is not None else int(channels or 0) * CHANNEL_BITS
    most = MOST_BUS_BITS if bits is not None else MOST_CHANNELS * CHANNEL_BITS
    size = told.get("gb")
    if not 0 < width <= most or rate not in DATA_RATES_MTPS or (size is not None and not int(size)):
        raise UsageError("hardware.memory_impossible", memory=printable(text))
    extent = f"{width}-bit" if bits is not None else f"x{int(channels or 0)}"
    computed = bus_bandwidth(width, rate) / GB
    return KnownDevice(
        name=f"{kind}-{rate} {extent}" + ("" if size is None else f" {int(size)} GB"),
        vendor=None,
        kind="memory",
        memory_type=kind,
        bus_width_bits=float(width),
        data_rate_mtps=float(rate),
        bandwidth_gb_s=computed,
        published_gb_s=None,
        computed_gb_s=computed,
        memory_gb=() if size is None else (float(size),),
        fp16_tflops=None,
        fp32_tflops=None,
        int8_tops=None,
        power_w=None,
        link_gb_s=None,
        year=None,
        unverified=(),
        sources=(),
        note=None,
    )
