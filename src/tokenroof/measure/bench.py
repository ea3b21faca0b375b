"""What a campaign is made with, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenroof.clock import Clock, SystemClock
from tokenroof.engines.base import Engine
from tokenroof.measure.observer import CampaignObserver, SilentObserver
from tokenroof.measure.prompts import new_tag
from tokenroof.measure.schedule import StopReason
from tokenroof.measure.surroundings import Surroundings
from tokenroof.notices import Notice
from tokenroof.records import Record, Run, RunModel
from tokenroof.store.journal import Journal, RunSink


class Conditions(Record, frozen=True, kw_only=True):
    """What else must be known to repeat a campaign; stored beside its runs."""

    machine: dict[str, Any] = {}
    bandwidth: dict[str, Any] | None = None
    versions: dict[str, str] = {}
    command: tuple[str, ...] = ()


@dataclass
class Bench:
    """What a campaign is made with.

    Attributes:
        engine: it is not closed here; whoever made it does that.
        model: what the runs say of the model; counting its bytes is another room's work.
        journal: where every run is kept.
        surroundings: what is looked at beside the runs.
        sinks: places that get a copy of each run.
        conditions: what is stored beside the runs.
        tag: where the tags at the head of the prompts come from.
        earlier: runs of earlier campaigns under the same conditions: what they took is what is
            expected until a run of this one is known.
        completed: writes into a run what measuring does not know of it, before it is kept.
    """

    engine: Engine
    model: RunModel
    journal: Journal
    surroundings: Surroundings
    sinks: Sequence[RunSink] = ()
    conditions: Conditions = field(default_factory=Conditions)
    clock: Clock = field(default_factory=SystemClock)
    observer: CampaignObserver = field(default_factory=SilentObserver)
    tag: Callable[[], str] = new_tag
    earlier: Sequence[Run] = ()
    completed: Callable[[Run], Run] = lambda run: run


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """What came of a campaign: all its runs, why each length ended, and what should be known."""

    campaign: str
    runs: tuple[Run, ...]
    stopped: dict[int, StopReason]
    notices: tuple[Notice, ...]
