"""Who is told how a calibration goes."""

from __future__ import annotations

from tokenroof.errors import EngineError
from tokenroof.notices import Notice


class Observer:
    """Is told how a calibration goes; hears all and says nothing, but for what a subclass says."""

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
