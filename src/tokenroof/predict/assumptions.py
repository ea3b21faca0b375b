"""What an estimate assumes, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tokenroof.hardware.device import Device, NamedDevice
from tokenroof.notices import Notice
from tokenroof.predict.memory.engine_setup import is_known_engine
from tokenroof.predict.memory.memory import RESERVE_BYTES
from tokenroof.predict.memory.parts import LINK_BYTES_PER_SECOND
from tokenroof.safetext import printable
from tokenroof.units import bandwidth, binary_size, count, size

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.cases import Case
    from tokenroof.predict.memory.placing import Placing

_ENGINES = {
    "llama.cpp": "llama.cpp",
    "llama-server": "llama-server",
    "llama-bench": "llama-bench",
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "embedded": "llama-cpp-python",
}


MEASURED_NOW_OR_THEN = ("predict.assumes_measured_bandwidth", "predict.assumes_profile_bandwidth")
PROFILE = "hardware.source_profile"


def assumptions(case: Case, model: Model, device: Device, placed: Placing) -> tuple[Notice, ...]:
    """Everything that a row rests on, the most general first."""
    own = device.notices if isinstance(device, NamedDevice) else ()
    return (
        _engine(case, placed),
        *_made_of(model),
        Notice("predict.assumes_one_stream"),
        *_where(device, placed),
        *own,
        *_bandwidths(device, placed),
        *_read(case, model),
        *_memory(case, model, placed),
    )


def _engine(case: Case, placed: Placing) -> Notice:
    if case.engine is not None and not is_known_engine(case.engine):
        return Notice("predict.assumes_unknown_engine", {"engine": printable(case.engine)})
    if placed.setup.engine == "llama.cpp":
        return Notice("predict.assumes_engine")
    return Notice("predict.assumes_this_engine", {"engine": _ENGINES[placed.setup.engine]})


def _made_of(model: Model) -> Iterator[Notice]:
    """What stands in the place of a file, where there is none."""
    if model.header.recipe is not None:
        yield Notice("predict.assumes_recipe", {"recipe": model.header.recipe})
    for notice in model.header.problems:
        if notice.message == "recipes.ollama_build":
            yield Notice("predict.assumes_ollama_build", notice.values)


def _where(device: Device, placed: Placing) -> Iterator[Notice]:
    """Where the layers lie, which the ceiling follows from."""
    placement = placed.fitted.placement
    cards = [hold for hold in placement.cards if hold.layers or hold.has_output]
    parts = device.parts if isinstance(device, NamedDevice) else ()
    if not placed.processors.has_cards:
        if parts and device.place == "cpu":
            yield Notice("predict.assumes_sockets", {"count": count(len(parts))})
        else:
            yield Notice("predict.assumes_one_device")
        return
    if placement.gpu_layers < placement.layer_count:
        layers = {"cards": count(placement.gpu_layers), "layers": count(placement.layer_count)}
        yield Notice("predict.assumes_layers", layers)
    elif len(cards) == 1 and not placed.is_split:
        yield Notice("predict.assumes_one_device")
    if len(cards) > 1:
        together = placement.side_by_side
        message = "predict.assumes_side_by_side" if together else "predict.assumes_split"
        yield Notice(message, {"count": count(len(cards))})
    read = sum(placed.fitted.path.parts[-1].experts.values())
    if read and placement.gpu_layers:
        yield Notice("predict.assumes_experts", {"read": size(read)})
    if placement.wish.kv_on_host:
        yield Notice("predict.assumes_kv_on_host")


def _bandwidths(device: Device, placed: Placing) -> Iterator[Notice]:
    if device.bandwidth_basis == "measured" and device.bandwidth_bytes_per_second is not None:
        rate = bandwidth(device.bandwidth_bytes_per_second)
        yield Notice(MEASURED_NOW_OR_THEN[device.source == PROFILE], {"bandwidth": rate})
    host = placed.processors.all[-1]
    if placed.processors.is_assumed and placed.fitted.path.parts[-1].read_bytes:
        rate = bandwidth(host.bandwidth_bytes_per_second or 0.0)
        yield Notice("predict.assumes_host", {"host": host.name, "bandwidth": rate})
    if placed.fitted.path.transfers.count:
        yield Notice("predict.assumes_link", {"bandwidth": bandwidth(LINK_BYTES_PER_SECOND)})


def _read(case: Case, model: Model) -> Iterator[Notice]:
    """What a token reads."""
    if case.weight_bytes is not None:
        yield Notice("predict.assumes_weight_bytes", {"weights": size(case.weight_bytes)})
    names = (case.kv_type or "f16").split(",")
    bounds = model.kv_read_bounds(case.depth or 0, names[0].strip(), names[-1].strip())
    if not model.is_understood:
        low, high = model.decode_weight_bounds
        values = {"least": size(float(low)), "most": size(float(high))}
        yield Notice("predict.assumes_architecture", values)
    elif bounds is not None and bounds[0] < bounds[1]:
        values = {"least": size(bounds[0]), "most": size(bounds[1])}
        yield Notice("predict.assumes_all_rows", values)


def _memory(case: Case, model: Model, placed: Placing) -> Iterator[Notice]:
    """What lies in memory, and how much of it there is."""
    allocation = placed.setup.allocation
    context = placed.setup.tokens_of_sequence
    if model.context_length is not None and context > model.context_length:
        trained = count(model.context_length)
        yield Notice("predict.assumes_beyond_training", {"trained": trained})
    if allocation.sequences > 1:
        values = {"count": count(allocation.sequences)}
        shared = allocation.unified
        message = "predict.assumes_slots_shared" if shared else "predict.assumes_slots"
        yield Notice(message, values)
    yield Notice("predict.assumes_resident")
    host = placed.processors.all[-1]
    if placed.processors.has_cards and host.memory_bytes is None:
        need = placed.fitted.needs[-1]
        if not placed.fitted.placement.host.is_idle:
            room = binary_size(need.high_bytes)
            yield Notice("predict.assumes_host_room", {"size": room})
    if placed.chosen and placed.processors.has_cards:
        yield Notice("predict.assumes_reserve", {"reserve": binary_size(RESERVE_BYTES)})
