"""What a campaign will do, as data: a list of units, each of which says all about itself.

The context is the same for all lengths. An engine that is given a larger context may choose other
buffers and other kernels, so a length must never bring its own context with it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tokenroof.engines.options import EngineOptions
from tokenroof.errors import UsageError
from tokenroof.measure.prompts import TOLERANCE
from tokenroof.records import Record, Settings
from tokenroof.units import count, percent

DEFAULT_LENGTHS = (512, 2048, 4096, 8192)
DEFAULT_OUTPUT_TOKENS = 128
DEFAULT_BUDGET_SECONDS = 300.0

MIN_ROUNDS = 3
"""Fewer values than three have no median worth the name."""

_CONTEXT_STEP = 256
"""llama.cpp rounds a context up to a multiple of this, so that what is asked is what is had."""

_TEMPLATE_TOKENS = 64
"""Room for what a chat template puts around a prompt."""


class Unit(Record, frozen=True, kw_only=True):
    """One run to be made: everything that is needed to make it, on this machine or another."""

    model: str
    engine: str
    settings: Settings
    length: int
    output_tokens: int
    round: int
    seed: int


class Plan(Record, frozen=True, kw_only=True):
    """A campaign before it begins.

    Attributes:
        model: path of the model's file (of its first part), or the name that its engine knows it
            by.
        engine: name of the engine.
        engine_options: how it is reached or started.
        settings: how it is set up; `context` is the one for all lengths.
        lengths: prompt tokens, shortest first.
        output_tokens: tokens to write after each prompt.
        rounds: runs that every length gets, whatever they take.
        max_rounds: runs that a length gets at most.
        precision: a length is done when the half-width of the 95 % interval of its median is
            under this share of it, for prefill and for decode.
        budget_seconds: time for the whole campaign; rounds beyond `rounds` begin only where they
            are expected to end within it. None: no limit.
        wait_quiet_seconds: how long to wait for a quiet machine before a run.
        strict: stop where the machine does not become quiet.
        seed: fixes the order, the numbers in the prompts and the sampling.
        cached: each prompt is sent a second time, to be found in the engine's cache.
        threads_auto: the numbers of threads are found out before anything is measured.
        watch_queue: address of a queue that has to be empty.
    """

    model: str
    engine: str
    settings: Settings
    lengths: tuple[int, ...]
    output_tokens: int
    rounds: int
    max_rounds: int
    precision: float
    budget_seconds: float | None
    wait_quiet_seconds: float
    strict: bool
    seed: int
    engine_options: EngineOptions = EngineOptions()
    cached: bool = False
    threads_auto: bool = False
    watch_queue: str | None = None

    def order(self, round_: int) -> tuple[int, ...]:
        """The lengths in this round's order.

        One shuffle, then turned on by one place a round: over the rounds each length stands
        early and late equally often, so that drift does not look like an effect of length.
        """
        shuffled = list(self.lengths)
        random.Random(self.seed).shuffle(shuffled)  # noqa: S311 - no secret
        turn = (round_ - 1) % len(shuffled)
        return tuple(shuffled[turn:] + shuffled[:turn])

    def unit(self, length: int, round_: int) -> Unit:
        """The run of one length in one round."""
        return Unit(
            model=self.model,
            engine=self.engine,
            settings=self.settings,
            length=length,
            output_tokens=self.output_tokens,
            round=round_,
            seed=self.seed,
        )

    def units(self) -> tuple[Unit, ...]:
        """The runs that are promised, in their order. More follow where precision wants them."""
        rounds = range(1, self.rounds + 1)
        return tuple(
            self.unit(length, round_) for round_ in rounds for length in self.order(round_)
        )


def needed_context(lengths: Sequence[int], output_tokens: int) -> int:
    """Room for the longest prompt, its answer, a missed length and a chat template, padded."""
    longest = max(lengths)
    tokens = longest + round(longest * TOLERANCE) + output_tokens + _TEMPLATE_TOKENS
    return -(-tokens // _CONTEXT_STEP) * _CONTEXT_STEP


def fitting_lengths(
    context_limit: int | None, output_tokens: int = DEFAULT_OUTPUT_TOKENS
) -> tuple[int, ...]:
    """Those of the default lengths that a model with this context can take.

    Raises:
        UsageError: not even the shortest one.
    """
    if context_limit is None:
        return DEFAULT_LENGTHS
    fitting = tuple(
        length
        for length in DEFAULT_LENGTHS
        if needed_context([length], output_tokens) <= context_limit
    )
    if not fitting:
        _refuse_context(DEFAULT_LENGTHS[:1], output_tokens, context_limit)
    return fitting


def make_plan(
    model: Path | str,
    engine: str,
    *,
    lengths: Sequence[int] | None = None,
    output_tokens: int = DEFAULT_OUTPUT_TOKENS,
    settings: Settings | None = None,
    context_limit: int | None = None,
    rounds: int = MIN_ROUNDS,
    max_rounds: int = 30,
    precision: float = 0.02,
    budget_seconds: float | None = DEFAULT_BUDGET_SECONDS,
    wait_quiet_seconds: float = 60.0,
    strict: bool = False,
    seed: int = 1,
    engine_options: EngineOptions | None = None,
    cached: bool = False,
    threads_auto: bool = False,
) -> Plan:
    """A plan by the protocol; what is not said is chosen by it.

    Args:
        model: a path is made absolute, so that the plan means the same from another folder.
        engine: name of the engine.
        lengths: None for the default lengths, as far as the context allows them.
        settings: where their context is None, the one that all lengths need is put in.
        context_limit: the longest context that the model was made for; None where unknown.

    Raises:
        UsageError: a number that cannot be, or a context too small for the lengths.
    """
    if lengths is not None and (not lengths or min(lengths) < 1):
        raise UsageError("measure.bad_lengths")
    # Where the clock starts at the first token, one token has no step that could be timed.
    if output_tokens < 2:
        raise UsageError("measure.bad_output", tokens=output_tokens)
    if rounds < MIN_ROUNDS or max_rounds < MIN_ROUNDS:
        raise UsageError("measure.bad_rounds", rounds=min(rounds, max_rounds), minimum=MIN_ROUNDS)
    if not 0 < precision < 1:
        raise UsageError("measure.bad_precision", precision=percent(precision))
    if budget_seconds is not None and not budget_seconds > 0:
        raise UsageError("measure.bad_budget", seconds=budget_seconds)
    settings = settings or Settings()
    if lengths is None:
        limits = [limit for limit in (context_limit, settings.context) if limit is not None]
        lengths = fitting_lengths(min(limits, default=None), output_tokens)
    needed = needed_context(lengths, output_tokens)
    for limit in (context_limit, settings.context):
        if limit is not None and limit < needed:
            _refuse_context(lengths, output_tokens, limit)
    plain = settings.to_dict() | {"context": settings.context or needed}
    return Plan(
        model=str(model.absolute()) if isinstance(model, Path) else model,
        engine=engine,
        settings=Settings(**plain),
        lengths=tuple(sorted(set(lengths))),
        output_tokens=output_tokens,
        rounds=rounds,
        max_rounds=max(max_rounds, rounds),
        precision=precision,
        budget_seconds=budget_seconds,
        wait_quiet_seconds=wait_quiet_seconds,
        strict=strict,
        seed=seed,
        engine_options=engine_options or EngineOptions(),
        cached=cached,
        threads_auto=threads_auto,
    )


def _refuse_context(lengths: Sequence[int], output_tokens: int, limit: int) -> None:
    raise UsageError(
        "measure.context_too_small",
        length=count(max(lengths)),
        output=count(output_tokens),
        needed=count(needed_context(lengths, output_tokens)),
        limit=count(limit),
    )
