"""A machine that stands for `here`: a CPU whose bandwidth was measured."""

from __future__ import annotations

from tokenroof.hardware.device import Device


def this_cpu(memory_gib: int = 32) -> Device:
    """50 GB/s."""
    return Device(
        name="a CPU",
        source="hardware.source_measured",
        place="cpu",
        bandwidth_bytes_per_second=50e9,
        bandwidth_basis="measured",
        memory_bytes=memory_gib * 2**30,
    )
