"""A device's peak arithmetic, to tell of. No bound: engines multiply in other types as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.hardware.device import NamedDevice

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device


def peak_flop_per_second(device: Device) -> float | None:
    """What somebody gave, else the published dense rate of FP16 in matrix units; None if unknown.

    Of several devices that take turns one computes at a time; of unlike ones there is none.
    """
    if device.flop_per_second is not None or not isinstance(device, NamedDevice):
        return device.flop_per_second
    from tokenroof.hardware.device_table import devices_by_name

    names = {part.name for part in device.parts} or {device.name}
    known = devices_by_name().get(names.pop())
    if names or known is None or known.fp16_tflops is None:
        return None
    return known.fp16_tflops * 1e12
