"""The devices whose figures are known, each with where every figure comes from.

The bandwidth of a device is what its memory bus moves at most: bus width x transfers a second.
Where somebody publishes it, that figure is kept beside the computed one, and is the one that is
used; where the published one only rounds the exact one down (400 for 409.6), the exact one is
used, because a ceiling must not lie below what the bus can move.

The data is a file of this package, made by `tools/make_devices.py` from tables that people edit.
It is read when a device is asked for, not before.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from tokenroof.records import Record

FILE = "devices.json.gz"

Kind = Literal["gpu", "apu", "soc", "cpu", "accelerator", "memory"]
"""A card of its own; a GPU in a processor with sockets for memory; a chip with its memory; a
processor; a card that is no GPU; memory that a person describes, which no table lists."""

Figure = Literal[
    "memory_type",
    "bus_width_bits",
    "data_rate_mtps",
    "bandwidth_gb_s",
    "memory_gb",
    "fp16_tflops",
    "fp32_tflops",
    "int8_tops",
    "power_w",
    "link_gb_s",
    "year",
]


class FigureSource(Record, frozen=True, kw_only=True):
    """Where some figures come from."""

    figures: tuple[Figure, ...]
    text: str


class KnownDevice(Record, frozen=True, kw_only=True):
    """One device. Unknown is None.

    Attributes:
        data_rate_mtps: millions of transfers a second on each line of the bus.
        bandwidth_gb_s: what bounds reading from its memory, 1e9 bytes a second; of a processor
            that can stand in a board with several, one socket's.
        published_gb_s: as its vendor or a database prints it; None where nobody does.
        computed_gb_s: bus width x data rate.
        memory_gb: the sizes that it is sold with, smallest first, in GiB as memory is counted;
            none for a processor, whose memory its owner chooses.
        fp16_tflops: dense, in matrix units, accumulating in FP32; None where it has none.
        int8_tops: dense.
        power_w: watts that it may draw for long: a card's with its memory, a chip's with its
            processor cores, and of a range its maker's highest.
        link_gb_s: what its lanes of PCI Express move at most one way, 1e9 bytes a second; None for
            what has no card's edge.
        unverified: figures that nobody confirmed.
        note: what the reader should know about this row.
    """

    name: str
    vendor: str | None
    kind: Kind
    memory_type: str
    bus_width_bits: float
    data_rate_mtps: float
    bandwidth_gb_s: float
    published_gb_s: float | None
    computed_gb_s: float
    memory_gb: tuple[float, ...]
    fp16_tflops: float | None
    fp32_tflops: float | None
    int8_tops: float | None
    power_w: float | None
    link_gb_s: float | None
    year: int | None
    unverified: tuple[Figure, ...]
    sources: tuple[FigureSource, ...]
    note: str | None


class DeviceTable(Record, frozen=True, kw_only=True):
    """All devices, in the order of the source tables.

    Attributes:
        names: a further name, as people or drivers write it, to what it may mean: the names of
            devices, or texts such as `2x A + B`; several mean that it is ambiguous.
    """

    devices: tuple[KnownDevice, ...]
    names: dict[str, tuple[str, ...]]


@cache
def device_table() -> DeviceTable:
    """The table, read once."""
    packed = resources.files("tokenroof.hardware").joinpath(FILE).read_bytes()
    return msgspec.json.decode(gzip.decompress(packed), type=DeviceTable)


@cache
def devices_by_name() -> dict[str, KnownDevice]:
    """Every device under its own name."""
    return {each.name: each for each in device_table().devices}
