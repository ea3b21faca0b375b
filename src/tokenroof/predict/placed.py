"""A placement written down: where things lie, what is done there, and how an engine is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tokenroof.predict.memory.flags import buffer_name, flags
from tokenroof.predict.records import PartTime, Placed

if TYPE_CHECKING:
    from tokenroof.predict.memory.placing import Placing
    from tokenroof.predict.question import Question


def placed(question: Question) -> Placed | None:
    """The placement of a row; None on a device with one memory, where there is none to choose."""
    made = question.placing
    if not made.processors.has_cards:
        return None
    placement, path, allocation = made.fitted.placement, made.fitted.path, made.setup.allocation
    wish = placement.wish
    return Placed(
        gpu_layers=placement.gpu_layers,
        layers=placement.layer_count,
        cpu_moe=min(wish.cpu_moe, placement.layer_count - 1),
        override_tensor=tuple(
            f"{each.pattern}={buffer_name(each.place)}" for each in wish.overrides
        ),
        split_mode=wish.split,
        tensor_split=wish.tensor_split,
        kv_offload=not wish.kv_on_host,
        context=allocation.context,
        parallel=allocation.sequences,
        unified=allocation.unified,
        batch=min(allocation.batch, allocation.context),
        ubatch=allocation.micro_batch,
        parts=tuple(_parts(made)),
        transfers=path.transfers.count,
        transfer_seconds=path.transfers.seconds,
        flags=flags(placement, made.setup, question.case.model or ""),
        chosen=made.chosen and made.found,
    )


def _parts(made: Placing) -> Iterator[PartTime]:
    for part in made.fitted.path.parts:
        if part.read_bytes:
            yield PartTime(
                device=part.processor.name,
                place=part.processor.kind,
                weights=dict(part.weights),
                experts=dict(part.experts),
                cache_bytes=part.cache_bytes,
                bandwidth_bytes_per_s=part.processor.bandwidth_bytes_per_second,
                seconds=part.seconds,
            )
