"""The command line as a person uses it: arguments in, exit code, output and errors out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Tokenroof = Callable[..., Outcome]
