"""NVIDIA's GPUs, by `nvidia-smi`, where its library cannot be loaded.

Under WSL and in some containers the program is there and finds the library in a folder of its
own, where Python's loader does not look.
"""

from __future__ import annotations

import csv

from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.hardware.sources.commands import Run, output
from tokenroof.units import MIB

FIELDS = (
    "name",
    "memory.total",
    "memory.free",
    "driver_version",
    "pcie.link.gen.current",
    "pcie.link.width.current",
    "pcie.link.gen.max",
    "pcie.link.width.max",
    "power.limit",
    "power.default_limit",
    "utilization.gpu",
)
COMMAND = ("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits")


def nvidia_smi_gpus(run: Run = output) -> tuple[Gpu, ...]:
    """Every GPU that it lists; none where there is no such program or no driver."""
    rows = ([cell.strip() for cell in row] for row in csv.reader(run(COMMAND).splitlines()) if row)
    # A message instead of a list has no such number of columns.
    return tuple(_gpu(dict(zip(FIELDS, row, strict=True))) for row in rows if len(row) == _WIDTH)


_WIDTH = len(FIELDS)


def _gpu(row: dict[str, str]) -> Gpu:
    total, free = _number(row["memory.total"]), _number(row["memory.free"])
    busy = _number(row["utilization.gpu"])
    link = Link(
        generation=_whole(row["pcie.link.gen.current"]),
        lanes=_whole(row["pcie.link.width.current"]),
        most_generation=_whole(row["pcie.link.gen.max"]),
        most_lanes=_whole(row["pcie.link.width.max"]),
    )
    return Gpu(
        name=row["name"],
        vendor="NVIDIA",
        source="nvidia-smi",
        memory_total_bytes=None if total is None else round(total * MIB),
        memory_free_bytes=None if free is None else round(free * MIB),
        driver=row["driver_version"] or None,
        link=None if link == Link() else link,
        power_limit_watts=_number(row["power.limit"]),
        default_power_limit_watts=_number(row["power.default_limit"]),
        busy=None if busy is None else busy / 100,
        api=("CUDA",),
    )


def _number(cell: str) -> float | None:
    """What is not known stands there as `[N/A]` or `[Not Supported]`."""
    try:
        return float(cell)
    except ValueError:
        return None


def _whole(cell: str) -> int | None:
    return int(cell) if cell.isdecimal() else None
