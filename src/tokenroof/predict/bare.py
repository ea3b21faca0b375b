"""A question that names no model, only how many bytes a token reads: bandwidth over bytes.

That is all that follows from it. The KV cache is not known, nor what lies in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.hardware.device import Device, NamedDevice
from tokenroof.notices import Notice
from tokenroof.predict.assumptions import MEASURED_NOW_OR_THEN, PROFILE
from tokenroof.predict.records import Rate, Row
from tokenroof.units import bandwidth, size

if TYPE_CHECKING:
    from tokenroof.predict.cases import Case


def names_bytes_alone(case: Case) -> bool:
    """Whether a question says what a token reads, and not of which model."""
    return case.model is None and case.weight_bytes is not None


def bare_row(case: Case, device: Device) -> Row:
    """The ceiling of so many bytes on a device."""
    weights = case.weight_bytes or 0.0
    rate = device.bandwidth_bytes_per_second
    ceiling = rate / weights if rate and weights else None
    return Row(
        model=size(weights),
        device=device.name,
        depth=case.depth or 0,
        read_bytes=round(weights),
        ceiling_tokens_per_s=ceiling,
        decode=Rate(tokens_per_s=None, low=None, high=ceiling, basis="spec"),
        basis="spec",
        bandwidth_bytes_per_s=rate,
        assumes=(
            Notice("predict.assumes_one_stream"),
            Notice("predict.assumes_weight_bytes", {"weights": size(weights)}),
            Notice("predict.assumes_no_model"),
            *_of_device(device),
        ),
    )


def _of_device(device: Device) -> tuple[Notice, ...]:
    own = device.notices if isinstance(device, NamedDevice) else ()
    if device.bandwidth_basis != "measured" or device.bandwidth_bytes_per_second is None:
        return own
    rate = bandwidth(device.bandwidth_bytes_per_second)
    return (*own, Notice(MEASURED_NOW_OR_THEN[device.source == PROFILE], {"bandwidth": rate}))
