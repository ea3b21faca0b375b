"""Whether what a plan asks for can be in memory at all, before an engine tries.

needed = weights that are kept in memory + KV cache and states at the context

An engine allocates the cache when it makes the context. On Linux that succeeds whatever is asked
for, and only when the cache is filled does the kernel find that there is no memory, and ends
whichever process it likes. So the figures are compared first. Buffers for computing come on top:
what fits here may still not fit, but what does not fit here never does.

Nothing is refused on a guess: not where the engine may compute on a GPU, whose memory it knows
better; not for an architecture that is not understood; not where the free memory is unknown.
"""

from __future__ import annotations

from tokenroof.engines.base import Engine
from tokenroof.errors import EngineRefused
from tokenroof.hardware.machine import Machine
from tokenroof.measure.plan import Plan
from tokenroof.model import Model
from tokenroof.notices import Notice
from tokenroof.units import binary_size, count


def check_fits(plan: Plan, model: Model | None, engine: Engine, machine: Machine) -> None:
    """Refuse a plan whose model and context cannot be in this machine's memory together.

    Raises:
        EngineRefused: they take more than what is free.
    """
    found = unfit(plan, model, engine, machine)
    if found is not None:
        raise EngineRefused(found.message, **found.values)


def unfit(plan: Plan, model: Model | None, engine: Engine, machine: Machine) -> Notice | None:
    """What a plan takes of this machine's memory, where that is more than what is free."""
    free = machine.memory_available_bytes
    if model is None or free is None or engine.identify().place != "cpu":
        return None
    # An engine that makes up its own tokens makes a context for just these.
    context = plan.settings.context if engine.promises.takes_text else None
    context = context or max(plan.lengths) + plan.output_tokens
    cache = cache_bytes(plan, model, context)
    if cache is None or model.resident_bytes + cache <= free:
        return None
    values = {
        "context": count(context),
        "needed": binary_size(model.resident_bytes + cache),
        "weights": binary_size(model.resident_bytes),
        "cache": binary_size(cache),
        "free": binary_size(free),
    }
    return Notice("api.does_not_fit", values)


def cache_bytes(plan: Plan, model: Model, context: int) -> int | None:
    """The KV cache and states of a plan at a context; None where they are not known."""
    if not model.is_understood:
        return None
    settings = plan.settings
    return model.kv_allocated(
        context,
        type_k=settings.kv_type_k or "f16",
        type_v=settings.kv_type_v or "f16",
        ubatch=settings.ubatch or 512,
        batch=settings.batch or 2048,
    )
