"""What tokenroof says of the settings of a plan that the engine made."""

from __future__ import annotations

from support.engine_plans import Plan
from tokenroof.model import Allocation, Model
from tokenroof.predict.memory.buffers import Widths
from tokenroof.predict.memory.engine_setup import EngineSetup
from tokenroof.predict.memory.memory import Need, needs
from tokenroof.predict.memory.placement import ALL_EXPERTS, Wish, place_model

MIB = 2**20


def computed(plan: Plan, model: Model, wide: Widths, type_k: str = "f16") -> list[Need]:
    """What tokenroof says of the same settings: every card, then the host."""
    wish = Wish(
        gpu_layers=plan.number("-ngl", -1) if "-ngl" in plan.arguments else None,
        cpu_moe=ALL_EXPERTS if "-cmoe" in plan.arguments else 0,
        kv_on_host="-nkvo" in plan.arguments,
    )
    sequences = plan.number("-np", 4 if plan.is_server else 1)
    allocation = Allocation(
        context=plan.number("-c", 0),
        ubatch=plan.number("-ub", 512),
        sequences=sequences,
        unified=plan.is_server and "-np" not in plan.arguments,
    )
    setup = EngineSetup(
        engine="llama-server",
        allocation=allocation,
        type_k=type_k,
        type_v=type_k,
        flash_attention=False if "-fa" in plan.arguments else None,
        output_rows=sequences if plan.is_server else allocation.micro_batch,
    )
    placement = place_model(model, wish, [24e9] if plan.has_card else [])
    return list(needs(placement, setup, wide))


def exact(need: Need) -> tuple[int, int]:
    """Weights, and caches with states, in whole MiB as the tool prints them."""
    return need.weights_bytes // MIB, (need.cache_bytes + need.state_bytes) // MIB
