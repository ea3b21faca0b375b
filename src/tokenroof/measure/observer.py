"""What a campaign tells those who wait for it. It knows no screen; `cli` draws one from this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tokenroof.engines.base import Step
from tokenroof.measure.plan import Plan, Unit
from tokenroof.measure.schedule import StopReason
from tokenroof.notices import Notice
from tokenroof.records import Run


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is.

    The time that remains holds the warm-up too; the runs do not, since none of them is kept.

    Attributes:
        runs_done: runs made, excluded ones too.
        runs_expected: with those that are still expected; it may grow or shrink.
        elapsed_seconds: since the campaign began, without the time between kill and resume.
        remaining_seconds: expected until its end; None before anything is known.
        budget_seconds: what the plan has for all of it; None for no limit.
    """

    runs_done: int
    runs_expected: int
    elapsed_seconds: float
    remaining_seconds: float | None
    budget_seconds: float | None = None


class CampaignObserver(Protocol):
    """Is told what happens, when it happens."""

    def planned(self, campaign: str, plan: Plan, runs_before: int) -> None:
        """A campaign begins, or goes on after `runs_before` runs."""

    def loading(self, model: str, progress: Progress) -> None:
        """The engine is loading the model."""

    def warming(self, run: int, at_most: int, progress: Progress) -> None:
        """A run begins that is not measured, of so many at most."""

    def warming_step(self, run: int, at_most: int, step: Step) -> None:
        """Within such a run, so many tokens are done."""

    def waiting_quiet(
        self, waited_seconds: float, patience_seconds: float, reasons: tuple[Notice, ...]
    ) -> None:
        """The machine is watched until it is quiet; `reasons` are what it is not quiet for now."""

    def run_started(self, unit: Unit, progress: Progress) -> None:
        """A measured run begins."""

    def step(self, unit: Unit, step: Step) -> None:
        """Within a run, so many tokens are done."""

    def run_finished(self, run: Run, progress: Progress) -> None:
        """A run is over and safely stored."""

    def stopped_length(self, length: int, reason: StopReason) -> None:
        """A length gets no more runs."""

    def noticed(self, notice: Notice) -> None:
        """Something that the reader should know."""

    def finished(self, campaign: str) -> None:
        """The campaign is over."""


class SilentObserver:
    """Hears everything and does nothing; a base for those who care about a part."""

    def planned(self, campaign: str, plan: Plan, runs_before: int) -> None:
        """Nothing."""

    def loading(self, model: str, progress: Progress) -> None:
        """Nothing."""

    def warming(self, run: int, at_most: int, progress: Progress) -> None:
        """Nothing."""

    def warming_step(self, run: int, at_most: int, step: Step) -> None:
        """Nothing."""

    def waiting_quiet(
        self, waited_seconds: float, patience_seconds: float, reasons: tuple[Notice, ...]
    ) -> None:
        """Nothing."""

    def run_started(self, unit: Unit, progress: Progress) -> None:
        """Nothing."""

    def step(self, unit: Unit, step: Step) -> None:
        """Nothing."""

    def run_finished(self, run: Run, progress: Progress) -> None:
        """Nothing."""

    def stopped_length(self, length: int, reason: StopReason) -> None:
        """Nothing."""

    def noticed(self, notice: Notice) -> None:
        """Nothing."""

    def finished(self, campaign: str) -> None:
        """Nothing."""
