"""What watches the machine: one file for each source, and the list of those that this one has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenroof.measure.sensors.amd import amd_sensors
from tokenroof.measure.sensors.base import Reading, Sensor, ThrottleReason
from tokenroof.measure.sensors.climate import CpuClimate
from tokenroof.measure.sensors.cpu import CpuSensor
from tokenroof.measure.sensors.energy import energy_meter
from tokenroof.measure.sensors.memory import MemorySensor
from tokenroof.measure.sensors.nvidia import nvidia_sensors
from tokenroof.measure.sensors.queue import QueueSensor

__all__ = ["Reading", "Sensor", "ThrottleReason", "available_sensors", "energy_meter"]


def available_sensors(
    own_pids: Callable[[], Sequence[int]] = tuple,
    *,
    engine_on_gpu: bool | None = None,
    queue_url: str | None = None,
) -> list[Sensor]:
    """The sensors that this machine has; the declared queue is asked once, to be sure of it.

    Args:
        own_pids: the engine's process ids at the moment of asking.
        engine_on_gpu: whether the engine computes on a GPU; None where it does not say.
        queue_url: another program's queue that has to be empty.

    Raises:
        UsageError: `queue_url` is not an http address.
        EngineError: no such queue answers there.
    """
    sensors: list[Sensor] = [CpuSensor(own_pids), CpuClimate(), MemorySensor(own_pids)]
    sensors += nvidia_sensors(own_pids, engine_on_gpu)
    sensors += amd_sensors(engine_on_gpu)
    if queue_url is not None:
        queue = QueueSensor(queue_url)
        queue.check()
        sensors.append(queue)
    return sensors
