"""What a campaign needs around its plan: an engine, sensors, a bandwidth, and the versions."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

import tokenroof
from tokenroof.analysis.costs import exact
from tokenroof.clock import Clock
from tokenroof.engines import registry
from tokenroof.engines.base import Engine, Identity, ModelRef
from tokenroof.engines.ollama import served_by_ollama
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import InputError, OutputError, TokenroofError, UsageError
from tokenroof.hardware.bandwidth import ReadBandwidth, cpu_device, measure_read_bandwidth
from tokenroof.hardware.device import Device
from tokenroof.hardware.machine import Machine
from tokenroof.library import locate
from tokenroof.library.digest import header_digest
from tokenroof.measure.contention import ContentionProbe
from tokenroof.measure.sensors import available_sensors, energy_meter
from tokenroof.measure.sensors.queue import QueueSensor
from tokenroof.measure.sensors.requests import RequestsSensor, TellsRequests
from tokenroof.measure.surroundings import Surroundings
from tokenroof.model import Model, build_model
from tokenroof.notices import Notice
from tokenroof.records import Record, RunModel
from tokenroof.safetext import printable
from tokenroof.store.files import check_writable, make_folder
from tokenroof.store.journal import CampaignRecord, Journal
from tokenroof.units import bandwidth as written_bandwidth, binary_size


class BandwidthKnown(Record, frozen=True, kw_only=True):
    """The bandwidth that is stored beside a campaign.

    Attributes:
        device: what bounds the runs, where they ran in its memory.
        before: measured before the campaign; None where it was given instead.
        after: measured after it; None too where the campaign did not end.
        earlier: measured in the sessions before the one that the campaign was resumed with.
    """

    device: Device
    before: ReadBandwidth | None = None
    after: ReadBandwidth | None = None
    earlier: tuple[ReadBandwidth, ...] = ()

    @property
    def measured(self) -> tuple[ReadBandwidth, ...]:
        """All measurements, in their order."""
        ends = (self.before, self.after)
        return (*self.earlier, *(each for each in ends if each is not None))

    @property
    def best(self) -> ReadBandwidth | None:
        """The best of the measurements: a disturbance only ever makes one slower."""
        return max(self.measured, key=lambda each: each.best_bytes_per_second, default=None)


@dataclass(frozen=True, slots=True)
class Subject:
    """A model that is to be measured, and what engines may call it.

    `model` is None where only a server knows it: it has speeds then, and no ceiling.
    """

    model: Model | None
    reference: ModelRef

    @property
    def of_runs(self) -> RunModel:
        """What the runs say of it."""
        return RunModel(name=str(self.reference)) if self.model is None else run_model(self.model)

    def for_engine(self, engine: str) -> str:
        """What a plan says to an engine: Ollama knows names, the others read files."""
        path, name = self.reference.path, self.reference.name
        if path is None or (engine == "ollama" and name is not None):
            return name or ""
        return str(path)


def subject(name: str | Path) -> Subject:
    """The model of a name, all of whose file is there; or one that only a server has.

    Raises:
        UsageError: the name means nothing, or several things.
        InputError: it cannot be read, is not on this machine, or a part of its data is missing.
    """
    named = ModelRef.of(str(name))
    if named.is_served:
        return Subject(None, named)
    try:
        location = locate(str(name))
        model = build_model(location.header())
    except InputError:
        # Its store may be another user's or in a container, and old versions tell no tensors.
        elsewhere = served_by_ollama(str(name))
        if elsewhere is None:
            raise
        return Subject(_told_by(elsewhere), elsewhere)
    served = location.name if location.source == "ollama" else None
    if not model.header.paths:
        elsewhere = ModelRef(name=served) if served is not None else served_by_ollama(str(name))
        if elsewhere is None:
            raise InputError("api.not_here", name=printable(str(name)))
        return Subject(model if served is not None else _told_by(elsewhere), elsewhere)
    promised, present = model.header.promised_bytes, model.header.present_bytes
    if promised is not None and present is not None and present < promised:
        raise InputError(
            "api.incomplete",
            path=printable(str(model.header.paths[0])),
            missing=binary_size(promised - present),
            all=binary_size(promised),
        )
    return Subject(model, ModelRef(path=model.header.paths[0].absolute(), name=served))


def _told_by(reference: ModelRef) -> Model | None:
    """A model by what the Ollama that serves it tells; None where that is not enough."""
    try:
        return build_model(locate(str(reference.name)).header())
    except TokenroofError:
        return None


def run_model(model: Model) -> RunModel:
    """What the runs say of their model."""
    weights = model.decode_weight_bytes
    return RunModel(
        name=model.name,
        digest=header_digest(model.header),
        architecture=model.architecture,
        file_type=model.file_type,
        weight_bytes=None if weights is None else exact(weights),
    )


def chosen(name: str | None, options: EngineOptions, reference: ModelRef) -> registry.Choice:
    """The engine of that name, or the one for this model and why.

    Raises:
        UsageError: no engine has that name, or it takes no such option.
        EngineMissing: there is none.
    """
    if name is not None:
        return registry.Choice(name, registry.pick(name, options, reference))
    if options.given and not reference.is_served:
        raise UsageError("api.options_without_engine", choices=", ".join(registry.names()))
    return registry.choose(reference, options)


def check_queue(url: str | None) -> None:
    """Refuse an address that cannot be a queue's, before anything is started.

    Raises:
        UsageError: it is not an http address.
    """
    if url is not None:
        QueueSensor(url)


def check_journal(journal: Journal) -> None:
    """Refuse to measure what could not be kept.

    Raises:
        OutputError: nothing can be written where the runs go.
    """
    with writing(journal.folder, "api.data_not_writable"):
        make_folder(journal.folder)
        check_writable(journal.folder)


@contextmanager
def writing(place: Path, message: str) -> Iterator[None]:
    """Say of a place that cannot be written to what it is for, since nothing is measured yet."""
    try:
        yield
    except OutputError as problem:
        cause = problem.__cause__
        reason = getattr(cause, "strerror", None) or type(cause).__name__
        path = printable(str(place.absolute()))
        raise OutputError(message, path=path, reason=reason) from problem


@contextmanager
def started(
    name: str | None, options: EngineOptions, reference: ModelRef
) -> Iterator[tuple[Engine, Notice | None]]:
    """The engine that is `chosen`, until the block ends, and why."""
    choice = chosen(name, options, reference)
    try:
        yield choice.engine, choice.notice
    finally:
        choice.engine.close()


def surroundings(
    engine: Engine, identity: Identity, watch_queue: str | None, clock: Clock
) -> Surroundings:
    """The sensors that this machine has.

    Raises:
        UsageError: the queue's address is none.
        EngineError: no queue answers there.
    """
    on_gpu = None if identity.place is None else identity.place != "cpu"
    sensors = available_sensors(engine.processes, engine_on_gpu=on_gpu, queue_url=watch_queue)
    if isinstance(engine, TellsRequests):
        sensors.append(RequestsSensor(identity.name, engine.other_requests))
    energy = energy_meter(engine.processes, on_gpu)
    return Surroundings(sensors, clock, ContentionProbe(), energy)


def stored_bandwidth(record: CampaignRecord) -> BandwidthKnown | None:
    """The bandwidth that is stored with a campaign; None where there is none that can be read."""
    try:
        return msgspec.convert(record.bandwidth, BandwidthKnown | None)
    except msgspec.ValidationError:
        return None


def bandwidth_before(
    identity: Identity,
    machine: Machine,
    given: Device | None,
    stored: BandwidthKnown | None = None,
) -> BandwidthKnown | None:
    """The bandwidth that was given, or this CPU's, measured now; None for an engine on a GPU.

    Of a campaign that goes on, what is `stored` stays: a figure that was given holds until another
    one is, and earlier measurements count beside the one that is made now.
    """
    earlier = () if stored is None else stored.measured
    if given is not None:
        return BandwidthKnown(device=given, earlier=earlier)
    if stored is not None and stored.device.bandwidth_basis == "given":
        return stored
    if identity.place not in {None, "cpu"}:
        return stored
    known = BandwidthKnown(
        device=cpu_device(machine), before=measure_read_bandwidth(), earlier=earlier
    )
    return msgspec.structs.replace(known, device=cpu_device(machine, known.best))


def measured(bandwidth: BandwidthKnown | None) -> tuple[Notice, ...]:
    """What to say of a bandwidth that was measured just now."""
    if bandwidth is None or bandwidth.before is None:
        return ()
    read = bandwidth.before
    values = {
        "best": written_bandwidth(read.best_bytes_per_second),
        "lowest": written_bandwidth(read.lowest_bytes_per_second),
        "threads": read.threads,
    }
    return (Notice("api.bandwidth_measured", values), *read.notices)


def bandwidth_after(before: BandwidthKnown | None, machine: Machine) -> BandwidthKnown | None:
    """Measured again, where it was measured before."""
    if before is None or before.before is None:
        return before
    known = msgspec.structs.replace(before, after=measure_read_bandwidth())
    return msgspec.structs.replace(known, device=cpu_device(machine, known.best))


def versions(identity: Identity) -> dict[str, str]:
    """Of what could make a difference to the figures."""
    found: dict[str, Any] = {
        "tokenroof": tokenroof.__version__,
        "python": platform.python_version(),
        identity.name: identity.version,
        "llama.cpp": identity.flags.get("llama_cpp"),
    }
    return {name: str(version) for name, version in found.items() if version is not None}
