"""The processor that a profile was measured on, as a device.

A disturbance only ever makes a reading of the memory slower, so the most that was read when the
machine was calibrated, in minutes of quiet, may be nearer to what it can do than a look right now.
"""

from __future__ import annotations

import msgspec

from tokenroof.hardware.device import Device
from tokenroof.hardware.machine import Machine
from tokenroof.predict.learnt.profile import Profile

SOURCE = "hardware.source_profile"


def device_of(profile: Profile) -> Device:
    """The processor of a profile that was made elsewhere; what its memory holds is not told."""
    bandwidth = profile.bandwidth_bytes_per_second
    return Device(
        name=str(profile.machine.get("cpu_name")),
        source=SOURCE,
        place="cpu",
        bandwidth_bytes_per_second=bandwidth,
        bandwidth_basis=None if bandwidth is None else "measured",
    )


def with_bandwidth_of(profile: Profile, device: Device, machine: Machine) -> Device:
    """This machine's processor with the better bandwidth of the two.

    That of the profile counts where it was made on this processor with as many cores.
    """
    then, now = bandwidth_here(profile, machine), device.bandwidth_bytes_per_second
    if then is None or (now is not None and now >= then):
        return device
    return msgspec.structs.replace(
        device,
        source=SOURCE,
        bandwidth_bytes_per_second=then,
        bandwidth_basis="measured",
        bandwidth_spread=None,
    )


def bandwidth_here(profile: Profile, machine: Machine) -> float | None:
    """What was read per second when the profile was made, if that was on this processor with as
    many cores."""
    is_same = profile.machine.get("usable_cores") == machine.usable_cores
    return (
        profile.bandwidth_bytes_per_second if is_same and profile.is_of(machine.cpu_name) else None
    )
