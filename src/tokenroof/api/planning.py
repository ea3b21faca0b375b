"""`bench --plan`: what a campaign would do and how long it would take, without doing it.

How long a run takes is known from earlier runs of the same model under the same conditions. Where
there are none, only a bound is: what the answer's tokens must read takes bytes / bandwidth at
least, and before each run the machine has to be quiet for a moment. A bandwidth bounds nothing of
the reading of a prompt, so the true time is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import msgspec

from tokenroof.api import setup
from tokenroof.api.fitting import unfit
from tokenroof.api.setup import Subject
from tokenroof.engines.options import EngineOptions
from tokenroof.engines.registry import ENGINES
from tokenroof.errors import UsageError
from tokenroof.hardware.device import Device
from tokenroof.hardware.machine import this_machine
from tokenroof.measure.costs import Costs
from tokenroof.measure.plan import Plan, make_plan
from tokenroof.measure.quiet import HOLD_SECONDS
from tokenroof.notices import Notice
from tokenroof.predict.ceiling import decode_ceiling
from tokenroof.records import Record, Run, RunModel, Settings
from tokenroof.store.journal import Journal

Basis = Literal["earlier_runs", "at_least"]
"""Times of earlier runs, or a bound that the true time lies above."""


class BenchOptions(TypedDict, total=False):
    """How to measure; see `bench`."""

    lengths: Sequence[int] | None
    output_tokens: int
    rounds: int
    precision: float
    budget_seconds: float | None
    context: int | None
    kv_type: str | tuple[str, str] | None
    threads: int | Literal["auto"] | None
    flash_attention: bool | None
    engine: str | None
    engine_options: EngineOptions | None
    wait_quiet_seconds: float
    strict: bool
    cached: bool


class PlannedLength(Record, frozen=True, kw_only=True):
    """One length: the runs it is promised, and what one takes as far as that is known."""

    length: int
    runs: int
    seconds_per_run: float | None = None


class PlanResult(Record, frozen=True, kw_only=True):
    """What would run: `tokenroof.plan/1`.

    Attributes:
        why: why this engine, where none was named.
        does_not_fit: what it takes of the memory, where that is more than what is free; `bench`
            then refuses it.
        order: the lengths of each promised round, in their order.
        promised_seconds: for all promised runs, by `basis`; None where nothing is known.
        budget_seconds: rounds beyond the promised ones begin only where they end within it.
    """

    schema: Literal["tokenroof.plan/1"] = "tokenroof.plan/1"
    plan: Plan
    model: RunModel
    why: Notice | None
    does_not_fit: Notice | None
    lengths: tuple[PlannedLength, ...]
    order: tuple[tuple[int, ...], ...]
    promised_seconds: float | None
    basis: Basis | None
    budget_seconds: float | None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its notices in one language."""
        plain = super().to_dict()
        for name in ("why", "does_not_fit"):
            notice = getattr(self, name)
            plain[name] = None if notice is None else notice.to_dict(language)
        return plain


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan, and the model that it is for. The engine's name is empty where none was named."""

    plan: Plan
    subject: Subject


def prepare(model: str | Path, options: BenchOptions) -> Prepared:
    """The plan of what was asked for.

    Raises:
        UsageError: the model's name or a number cannot be.
        InputError: the model cannot be read.
    """
    subject = setup.subject(model)
    loaded = subject.model
    kv_type = options.get("kv_type")
    type_k, type_v = kv_type if isinstance(kv_type, tuple) else (kv_type, kv_type)
    if loaded is not None and type_k is not None and type_v is not None:
        loaded.kv_read(0, type_k, type_v)  # refused now, not after the engine has started
    engine = options.get("engine") or ""
    if options.get("flash_attention") is False and type_v not in _PLAIN and _is_llama(engine):
        raise UsageError("api.kv_needs_flash_attention", type=type_v, keys=type_k)
    threads = options.get("threads")
    others: dict[str, Any] = {
        name: options[name]  # type: ignore[literal-required]
        for name in _OF_PLAN
        if name in options
    }
    plan = make_plan(
        subject.for_engine(engine),
        engine,
        settings=Settings(
            context=options.get("context"),
            kv_type_k=type_k,
            kv_type_v=type_v,
            threads=None if threads == "auto" else threads,
            flash_attention=options.get("flash_attention"),
        ),
        context_limit=None if loaded is None else loaded.context_length,
        threads_auto=threads == "auto",
        **others,
    )
    return Prepared(plan, subject)


def _is_llama(engine: str) -> bool:
    """Whether it is one of ours, all of which are llama.cpp; what another does, nobody knows."""
    return not engine or engine in ENGINES


_PLAIN = {None, "f32", "f16", "bf16"}
"""Types that values are kept in without flash attention: it alone reads others
(llama_init_from_model refuses them)."""

_OF_PLAN = (
    "lengths",
    "output_tokens",
    "rounds",
    "precision",
    "budget_seconds",
    "wait_quiet_seconds",
    "strict",
    "engine_options",
    "cached",
)
"""Options that a plan takes as they are."""


def plan_bench(
    model: str | Path, *, device: Device | None = None, **options: Unpack[BenchOptions]
) -> PlanResult:
    """What `bench` would do with these options.

    Args:
        model: as in `bench`; so are the options.
        device: what holds the layers, where its bandwidth is known.

    Raises:
        UsageError: the model's name, the engine's or a number cannot be.
        InputError: the model cannot be read.
        EngineMissing: there is no engine.
    """
    prepared = prepare(model, options)
    plan, subject = prepared.plan, prepared.subject
    choice = setup.chosen(plan.engine or None, plan.engine_options, subject.reference)
    plan = msgspec.structs.replace(plan, engine=choice.name, model=subject.for_engine(choice.name))
    try:
        does_not_fit = unfit(plan, subject.model, choice.engine, this_machine())
    finally:
        choice.engine.close()
    costs, basis = _costs(plan, subject, device)
    lengths = tuple(
        PlannedLength(length=each, runs=plan.rounds, seconds_per_run=costs.get(each))
        for each in plan.lengths
    )
    return PlanResult(
        plan=plan,
        model=subject.of_runs,
        why=choice.notice,
        does_not_fit=does_not_fit,
        lengths=lengths,
        order=tuple(plan.order(number) for number in range(1, plan.rounds + 1)),
        promised_seconds=sum(costs.values()) * plan.rounds if costs else None,
        basis=basis,
        budget_seconds=plan.budget_seconds,
    )


def _costs(
    plan: Plan, subject: Subject, device: Device | None
) -> tuple[dict[int, float], Basis | None]:
    """Seconds of one run of each length, and where they come from."""
    known = Costs(plan.output_tokens, earlier_runs(plan, subject.of_runs))
    of_lengths = {length: known.of(length) for length in plan.lengths}
    if all(of_lengths.values()):
        return {each: seconds for each, seconds in of_lengths.items() if seconds}, "earlier_runs"
    bandwidth = None if device is None else device.bandwidth_bytes_per_second
    if subject.model is None or bandwidth is None:
        return {}, None
    hold = min(HOLD_SECONDS, plan.wait_quiet_seconds)
    bounds = {}
    for length in plan.lengths:
        types = plan.settings.kv_type_k or "f16", plan.settings.kv_type_v or "f16"
        read = subject.model.read_bytes(length, *types)
        if read is None:
            return {}, None
        bounds[length] = hold + plan.output_tokens / decode_ceiling(bandwidth, float(read))
    return bounds, "at_least"


def earlier_runs(plan: Plan, model: RunModel) -> list[Run]:
    """Runs of this model by this engine that were asked for the same, on this machine."""
    asked = {name: value for name, value in plan.settings.to_dict().items() if value is not None}
    asked.pop("context", None)
    return [
        run
        for run in Journal().runs()
        if run.model.name == model.name
        and run.model.digest == model.digest
        and run.engine.name == plan.engine
        and run.workload.output_target == plan.output_tokens
        and all(getattr(run.settings, name) == value for name, value in asked.items())
    ]
