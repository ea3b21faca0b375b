"""Which engines there are, and which one is taken.

Without a name it is the one that a person most probably uses this model with: a running Ollama
that has it, else a llama-server or a llama-bench on the PATH, else the embedded one. Which one it
was, and why, is said.

A new engine is one file and one line in `ENGINES`. Other packages add theirs through the
entry-point group ``tokenroof.engines``: name -> a function that makes an `Engine`. It is called
without arguments, or with an `EngineOptions` where a person gave any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from tokenroof.engines import llama_programs
from tokenroof.engines.base import Engine, ModelRef
from tokenroof.engines.options import SPELLINGS, EngineOptions, from_environment
from tokenroof.errors import EngineMissing, UsageError
from tokenroof.notices import Notice
from tokenroof.safetext import printable

GROUP = "tokenroof.engines"


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine: how it is made, and whether it could be, which must be cheap to ask.

    Attributes:
        takes: the fields of `EngineOptions` that mean something to it.
        why: why to take it for a model when nobody named an engine, given that it is available;
            None where it is not the one for this model.
    """

    name: str
    make: Callable[[EngineOptions, ModelRef | None], Engine]
    available: Callable[[], bool]
    install: str
    takes: frozenset[str] = frozenset()
    why: Callable[[ModelRef], Notice | None] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine, and why it was chosen where nobody named one. It is not started yet."""

    name: str
    engine: Engine
    notice: Notice | None = None


def _embedded() -> Entry:
    from tokenroof.engines import embedded

    return Entry(
        embedded.NAME,
        lambda _options, _model: embedded.EmbeddedEngine(),
        embedded.available,
        embedded.INSTALL,
    )


def _ollama() -> Entry:
    from tokenroof.engines import ollama, ollama_terms as terms

    return Entry(
        terms.NAME,
        lambda options, model: ollama.OllamaEngine(options, model=model),
        lambda: True,  # whether it runs can only be asked
        terms.INSTALL,
        frozenset({"url"}),
        ollama.why,
    )


def _openai() -> Entry:
    from tokenroof.engines import openai_api as api, openai_compatible

    return Entry(
        api.NAME,
        lambda options, _model: openai_compatible.OpenAIEngine(options),
        lambda: from_environment(api.NAME, "url") is not None,
        api.INSTALL,
        frozenset({"url"}),
        lambda _model: None,  # only ever the one that was named
    )


def _llama_server() -> Entry:
    from tokenroof.engines import llama_server as engine

    return Entry(
        "llama-server",
        lambda options, _model: engine.LlamaServerEngine(options),
        engine.available,
        engine.INSTALL,
        engine.TAKES,
        lambda _model: llama_programs.why("llama-server"),
    )


def _llama_bench() -> Entry:
    from tokenroof.engines import llama_bench as engine

    return Entry(
        engine.NAME,
        lambda options, _model: engine.LlamaBenchEngine(options),
        engine.available,
        engine.INSTALL,
        engine.TAKES,
        lambda _model: llama_programs.why("llama-bench"),
    )


ENGINES: dict[str, Callable[[], Entry]] = {
    "ollama": _ollama,
    "llama-server": _llama_server,
    "llama-bench": _llama_bench,
    "embedded": _embedded,
    "openai": _openai,
}
"""Name -> its entry, in the order of preference."""


def names() -> tuple[str, ...]:
    """Every name that `pick` takes, our own first."""
    others = {point.name for point in entry_points(group=GROUP)}
    return (*ENGINES, *sorted(others - set(ENGINES)))


def choose(model: ModelRef, options: EngineOptions | None = None) -> Choice:
    """The engine for a model, where nobody named one.

    Args:
        model: by its name, which may say the engine.
        options: where to reach the engine that the name says.

    Raises:
        EngineMissing: there is none; the sentence says how to install one.
    """
    if model.is_served:
        notice = Notice("engines.chosen_served", {"model": str(model)})
        return Choice("openai", pick("openai", options), notice)
    entries = [make() for make in ENGINES.values()]
    for entry in entries:
        if not entry.available():
            continue
        notice = Notice("engines.chosen_installed", {"engine": entry.name})
        told = entry.why(model) if entry.why is not None else notice
        if told is not None:
            return Choice(entry.name, entry.make(EngineOptions(), model), told)
    # The one that needs nothing but its own package.
    install = next(entry.install for entry in entries if entry.why is None)
    raise EngineMissing("engines.none_available", looked=", ".join(ENGINES), install=install)


def pick(name: str, options: EngineOptions | None = None, model: ModelRef | None = None) -> Engine:
    """The engine of a name.

    Args:
        name: of the engine.
        options: what a person said of it.
        model: what it is wanted for, whose name may say where it is.

    Raises:
        UsageError: no engine has that name, and the sentence names those that there are; or it
            takes no such option.
        EngineMissing: it is not installed; the sentence says how to install it.
    """
    options = options or EngineOptions()
    if name in ENGINES:
        entry = ENGINES[name]()
        strange = options.given - entry.takes
        if strange:
            raise UsageError("engines.option_unknown", engine=name, option=SPELLINGS[min(strange)])
        # One that has a program or an address says better itself what is missing, when it is used.
        if not entry.takes and not entry.available():
            raise EngineMissing("engines.not_installed", engine=name, install=entry.install)
        return entry.make(options, model)
    return _foreign(name, options)


def _foreign(name: str, options: EngineOptions) -> Engine:
    """An engine of another package. Its package vouches for it; it is only called here."""
    for point in entry_points(group=GROUP, name=name):
        try:
            make = point.load()
            engine: Engine = make(options) if options.given else make()
        except ImportError as error:
            raise EngineMissing(
                "engines.foreign_broken", engine=name, why=printable(str(error), 300)
            ) from error
        return engine
    raise UsageError("engines.unknown", engine=printable(name, 60), choices=", ".join(names()))
