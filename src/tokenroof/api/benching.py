"""`bench`: one campaign on this machine, set up by the protocol.

1. the model's header is read, so that a file that cannot run is refused before anything starts
2. the engine is started and says where it runs
3. what the context would take is held against the memory that is free there
4. the sensors that this machine has are taken, the declared queue among them
5. where that may be the CPU, its read bandwidth is measured, before the campaign and after it
6. the campaign runs; every run is in the journal before the next begins
7. its last run is written once more, with the conditions that are known only then, so that the
   file of runs says on any machine what the journal says here
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Unpack

import msgspec

from tokenroof.api import setup
from tokenroof.api.conditions import Completer, conditions_of, memory_bandwidth
from tokenroof.api.fitting import check_fits
from tokenroof.api.planning import BenchOptions, earlier_runs, prepare
from tokenroof.clock import SystemClock
from tokenroof.hardware.device import Device
from tokenroof.hardware.machine import this_machine
from tokenroof.measure.bench import Bench, Conditions
from tokenroof.measure.campaign import plan_of, resume_campaign, run_campaign
from tokenroof.measure.observer import CampaignObserver, SilentObserver
from tokenroof.measure.plan import Plan
from tokenroof.records import Record, Run, RunConditions
from tokenroof.store.journal import CampaignRecord, Journal, RunSink


class BenchResult(Record, frozen=True, kw_only=True):
    """What was measured, and under which conditions: `tokenroof.bench/1`."""

    schema: Literal["tokenroof.bench/1"] = "tokenroof.bench/1"
    campaign: CampaignRecord
    runs: tuple[Run, ...]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its notices in one language."""
        plain = super().to_dict()
        plain["campaign"]["notices"] = [each.to_dict(language) for each in self.campaign.notices]
        return plain


def bench(
    model: str | Path,
    *,
    watch_queue: str | None = None,
    device: Device | None = None,
    observer: CampaignObserver | None = None,
    sinks: Sequence[RunSink] = (),
    command: Sequence[str] = (),
    **options: Unpack[BenchOptions],
) -> BenchResult:
    """Measure how fast a model reads prompts and writes answers on this machine.

    Args:
        model: a file, any part of a split set, or a folder with one model.
        lengths: prompt lengths in tokens; None for the default ones that fit.
        output_tokens: tokens to write after each prompt.
        rounds: runs that every length gets at least.
        precision: stop when the 95 % interval's half-width is under this share of the median.
        budget_seconds: time for the whole campaign; None for no limit.
        context: tokens of context for all lengths; None for what the longest one needs.
        kv_type: type of the cache, or of keys and values; None for the engine's own.
        threads: of the engine; "auto" to find out how many are enough for each phase; None for
            its own choice.
        flash_attention: None for the engine's own choice.
        engine: its name; None for the one that this machine has for the model, which is said.
        engine_options: how that engine is reached or started.
        watch_queue: address of a ComfyUI whose queue has to be empty.
        wait_quiet_seconds: how long to wait for a quiet machine before a run.
        strict: give up where the machine does not become quiet.
        cached: send each prompt a second time, and compare the waits for the first token.
        device: what holds the layers, where its bandwidth is known from elsewhere.
        observer: is told what happens.
        sinks: get a copy of each run beside the journal.
        command: what a person typed, for the record.

    Raises:
        UsageError: the model's name, the engine's or a number cannot be.
        InputError: the model cannot be read.
        EngineError: no engine, or nothing that it ran succeeded.
        OutputError: a run could not be stored. All before it are.
        Interrupted: Ctrl-C. Every run that ended is stored.
    """
    prepared = prepare(model, options)
    plan = msgspec.structs.replace(prepared.plan, watch_queue=watch_queue)
    return carry_out(plan, prepared.subject, With(device, observer, sinks, command))


def resume_bench(
    campaign: str,
    *,
    watch_queue: str | None = None,
    device: Device | None = None,
    observer: CampaignObserver | None = None,
    sinks: Sequence[RunSink] = (),
    command: Sequence[str] = (),
) -> BenchResult:
    """Go on with a campaign that was interrupted.

    Args:
        campaign: its id, the beginning of it, or `last` for the newest one that did not finish.
        watch_queue: as in `bench`; None for the one that it was begun with.
        device: as in `bench`; None for what is stored with the campaign.
        observer: as in `bench`; so are the others.

    Raises:
        NotFound: there is no such campaign.
        UsageError: model or engine are not those it was begun with.
        TokenroofError: as in `bench`.
    """
    record = Journal().resumable(campaign)
    plan = plan_of(record)
    if watch_queue is not None:
        plan = msgspec.structs.replace(plan, watch_queue=watch_queue)
    subject = setup.subject(plan.model)
    return carry_out(plan, subject, With(device, observer, sinks, command), resumed=record)


def refuse_unfit(plan: Plan, subject: setup.Subject) -> None:
    """Refuse a plan that cannot be in memory, where others are to be carried out before it.

    Raises:
        EngineRefused: model and context take more than what is free.
        EngineError: there is no such engine.
    """
    with setup.started(plan.engine or None, plan.engine_options, subject.reference) as (engine, _):
        check_fits(plan, subject.model, engine, this_machine())


@dataclass(frozen=True, slots=True)
class With:
    """What a plan is carried out with; see `bench`."""

    device: Device | None = None
    observer: CampaignObserver | None = None
    sinks: Sequence[RunSink] = ()
    command: Sequence[str] = ()


def carry_out(
    plan: Plan, subject: setup.Subject, with_: With, *, resumed: CampaignRecord | None = None
) -> BenchResult:
    """Start the engine and carry out a plan, or what is left of the campaign `resumed`.

    Raises:
        TokenroofError: as in `bench`.
    """
    setup.check_queue(plan.watch_queue)
    journal, machine, clock = Journal(), this_machine(), SystemClock()
    setup.check_journal(journal)
    observer = with_.observer or SilentObserver()
    chosen = setup.started(plan.engine or None, plan.engine_options, subject.reference)
    with chosen as (engine, why):
        if why is not None:
            observer.noticed(why)
        identity = engine.identify()
        name = plan.engine or identity.name
        plan = msgspec.structs.replace(plan, engine=name, model=subject.for_engine(name))
        check_fits(plan, subject.model, engine, machine)
        around = setup.surroundings(engine, identity, plan.watch_queue, clock)
        known = None if resumed is None else setup.stored_bandwidth(resumed)
        bandwidth = setup.bandwidth_before(identity, machine, with_.device, known)
        for notice in setup.measured(bandwidth):
            observer.noticed(notice)
        made_with = Bench(
            engine=engine,
            model=subject.of_runs,
            journal=journal,
            surroundings=around,
            sinks=with_.sinks,
            conditions=Conditions(
                machine=machine.to_dict(),
                bandwidth=None if bandwidth is None else bandwidth.to_dict(),
                versions=setup.versions(identity),
                command=tuple(with_.command),
            ),
            clock=clock,
            observer=observer,
            earlier=earlier_runs(plan, subject.of_runs),
            completed=Completer(
                subject.model,
                RunConditions(
                    command=tuple(with_.command),
                    machine=machine.to_dict(),
                    versions=setup.versions(identity),
                    bandwidth=memory_bandwidth(bandwidth),
                ),
            ),
        )
        if resumed is None:
            result = run_campaign(plan, made_with)
        else:
            result = resume_campaign(resumed.id, made_with)
        bandwidth = setup.bandwidth_after(bandwidth, machine)
        record = journal.campaign(result.campaign)
        # Only now is it known where the engine ran, and whether the bandwidth stayed the same.
        record = msgspec.structs.replace(
            record,
            engine=record.engine | {"identity": engine.identify().to_dict()},
            bandwidth=None if bandwidth is None else bandwidth.to_dict(),
        )
        journal.save_campaign(record)
        last = msgspec.structs.replace(result.runs[-1], conditions=conditions_of(record))
        journal.append(last)
    return BenchResult(campaign=record, runs=(*result.runs[:-1], last))
