"""Write the packaged table of devices from the tables that people edit.

    python tools/make_devices.py

`tools/devices/devices.csv` has a line for each device, `tools/devices/names.csv` a line for each
further name and what it means; several lines for one name make it ambiguous. The columns:

- `bandwidth_gb_s` is what is used, `published_gb_s` what somebody prints, empty where nobody does.
  Bus width x data rate is computed here. Where the two are more than 3 % apart, `note` says why.
- `memory_gb` has the sizes that it is sold with, smallest first, slashes between them.
- `unverified` names the figures that nobody confirmed, spaces between them.
- `power_w` is what it may draw for long; of a range its maker's highest.
- `pcie` is a card's generation of PCI Express and its lanes, `4.0 x8`; what they move is computed.
- `source` covers every figure that the next three do not; `memory_source` the memory's figures;
  `compute_source` the operations a second; `power_source` the watts.

A row that contradicts itself stops this program. A test runs it again and compares.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec

from tokenroof.hardware.device_names import normalised
from tokenroof.hardware.device_table import (
    FILE,
    DeviceTable,
    Figure,
    FigureSource,
    KnownDevice,
)

TABLES = Path(__file__).parent / "devices"
PACKAGED = Path(__file__).parents[1] / "src" / "tokenroof" / "hardware" / FILE

AGREEMENT = 0.03
MEMORY: tuple[Figure, ...] = (
    "memory_type",
    "bus_width_bits",
    "data_rate_mtps",
    "bandwidth_gb_s",
    "memory_gb",
)
COMPUTE: tuple[Figure, ...] = ("fp16_tflops", "fp32_tflops", "int8_tops")
ANNOUNCEMENT = "the vendor's announcement"
_PCIE = {
    "2.0": (5, 8 / 10),
    "3.0": (8, 128 / 130),
    "4.0": (16, 128 / 130),
    "5.0": (32, 128 / 130),
}
"""1e9 transfers a second on a lane, and the data in so many bits."""


def table() -> DeviceTable:
    """The table as the source tables say.

    Raises:
        ValueError: a row contradicts itself, or a name means a device that is not there.
    """
    devices = tuple(_device(row) for row in _rows("devices.csv"))
    known = {device.name for device in devices}
    if len(known) != len(devices):
        raise ValueError("a device stands twice in devices.csv")
    written: dict[str, str] = {}
    names: dict[str, tuple[str, ...]] = {}
    for row in _rows("names.csv"):
        name = written.setdefault(normalised(row["name"]), row["name"])
        names[name] = tuple(dict.fromkeys((*names.get(name, ()), row["device"])))
    for meant in {each for means in names.values() for each in means}:
        if meant not in known and " + " not in meant and "x " not in meant:
            raise ValueError(f"names.csv means an unknown device: {meant}")
    return DeviceTable(devices=devices, names=names)


def packed(content: DeviceTable) -> bytes:
    """The file of the package. No date is in it, so that the same table gives the same bytes."""
    return gzip.compress(msgspec.json.encode(content), compresslevel=9, mtime=0)


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _device(row: dict[str, str]) -> KnownDevice:
    computed = float(row["bus_width_bits"]) * float(row["data_rate_mtps"]) / 8e3
    used, published = float(row["bandwidth_gb_s"]), _number(row["published_gb_s"])
    for each in (used, published):
        if each is not None and abs(each / computed - 1) > AGREEMENT and not row["note"]:
            raise ValueError(f"{row['name']}: {each} is not {computed:.1f}, and no note says why")
    device = KnownDevice(
        name=row["name"],
        vendor=row["vendor"],
        kind=row["kind"],  # type: ignore[arg-type]
        memory_type=row["memory_type"],
        bus_width_bits=float(row["bus_width_bits"]),
        data_rate_mtps=float(row["data_rate_mtps"]),
        bandwidth_gb_s=used,
        published_gb_s=published,
        computed_gb_s=round(computed, 3),
        memory_gb=tuple(float(each) for each in row["memory_gb"].split("/") if each),
        fp16_tflops=_number(row["fp16_tflops"]),
        fp32_tflops=_number(row["fp32_tflops"]),
        int8_tops=_number(row["int8_tops"]),
        power_w=_number(row["power_w"]),
        link_gb_s=_link(row["pcie"]),
        year=int(row["year"]) if row["year"] else None,
        unverified=tuple(_figures(row)),
        sources=(),
        note=row["note"] or None,
    )
    return msgspec.structs.replace(device, sources=tuple(_sources(row, device)))


def _figures(row: dict[str, str]) -> Iterator[Figure]:
    for each in row["unverified"].split():
        if each not in get_args(Figure):
            raise ValueError(f"{row['name']}: there is no figure {each}")
        yield each  # type: ignore[misc]


def _sources(row: dict[str, str], device: KnownDevice) -> Iterator[FigureSource]:
    """Each source with the known figures that it covers."""
    everything, memory, compute = row["source"], row["memory_source"], row["compute_source"]
    computed = COMPUTE
    if everything and not re.search("compute|FP32(:| half|, FP16)", compute):
        computed = ("fp16_tflops", "int8_tops")
    covered: dict[str, tuple[Figure, ...]] = {
        everything: (
            *(*MEMORY, "fp32_tflops", *(() if compute else COMPUTE)),
            *(() if row["power_source"] else ("power_w",)),
            "link_gb_s",
            "year",
        ),
        memory: MEMORY,
        compute: computed,
        row["power_source"]: ("power_w",),
        ANNOUNCEMENT: () if everything else ("year",),
    }
    for text, figures in covered.items():
        known = tuple(dict.fromkeys(each for each in figures if getattr(device, each)))
        if text and known:
            yield FigureSource(figures=known, text=text)


def _link(text: str) -> float | None:
    """Transfers a second x lanes x what of the bits is data, in GB/s."""
    if not text:
        return None
    generation, lanes = text.split(" x")
    transfers, data = _PCIE[generation]
    return round(transfers * int(lanes) * data / 8, 3)


def _number(text: str) -> float | None:
    return float(text) if text else None


def main() -> None:
    """Write the file."""
    PACKAGED.write_bytes(packed(table()))


if __name__ == "__main__":
    main()
