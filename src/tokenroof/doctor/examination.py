"""All of it, in the order that disturbs least: looking first, then measuring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from tokenroof import __version__
from tokenroof.clock import Clock, SystemClock
from tokenroof.doctor.engines import found_engines
from tokenroof.doctor.findings import Facts, all_findings
from tokenroof.doctor.load import others_share, probed_around
from tokenroof.doctor.models import found_models
from tokenroof.doctor.privacy import private_facts
from tokenroof.doctor.records import Doctor, FoundModels
from tokenroof.doctor.system import (
    known,
    memory_layout,
    memory_state,
    processor,
    system_state,
)
from tokenroof.hardware.bandwidth import measure_read_bandwidth, probe
from tokenroof.hardware.gpus import find_gpus
from tokenroof.hardware.machine import this_machine
from tokenroof.measure.sensors import available_sensors
from tokenroof.predict.learnt.profiles import own_profiles

if TYPE_CHECKING:
    from tokenroof.hardware.gpu import Gpu

Tell = Callable[[str], None]
"""Told the id of the sentence that says what is done next."""


def examine(
    *, private: bool = False, clock: Clock | None = None, tell: Tell | None = None
) -> Doctor:
    """Look at this machine and measure its memory; takes about 6 seconds.

    Args:
        private: add the names of host and user, and the home folder.
        tell: told what is done next.
    """
    clock = clock or SystemClock()
    tell = tell or (lambda _: None)
    tell("doctor.looking")
    machine = this_machine()
    cpu = processor(machine)
    system = system_state(machine)
    layout = memory_layout()
    share = known(lambda: others_share(available_sensors(engine_on_gpu=False), clock))
    tell("doctor.reading")
    read, load = probed_around(measure_read_bandwidth, probe)
    memory = memory_state(machine, cpu, layout, read, profiles=known(own_profiles) or ())
    tell("doctor.gpus_looking")
    gpus: tuple[Gpu, ...] = (
        known(lambda: find_gpus(cpu.name, memory.claimed_gb_s or memory.measured_gb_s)) or ()
    )
    tell("doctor.engines_looking")
    engines = found_engines()
    tell("doctor.models_looking")
    models: tuple[FoundModels, ...] = known(_models) or ()
    load = msgspec.structs.replace(load, others_share=share)
    facts = Facts(system=system, cpu=cpu, memory=memory, gpus=gpus, engines=engines, load=load)
    return Doctor(
        version=__version__,
        system=system,
        processor=cpu,
        memory=memory,
        gpus=gpus,
        engines=engines,
        models=models,
        load=load,
        findings=all_findings(facts),
        private=private_facts() if private else None,
    )


def _models() -> tuple[FoundModels, ...]:
    from tokenroof.inventory import list_models

    return found_models(list_models())
