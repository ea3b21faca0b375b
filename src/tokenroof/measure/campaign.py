"""The campaign: load, warm up, and run unit after unit by the protocol, losing nothing.

    1. load the model; warm up until stable
    2. choose the next round (`schedule`)
    3. for each of its runs: make the prompt, wait for a quiet machine, run and watch, probe,
       judge, and have the run on the disk before the next begins
    4. until every length is precise, or the budget is spent

The journal is the state. Killed at any moment, a campaign goes on from the runs it finds there.
"""

from __future__ import annotations

import msgspec

from tokenroof.clock import stamp
from tokenroof.errors import RecordError, UsageError
from tokenroof.measure.bench import Bench, CampaignResult, Conditions
from tokenroof.measure.ids import new_id
from tokenroof.measure.plan import Plan
from tokenroof.measure.session import Session
from tokenroof.store.journal import CampaignRecord

__all__ = [
    "Bench",
    "CampaignResult",
    "Conditions",
    "plan_of",
    "resume_campaign",
    "run_campaign",
]


def run_campaign(plan: Plan, bench: Bench) -> CampaignResult:
    """Carry out a plan from its beginning.

    Raises:
        UsageError: the shortest length is shorter than tag and instruction.
        EngineError: the model could not be loaded, or not one run succeeded.
        NotQuiet: the machine was not quiet, and the plan is strict.
        OutputError: a run could not be stored.
        Interrupted: Ctrl-C. Every run that ended is stored, as in all the cases above.
    """
    now = bench.clock.now()
    engine = bench.engine
    record = CampaignRecord(
        id=new_id(now),
        state="running",
        started=stamp(now),
        plan=plan.to_dict(),
        model=bench.model,
        engine={
            "identity": engine.identify().to_dict(),
            "promises": engine.promises.to_dict(),
        },
        machine=bench.conditions.machine,
        bandwidth=bench.conditions.bandwidth,
        versions=bench.conditions.versions,
        command=bench.conditions.command,
    )
    with bench.journal.carrying_out(record.id):
        return Session(plan, bench, record, []).carry_out()


def plan_of(record: CampaignRecord) -> Plan:
    """The plan of a stored campaign, from which its engine and model can be set up again.

    Raises:
        RecordError: it cannot be read as one.
    """
    try:
        return msgspec.convert(record.plan, Plan)
    except msgspec.ValidationError as problem:
        raise RecordError("measure.bad_plan", campaign=record.id, reason=problem) from problem


def resume_campaign(name: str, bench: Bench) -> CampaignResult:
    """Go on with a stored campaign where it stopped.

    Args:
        name: its id, or the beginning of it.
        bench: set up as it was: the same model file and the same engine.

    Raises:
        NotFound: no such campaign.
        UsageError: model or engine are not those it was begun with, or another process carries
            it out.
        TokenroofError: as in `run_campaign`.
    """
    with bench.journal.carrying_out(bench.journal.campaign(name).id):
        record = bench.journal.campaign(name)
        plan = plan_of(record)
        _refuse_other_conditions(record, bench)
        runs = bench.journal.runs(campaign=record.id)
        for sink in bench.sinks:
            # A kill between two sinks leaves the copy one run short of the journal.
            there = {run.id for run in sink.runs(campaign=record.id)}
            for run in runs:
                if run.id not in there:
                    sink.append(run)
        return Session(plan, bench, _gone_on(record, bench.conditions), runs).carry_out()


def _gone_on(record: CampaignRecord, now: Conditions) -> CampaignRecord:
    """The record of a campaign that goes on: whatever changed since then stands beside it."""
    versions = dict(record.versions)
    for name, version in now.versions.items():
        known = versions.get(name)
        if known is None:
            versions[name] = version
        elif version not in known.split(_NEXT):
            versions[name] = known + _NEXT + version
    bandwidth = record.bandwidth if now.bandwidth is None else now.bandwidth
    return msgspec.structs.replace(record, versions=versions, bandwidth=bandwidth)


_NEXT = ", then "
"""Between the versions of two sessions."""


def _refuse_other_conditions(record: CampaignRecord, bench: Bench) -> None:
    before = record.engine.get("identity", {})
    now = bench.engine.identify()
    pairs = {
        "model": (record.model.name, bench.model.name),
        "model digest": (record.model.digest, bench.model.digest),
        "weight bytes": (record.model.weight_bytes, bench.model.weight_bytes),
        "engine": (before.get("name"), now.name),
        "engine version": (before.get("version"), now.version),
        "backend": (before.get("backend"), now.backend),
        "processor": (record.machine.get("cpu_name"), bench.conditions.machine.get("cpu_name")),
    }
    for what, (was, is_) in pairs.items():
        if was is not None and is_ is not None and was != is_:
            raise UsageError(
                "measure.resume_differs", campaign=record.id, what=what, before=was, now=is_
            )
