"""What the doctor says: `tokenroof.doctor/1`. What is not known is None, never 0."""

from __future__ import annotations

from typing import Any, Literal

from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.memory_modules import MemoryLayout
from tokenroof.hardware.sources.numa import Node
from tokenroof.hardware.sources.power import Profile
from tokenroof.notices import Notice
from tokenroof.records import Record

DOCTOR_SCHEMA: Literal["tokenroof.doctor/1"] = "tokenroof.doctor/1"

Harm = Literal["falsifies", "limits"]
"""A measurement taken now would be wrong, or the machine is slower than it could be."""


class SystemState(Record, frozen=True, kw_only=True):
    """The system and what it runs in.

    Attributes:
        board: who made the machine, and what it is called.
        container: what kind of container it runs in; virtual_machine: whose virtual machine it
            is, "?" where only the processor tells that it is one.
        frequency_driver: what sets the cores' clocks; energy_preference: what a processor that
            chooses its own clocks is told to save.
        boost: whether cores may run above their base clock.
        swap_used_bytes: what was put out of memory.
    """

    os: str | None = None
    kernel: str | None = None
    board: str | None = None
    container: str | None = None
    virtual_machine: str | None = None
    governor: str | None = None
    frequency_driver: str | None = None
    energy_preference: str | None = None
    power_profile: Profile | None = None
    boost: bool | None = None
    on_battery: bool | None = None
    swap_used_bytes: int | None = None
    nodes: tuple[Node, ...] = ()


class Processor(Record, frozen=True, kw_only=True):
    """The processor.

    Attributes:
        device: the device of the table that it certainly is.
        sockets: how many of it there are.
        rated_gb_s: what the table says of all of them, with every channel populated.
        most_channels: how many channels of 64 bits all of them have, by the table.
        usable_cores: what this process may run on, and quota_cores what it may use in time.
    """

    name: str | None = None
    device: str | None = None
    sockets: int | None = None
    rated_gb_s: float | None = None
    most_channels: int | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    quota_cores: float | None = None
    cache_bytes: int | None = None


class MemoryState(Record, frozen=True, kw_only=True):
    """The memory: what it is said to move, and what was read from it now.

    Attributes:
        limit_bytes: what the container may use, if that is less than the machine has.
        layout: the populated modules; None where nobody tells.
        channels: populated channels, where the slots tell.
        claimed_gb_s: what the populated modules, or the soldered chips, move at most.
        claimed_is_bound: some modules may share a channel, so the truth may be less.
        measured_gb_s: the fastest repeat of reading with all usable cores.
        measured_share: of what is claimed.
        calibrated_gb_s: what was read when this processor was calibrated, on `calibrated_on`.
    """

    total_bytes: int | None = None
    available_bytes: int | None = None
    limit_bytes: int | None = None
    layout: MemoryLayout | None = None
    channels: int | None = None
    claimed_gb_s: float | None = None
    claimed_is_bound: bool = False
    measured_gb_s: float | None = None
    measured_lowest_gb_s: float | None = None
    measured_threads: int | None = None
    measured_share: float | None = None
    calibrated_gb_s: float | None = None
    calibrated_on: str | None = None

    @property
    def best_gb_s(self) -> float | None:
        """The better reading of now and of the calibration: what disturbs makes one slower."""
        known = [each for each in (self.measured_gb_s, self.calibrated_gb_s) if each is not None]
        return max(known, default=None)


class FoundEngine(Record, frozen=True, kw_only=True):
    """An engine: its version and backend, or why it cannot be used."""

    name: str
    version: str | None = None
    backend: str | None = None
    problem: Notice | None = None


class FoundModels(Record, frozen=True, kw_only=True):
    """The models of one store."""

    source: str
    count: int
    bytes: int


class Load(Record, frozen=True, kw_only=True):
    """What else runs now.

    Attributes:
        others_share: of all cores, used by others for a second.
        probe_gb_s: two short reads with all cores, some seconds apart.
        ratio: of the slower to the fastest reading.
        contended: the ratio says that something was in the way.
    """

    others_share: float | None = None
    probe_gb_s: tuple[float | None, ...] = ()
    ratio: float | None = None
    contended: bool | None = None


class Finding(Record, frozen=True, kw_only=True):
    """Something that is in the way of a true or fast measurement, and what to do about it."""

    harm: Harm
    problem: Notice
    fix: Notice | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The finding as the document shows it."""
        return {
            "id": self.problem.id,
            "harm": self.harm,
            "text": self.problem.text(language),
            "fix": self.fix and self.fix.text(language),
        }


class Private(Record, frozen=True, kw_only=True):
    """What names a person or a machine: only where it was asked for."""

    host: str | None
    user: str | None
    home: str | None


class Doctor(Record, frozen=True, kw_only=True):
    """Everything about this machine that matters for a measurement."""

    schema: Literal["tokenroof.doctor/1"] = DOCTOR_SCHEMA
    version: str
    system: SystemState
    processor: Processor
    memory: MemoryState
    gpus: tuple[Gpu, ...]
    engines: tuple[FoundEngine, ...]
    models: tuple[FoundModels, ...]
    load: Load
    findings: tuple[Finding, ...]
    private: Private | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in one language."""
        plain = super().to_dict()
        plain["findings"] = [each.to_dict(language) for each in self.findings]
        for engine, written in zip(self.engines, plain["engines"], strict=True):
            written["problem"] = engine.problem and engine.problem.text(language)
        return plain
