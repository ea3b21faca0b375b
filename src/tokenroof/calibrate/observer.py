"""Who is told how a calibration goes."""

from __future__ import annotations

from typing import Protocol

from tokenroof.errors import EngineError
from tokenroof.notices import Notice


class Observer(Protocol):
    """Is told how a calibration goes."""

    def notice(self, notice: Notice) -> None:
        """Something that a person should know."""

    def anew(self, count: int, *, can_resume: bool) -> None:
        """So many models of one that was stopped are measured again, not gone on with.

        It could be gone on with if it was measured under the same conditions.
        """

    def trial(self, number: int, count: int, name: str, seconds_left: float | None) -> None:
        """A model begins; so many seconds are left by what the ones before it took."""

    def beside(self, message: str) -> None:
        """What is done before and after the models, as its sentence in the catalogue."""

    def waiting(self, seconds_left: float, reasons: tuple[Notice, ...]) -> None:
        """Nothing runs until the machine is quiet, for so many seconds at most."""

    def measuring(self) -> None:
        """The waiting is over."""

    def again(self, name: str) -> None:
        """A model was disturbed and is measured again."""

    def died(self, name: str, problem: EngineError) -> None:
        """The engine ended beside a model; it is started once more."""

    def skipped(self, name: str, problem: EngineError) -> None:
        """The engine could not run a model."""

    def kept(self, command: str) -> None:
        """It went wrong; what was measured is kept, and this command goes on."""


class SilentObserver:
    """Hears all and says nothing."""

    def notice(self, notice: Notice) -> None:
        """Say nothing."""

    def anew(self, count: int, *, can_resume: bool) -> None:
        """Say nothing."""

    def trial(self, number: int, count: int, name: str, seconds_left: float | None) -> None:
        """Say nothing."""

    def beside(self, message: str) -> None:
        """Say nothing."""

    def waiting(self, seconds_left: float, reasons: tuple[Notice, ...]) -> None:
        """Say nothing."""

    def measuring(self) -> None:
        """Say nothing."""

    def again(self, name: str) -> None:
        """Say nothing."""

    def died(self, name: str, problem: EngineError) -> None:
        """Say nothing."""

    def skipped(self, name: str, problem: EngineError) -> None:
        """Say nothing."""

    def kept(self, command: str) -> None:
        """Say nothing."""
