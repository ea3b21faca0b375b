"""An engine that computes nothing: its costs are arithmetic, its clock is a fake one.

A prompt costs `tokens / prefill_tokens_per_second`, a step `1 / decode_tokens_per_second`, both
times `noise()`. What is to happen in the n-th request (1 is the first, warm-ups included) is
written in `script`: an error to raise, or a function that changes the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tokenroof.clock import Clock, FakeClock
from tokenroof.engines.base import (
    Condition,
    Identity,
    Loaded,
    ModelRef,
    Promises,
    Reply,
    Request,
    Samples,
    Step,
)
from tokenroof.errors import EngineDied, EngineError, EngineRefused, TokenroofError
from tokenroof.records import Settings


class FakeDied(EngineDied):
    """The engine's process is gone."""

    def text(self, language: str = "en") -> str:
        return "the fake engine died"


class FakeRefused(EngineRefused):
    """The engine will not."""

    def text(self, language: str = "en") -> str:
        return "the fake engine refused"


def died() -> FakeDied:
    return FakeDied("fake.died")


def refused() -> FakeRefused:
    return FakeRefused("fake.refused")


Event = EngineError | BaseException | Callable[[Reply], Reply]


def changed(**fields: object) -> Callable[[Reply], Reply]:
    """A script event: the same reply with other fields."""
    return lambda reply: msgspec.structs.replace(reply, **fields)


@dataclass
class FakeEngine:
    """See the module. `requests`, `loads` and `closed` tell what was asked of it."""

    clock: Clock = field(default_factory=FakeClock)
    prefill_tokens_per_second: float = 1000.0
    decode_tokens_per_second: float = 50.0
    load_seconds: float = 2.0
    counts: bool = True
    template_tokens: int = 7
    characters_per_token: float = 2.5
    context: int | None = None
    noise: Callable[[], float] = lambda: 1.0
    script: dict[int, Event] = field(default_factory=dict)
    load_script: dict[int, TokenroofError] = field(default_factory=dict)
    always: Callable[[Request, int], Event | None] = lambda _request, _tokens: None
    version: str = "1.0"

    requests: list[Request] = field(default_factory=list)
    loads: int = 0
    counted: int = 0
    closed: bool = False
    alive: bool = False

    @property
    def promises(self) -> Promises:
        return Promises(
            counts_prompt_tokens=True,
            times_prompt=True,
            reports_cached_tokens=True,
            times_every_step=False,
            ignores_end_of_text=True,
            counts_before_running=self.counts,
        )

    def identify(self) -> Identity:
        return Identity(name="fake", version=self.version, backend="none", place="cpu")

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        self.loads += 1
        self.clock.sleep(self.load_seconds)
        if self.loads in self.load_script:
            raise self.load_script[self.loads]
        self.alive = True
        plain = settings.to_dict()
        if self.context is not None:
            plain["context"] = self.context
        return Loaded(seconds=self.load_seconds, settings=Settings(**plain))

    def tokens_of(self, text: str) -> int:
        return self.template_tokens + -int(-len(text) // self.characters_per_token)

    def count_tokens(self, text: str) -> int | None:
        self.counted += 1
        return self.tokens_of(text) if self.counts else None

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        self.requests.append(request)
        if not self.alive:
            raise died()
        tokens = self.tokens_of(request.prompt)
        event = self.script.get(len(self.requests)) or self.always(request, tokens)
        if isinstance(event, BaseException):
            self.alive = not isinstance(event, EngineDied)
            raise event
        prefill = tokens / self.prefill_tokens_per_second * self.noise()
        steps = request.output_tokens - 1
        decode = steps / self.decode_tokens_per_second * self.noise()
        self.clock.sleep(prefill)
        if watch is not None:
            watch(Step(phase="prefill", done=tokens, total=tokens))
        self.clock.sleep(decode)
        if watch is not None:
            watch(Step(phase="decode", done=request.output_tokens, total=request.output_tokens))
        reply = Reply(
            prompt_tokens=tokens,
            prompt_cached=0,
            prompt_seconds=prefill,
            output_tokens=request.output_tokens,
            output_steps=steps,
            output_seconds=decode,
            wall_seconds=prefill + decode,
            ttft_seconds=prefill,
        )
        return event(reply) if callable(event) else reply

    def processes(self) -> Sequence[int]:
        return ()

    def close(self) -> None:
        self.closed = True
        self.alive = False


@dataclass
class FakeSampler(FakeEngine):
    """An engine that takes no text: `samples` replies a condition, and then `problem`, if any."""

    samples: int = 1
    problem: EngineError | None = None
    conditions: list[Condition] = field(default_factory=list)

    @property
    def promises(self) -> Promises:
        return msgspec.structs.replace(super().promises, takes_text=False, times_every_step=True)

    def sample(self, condition: Condition, watch: Callable[[Step], None] | None = None) -> Samples:
        self.conditions.append(condition)
        replies = []
        for number in range(self.samples):
            seconds = condition.prompt_tokens / self.prefill_tokens_per_second * (number + 1)
            decode = condition.output_tokens / self.decode_tokens_per_second
            self.clock.sleep(seconds + decode)
            replies.append(
                Reply(
                    prompt_tokens=condition.prompt_tokens,
                    prompt_cached=0,
                    prompt_seconds=seconds,
                    output_tokens=condition.output_tokens,
                    output_steps=condition.output_tokens,
                    output_seconds=decode,
                    wall_seconds=seconds + decode,
                )
            )
        if self.problem is not None:
            self.clock.sleep(5.0)
        return Samples(tuple(replies), self.problem)
