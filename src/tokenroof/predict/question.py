"""A question with everything looked up: what every basis of a prediction is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.predict.memory.tightest import tightest

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model
    from tokenroof.notices import Notice
    from tokenroof.predict.cases import Case
    from tokenroof.predict.learnt.profile import Profile
    from tokenroof.predict.memory.placing import Placing


@dataclass(frozen=True, slots=True)
class Question:
    """A case with everything looked up; None is unknown.

    `of_profile` is what has to be said of the profile that answers, or why none does.
    """

    case: Case
    model: Model
    device: Device
    depth: int
    read_bytes: int
    placing: Placing
    prompt_flop: int | None
    assumes: tuple[Notice, ...]
    profile: Profile | None = None
    of_profile: Notice | None = None

    @property
    def tightest(self) -> tuple[int, int | None]:
        """What the place with the least room left has to hold, and what it can."""
        return tightest(self.placing.fitted.needs, self.placing.processors)

    @property
    def flop_per_second(self) -> float | None:
        """What the prompt's arithmetic comes to at most, in operations a second."""
        tokens, flop = self.case.prompt, self.prompt_flop
        if tokens is None or flop is None:
            return None
        seconds = self.placing.prompt_seconds(tokens, flop, self.device.flop_per_second)
        return flop / seconds if seconds else None
