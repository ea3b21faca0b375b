"""What can hold a model's layers, and the bandwidth that bounds reading from it.

Decoding reads the weights and the cache from memory once a token, so the bandwidth of the memory
that holds the layers bounds the speed. A memory bus moves `bus width x transfers a second` bits;
that is its peak, which no program reaches. What a processor reads bounds only what that processor
runs: it says nothing about a GPU, whose layers lie in other memory.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from tokenroof import units
from tokenroof.errors import UsageError
from tokenroof.notices import Notice
from tokenroof.records import Record

Place = Literal["cpu", "gpu"]
"""Which kind of processor computes on the memory."""

Ran = Literal["cpu", "gpu", "mixed"]
"""Where a run was computed, as its engine says."""

BandwidthBasis = Literal["given", "spec", "measured"]
"""Where a bandwidth comes from: the person, a data sheet, or a measurement here."""


class Spread(Record, frozen=True, kw_only=True):
    """How far the repeats of a measurement lay apart."""

    low: float
    median: float
    high: float


class Device(Record, frozen=True, kw_only=True):
    """A processor with its memory. Unknown is None.

    Attributes:
        name: what it is called, by its vendor or by the person.
        place: which kind it is; None where the person gave only figures.
        bandwidth_bytes_per_second: what bounds reading from its memory.
        bandwidth_spread: the repeats behind a measured bandwidth.
        memory_bytes: what its memory holds.
        free_bytes: what of it nobody used when it was looked at.
        flop_per_second: its peak arithmetic rate.
        source: id of the sentence that says where the figures come from.
    """

    name: str
    source: str
    place: Place | None = None
    bandwidth_bytes_per_second: float | None = None
    bandwidth_basis: BandwidthBasis | None = None
    bandwidth_spread: Spread | None = None
    memory_bytes: int | None = None
    free_bytes: int | None = None
    flop_per_second: float | None = None


class Part(Record, frozen=True, kw_only=True):
    """One of the devices that share the layers."""

    name: str
    memory_bytes: int | None
    bandwidth_bytes_per_second: float | None = None


class NamedDevice(Device, frozen=True, kw_only=True):
    """A device by its name, maybe several of it.

    Attributes:
        parts: what shares the layers; their memories add up to `memory_bytes`.
        notices: what its figures assume.
        host: what holds that which the device does not; None where nobody said.
        has_own_memory: whether it is cards, whose memory no program of the system uses.
    """

    parts: tuple[Part, ...] = ()
    notices: tuple[Notice, ...] = ()
    host: Device | None = None
    has_own_memory: bool = False


class Ceiling(Record, frozen=True, kw_only=True):
    """The bandwidth that bounds a run, or None and why it is not known."""

    bytes_per_second: float | None
    basis: BandwidthBasis | None = None
    notices: tuple[Notice, ...] = ()


def bus_bandwidth(bus_bits: float, data_rate_mtps: float) -> float:
    """Peak bandwidth of a memory bus, in bytes per second.

    Args:
        bus_bits: width of all populated channels together; a DIMM channel has 64 bits.
        data_rate_mtps: transfers per second and line, in millions: 8000 for LPDDR5X-8000.

    Example:
        256 bits at 8000 MT/s move 256 / 8 x 8000e6 = 256e9 bytes per second.
    """
    return bus_bits * data_rate_mtps * 1e6 / 8


def given_device(
    gb_per_s: float, memory_gb: float | None = None, tflops: float | None = None
) -> Device:
    """The device that a person describes by its figures alone.

    Args:
        gb_per_s: bandwidth in GB/s (1e9 bytes).
        memory_gb: memory in GB (1e9 bytes).
        tflops: peak arithmetic in TFLOP/s (1e12).

    Raises:
        UsageError: a figure is not a positive, finite number.
    """
    bandwidth = _scaled("--bandwidth", gb_per_s, units.GB)
    return Device(
        name=f"{gb_per_s:g} GB/s",
        source="hardware.source_given",
        bandwidth_bytes_per_second=float(bandwidth),
        bandwidth_basis="given",
        memory_bytes=None if memory_gb is None else _scaled("--memory", memory_gb, units.GB),
        flop_per_second=None if tflops is None else float(_scaled("--tflops", tflops, 10**12)),
    )


def with_figures(device: Device, memory_gb: float | None, tflops: float | None) -> Device:
    """A device, with a person's own figures in place of some of its.

    Raises:
        UsageError: a figure is not a positive, finite number.
    """
    figures: dict[str, float] = {}
    if memory_gb is not None:
        figures["memory_bytes"] = _scaled("--memory", memory_gb, units.GB)
    if tflops is not None:
        figures["flop_per_second"] = float(_scaled("--tflops", tflops, 10**12))
    return msgspec.structs.replace(device, **figures) if figures else device


def _scaled(option: str, value: float, factor: int) -> int:
    if not (math.isfinite(value * factor) and value > 0):
        raise UsageError("hardware.not_positive", option=option, value=f"{value:g}")
    # Rounded: 936.2 x 1e9 in floating point is off by a fraction of a byte.
    return round(value * factor)


def ceiling_bandwidth(device: Device | None, ran: Ran | None) -> Ceiling:
    """The bandwidth that bounds a run on `device`, where that is known.

    A bandwidth belongs to the place where it was measured or specified. It bounds a run only
    where the engine says that it ran in that place; the person's own figure bounds any run in
    one place. A run over two places is bounded by neither bandwidth alone.
    """
    if device is None or device.bandwidth_bytes_per_second is None:
        return _unknown("hardware.bandwidth_unknown")
    if ran == "mixed":
        return _unknown("hardware.ceiling_two_places")
    if device.place is not None:
        if ran is None:
            return _unknown("hardware.ceiling_place_unknown", device.name)
        if ran != device.place:
            return _unknown("hardware.ceiling_other_place", device.name)
    elif device.bandwidth_basis != "given":
        return _unknown("hardware.ceiling_place_unknown", device.name)
    return Ceiling(bytes_per_second=device.bandwidth_bytes_per_second, basis=device.bandwidth_basis)


def _unknown(message: str, name: str | None = None) -> Ceiling:
    values = {} if name is None else {"device": name}
    return Ceiling(bytes_per_second=None, notices=(Notice(message, values),))
