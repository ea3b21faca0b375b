"""What every engine looks like to the rest of the program.

An engine loads one model under stated settings and then runs requests, one at a time. It reports
times and counts; what they mean is data, `Promises`, so that no one has to know which engine it
was. One engine is one file, and one line in `engines.registry`.

The clock. `prompt_seconds` spans the reading of the whole prompt until the first token can be
chosen. `output_seconds` spans `output_steps` token steps: one fewer than the tokens where the
clock starts when the first token is there (Ollama, llama-server, streams), as many as the tokens
where every step was timed by itself (llama-bench, embedded). A rate is steps / seconds in both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from tokenroof.errors import EngineError, EngineRefused
from tokenroof.records import Flag, Record, Settings
from tokenroof.safetext import printable

Place = Literal["cpu", "gpu", "mixed"]
"""Where the layers are computed. A bandwidth belongs to a place, and so does a ceiling."""


_NAMED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""How a name that is no path begins: `ollama:`, `hf:`. One letter would be a drive of Windows."""


SERVED = "openai:"
"""How the name of a model begins of which no file is known, only a server that runs it."""


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Which model: a file on this machine, the name that a server knows it by, or both.

    Attributes:
        path: the file, or any part of a split set.
        name: a name with its prefix, as ``ollama:qwen3:8b``.
    """

    path: Path | None = None
    name: str | None = None

    @classmethod
    def of(cls, model: Path | ModelRef | str) -> ModelRef:
        """What a path, or a text that is a path or a name with a prefix, refers to."""
        if isinstance(model, ModelRef):
            return model
        if isinstance(model, str) and _NAMED.match(model):
            return cls(name=model)
        return cls(path=Path(model))

    @property
    def is_served(self) -> bool:
        """Whether only a server knows the model, so that nobody can read its header."""
        return self.name is not None and self.name.lower().startswith(SERVED)

    def file(self, engine: str) -> Path:
        """The file, for an engine that reads it itself; a name is looked up on this machine.

        Raises:
            InputError: nothing on this machine bears that name.
            EngineRefused: neither path nor name is known.
        """
        if self.path is not None:
            return self.path
        if self.name is None:
            raise EngineRefused("engines.needs_file", engine=engine)
        from tokenroof.library import resolve

        return resolve(self.name)

    def __str__(self) -> str:
        return printable(self.name or str(self.path or "-"))


class Identity(Record, frozen=True, kw_only=True):
    """Which engine this is. `place` is None where the engine does not say where it ran."""

    name: str
    version: str | None = None
    backend: str | None = None
    place: Place | None = None
    device: str | None = None
    flags: dict[str, Any] = {}


class Promises(Record, frozen=True, kw_only=True):
    """What the figures of this engine can be relied on for.

    One that can reuse takes what is the same from the request before, where a request says so.
    An engine that does not take text is a `Sampler`: it makes up tokens of its own, and is told
    only how many.
    """

    counts_prompt_tokens: bool
    times_prompt: bool
    reports_cached_tokens: bool
    times_every_step: bool
    ignores_end_of_text: bool
    counts_before_running: bool
    takes_text: bool = True
    can_reuse: bool = False


class Loaded(Record, frozen=True, kw_only=True):
    """A model that is ready: how long that took, and the settings that are really in force."""

    seconds: float
    settings: Settings
    cold: bool | None = None


class Request(Record, frozen=True, kw_only=True):
    """One prompt to read and the number of tokens to write after it.

    `reuse` lets the engine take what is the same from the request before instead of reading it.
    """

    prompt: str
    output_tokens: int
    seed: int = 1
    reuse: bool = False


class Condition(Record, frozen=True, kw_only=True):
    """What a `Sampler` measures: reading so many tokens, and steps on top of them."""

    prompt_tokens: int
    output_tokens: int


class Reply(Record, frozen=True, kw_only=True):
    """What came of a request. Unknown is None; `raw` keeps the engine's own figures."""

    prompt_tokens: int | None
    prompt_cached: int | None
    prompt_seconds: float | None
    output_tokens: int | None
    output_steps: int | None
    output_seconds: float | None
    wall_seconds: float
    ttft_seconds: float | None = None
    flags: tuple[Flag, ...] = ()
    raw: dict[str, Any] = {}


class Step(Record, frozen=True, kw_only=True):
    """Said while a request runs, for the person who waits."""

    phase: Literal["prefill", "decode"]
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Samples:
    """What came of a condition: samples, and why there are no more, where something went wrong."""

    replies: tuple[Reply, ...]
    problem: EngineError | None = None


class Engine(Protocol):
    """One engine. Errors are `EngineError` and its kinds, never the engine's own."""

    @property
    def promises(self) -> Promises:
        """What its figures can be relied on for."""

    def identify(self) -> Identity:
        """Name, version, backend and place, as far as the engine says."""

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Make a model ready under these settings; one that was loaded before is let go.

        A model file that is none, or of which a part is missing, is a `GGUFError`. A setting that
        the engine cannot bring about is an `EngineRefused`, never left out in silence.
        """

    def count_tokens(self, text: str) -> int | None:
        """How many tokens the loaded model makes of a prompt; None where only a run can tell."""

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Read the prompt with nothing cached, write the answer, and say how long it took."""

    def processes(self) -> Sequence[int]:
        """The process ids whose load is the engine's own, not another job's."""

    def close(self) -> None:
        """Let everything go. Safe to call twice."""


@runtime_checkable
class Threaded(Engine, Protocol):
    """An engine whose threads can be set while a model is loaded."""

    def set_threads(self, decode: int, prefill: int) -> Settings:
        """Use so many threads from now on; the settings that are in force then."""


@runtime_checkable
class Sampler(Engine, Protocol):
    """An engine that measures conditions instead of texts, several times if it was told to."""

    def sample(self, condition: Condition, watch: Callable[[Step], None] | None = None) -> Samples:
        """Measure one condition. An engine that cannot be asked at all raises."""
