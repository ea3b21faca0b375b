"""What a calibration learnt of one machine with one engine, and what that says of a model.

    seconds of a step = sum over its works of amount x seconds per unit

Every rate was found together with the others from models that differ in what they are made of
(see `work` for the kinds of work, and `calibrate.design` for the models). The spread is how far
such a prediction was from models that had been left out of the fit; a step that goes beyond what
was measured is as uncertain as it is far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from tokenroof.model import Model
from tokenroof.predict.learnt.work import (
    BYTES_OF,
    FLOP_OF,
    UNPACK_OF,
    Work,
    decode_work,
    prefill_work,
)
from tokenroof.predict.memory.engine_setup import DEFAULT_UBATCH
from tokenroof.records import Record, Settings

Phase = Literal["decode", "prefill"]

NORMAL_80 = 1.2816
"""Standard deviations to either side that hold 80 % of a normal distribution."""

SMALL_SHARE = 0.02
"""A stored type that was not learnt and holds less of a model than this is taken for the slowest
of those that were; it cannot move the figure by more than a few hundredths."""

UNKNOWN_PART = 0.05
"""Added to the spread where such a type was taken for another."""

_BY_TYPE = (BYTES_OF, FLOP_OF, UNPACK_OF)

STRETCH = 0.08
"""Added to the spread for each time that depth or length is doubled beyond what was measured."""


class Learnt(Record, frozen=True, kw_only=True):
    """The rates of one phase.

    Attributes:
        seconds: per unit, by kind of work; 0 for one that took no time that could be measured.
        spread: standard deviation of predicted / measured, in logarithms, on models left out.
        worst: the farthest of those, as a factor above 1.
        longest: the largest depth (decode) or prompt length (prefill) that was measured.
        not_learnt: kinds of work that always came together with others, whose rates hold theirs.
    """

    seconds: dict[str, float]
    spread: float
    worst: float
    longest: int
    not_learnt: tuple[str, ...] = ()


class Measured(Record, frozen=True, kw_only=True):
    """One model of the design at one length: medians, and what the fit makes of them.

    `decode_parts` are the seconds of a token by kind of work, as far as there is any.
    """

    shape: str
    prompt_tokens: int
    depth: float
    decode_seconds: float
    prefill_seconds: float
    decode_fitted: float | None = None
    prefill_fitted: float | None = None
    decode_parts: dict[str, float] = {}
    contended: bool = False


class Profile(Record, frozen=True, kw_only=True):
    """`tokenroof.profile/1`: a machine with an engine, learnt.

    Attributes:
        id: names the profile.
        created: when, in UTC.
        mode: how much was measured.
        engine: name, version, backend, place and flags of the engine.
        settings: threads, cache types and the rest that was in force.
        machine: what is safe to share of the machine.
        bandwidth_bytes_per_second: the most that was measured to be read from memory here.
        decode: rates of writing; prefill: of reading. None where nothing could be learnt.
        load_bytes_per_second: how fast a model file got ready.
        measured: what the rates rest on.
        drift: the farthest that the repeated model was from its first time, as a factor - 1.
        skipped: stored types that this engine does not know, or could not run.
    """

    id: str
    created: str
    mode: Literal["quick", "full"]
    engine: dict[str, Any]
    settings: Settings
    machine: dict[str, Any] = {}
    bandwidth_bytes_per_second: float | None = None
    decode: Learnt | None = None
    prefill: Learnt | None = None
    load_bytes_per_second: float | None = None
    measured: tuple[Measured, ...] = ()
    drift: float | None = None
    skipped: tuple[str, ...] = ()
    schema: Literal["tokenroof.profile/1"] = "tokenroof.profile/1"

    @property
    def threads(self) -> int | None:
        """Those that a processor's cores computed with; None where they did not compute."""
        return self.settings.threads if self.engine.get("place") == "cpu" else None

    @property
    def ubatch(self) -> int:
        """Tokens of a micro-batch."""
        return self.settings.ubatch or DEFAULT_UBATCH

    @property
    def least_ubatch(self) -> int:
        """The smallest micro-batch that the rates hold for: the shortest prompt was one."""
        return min((each.prompt_tokens for each in self.measured), default=self.ubatch)

    def with_ubatch(self, ubatch: int) -> Profile:
        """The same rates for a prompt that is read in other micro-batches."""
        return replace(self, settings=replace(self.settings, ubatch=ubatch))

    def is_of(self, cpu: str | None) -> bool:
        """Whether it was made on a processor of this name, as far as it says."""
        return self.machine.get("cpu_name") in (None, cpu)


@dataclass(frozen=True, slots=True)
class Seconds:
    """A predicted time: the point, and the interval that holds 80 % of such predictions."""

    seconds: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NotLearnt:
    """Why there is no prediction: the kinds of work that the profile has no rate for."""

    kinds: tuple[str, ...]


def decode_seconds(profile: Profile, model: Model, depth: float) -> Seconds | NotLearnt | None:
    """Time of the next token at a depth; None for a model that is not understood."""
    work = decode_work(model, depth, threads=profile.threads, ubatch=profile.ubatch)
    if work is None or profile.decode is None:
        return None
    return _seconds(profile.decode, work, depth)


def prefill_seconds(
    profile: Profile, model: Model, tokens: int, depth: int = 0
) -> Seconds | NotLearnt | None:
    """Time to read so many tokens on top of a depth; None for a model that is not understood."""
    work = prefill_work(model, tokens, depth, threads=profile.threads, ubatch=profile.ubatch)
    if work is None or profile.prefill is None:
        return None
    return _seconds(profile.prefill, work, tokens + depth)


def _seconds(learnt: Learnt, work: Work, extent: float) -> Seconds | NotLearnt | None:
    """None where none of its works was found to take any time."""
    rates, missing = rates_for(learnt, work)
    if missing:
        return NotLearnt(missing)
    seconds = sum(amount * rates[kind] for kind, amount in work.items())
    if seconds <= 0:
        return None
    spread = learnt.spread
    if extent > learnt.longest > 0:
        spread = math.hypot(spread, STRETCH * math.log2(extent / learnt.longest))
    if any(kind not in learnt.seconds and kind not in learnt.not_learnt for kind in work):
        spread = math.hypot(spread, UNKNOWN_PART)
    factor = math.exp(NORMAL_80 * spread)
    return Seconds(seconds, seconds / factor, seconds * factor)


def rates_for(learnt: Learnt, work: Work) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """A rate for every kind of a work, and the kinds that there is none for."""
    rates = dict(learnt.seconds)
    missing = []
    for kind, amount in work.items():
        if kind in rates or kind in learnt.not_learnt or not amount:
            rates.setdefault(kind, 0.0)
            continue
        prefix = next((each for each in _BY_TYPE if kind.startswith(each)), None)
        alike = [] if prefix is None else [k for k in work if k.startswith(prefix)]
        known = [rate for k, rate in learnt.seconds.items() if prefix and k.startswith(prefix)]
        whole = sum(work[each] for each in alike)
        if known and amount < SMALL_SHARE * whole:
            rates[kind] = max(known)
        else:
            missing.append(kind)
    return rates, tuple(missing)
