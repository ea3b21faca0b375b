"""Which engines there are, and which one is taken.

A new engine is one file and one line in `ENGINES`. Other packages add theirs through the
entry-point group ``tokenroof.engines``: name -> a function that makes an `Engine`. It is called
without arguments, or with an `EngineOptions` where a person gave any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from tokenroof.engines.base import Engine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineMissing, UsageError
from tokenroof.safetext import printable

GROUP = "tokenroof.engines"


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine: how it is made, and whether it could be, which must be cheap to ask.

    `takes` names the fields of `EngineOptions` that mean something to it.
    """

    name: str
    make: Callable[[EngineOptions], Engine]
    available: Callable[[], bool]
    install: str
    takes: frozenset[str] = frozenset()


def _embedded() -> Entry:
    from tokenroof.engines import embedded

    return Entry(
        embedded.NAME,
        lambda _options: embedded.EmbeddedEngine(),
        embedded.available,
        embedded.INSTALL,
    )


def _llama_server() -> Entry:
    from tokenroof.engines import llama_server as engine

    return Entry(
        "llama-server",
        engine.LlamaServerEngine,
        engine.available,
        engine.INSTALL,
        engine.TAKES,
    )


def _llama_bench() -> Entry:
    from tokenroof.engines import llama_bench as engine

    return Entry(
        engine.NAME,
        engine.LlamaBenchEngine,
        engine.available,
        engine.INSTALL,
        engine.TAKES,
    )


ENGINES: dict[str, Callable[[], Entry]] = {
    "embedded": _embedded,
    "llama-server": _llama_server,
    "llama-bench": _llama_bench,
}
"""Name -> its entry, in the order of preference."""


def names() -> tuple[str, ...]:
    """Every name that `pick` takes, our own first."""
    others = {point.name for point in entry_points(group=GROUP)}
    return (*ENGINES, *sorted(others - set(ENGINES)))


def pick(name: str | None = None, options: EngineOptions | None = None) -> Engine:
    """The engine of a name, or without one the first that could run here.

    Raises:
        UsageError: no engine has that name, and the sentence names those that there are; or it
            takes no such option.
        EngineMissing: it is not installed; the sentence says how to install it.
    """
    options = options or EngineOptions()
    if name is None:
        if options.given:
            raise UsageError("engines.options_without_name", choices=", ".join(names()))
        for make in ENGINES.values():
            entry = make()
            if entry.available():
                return entry.make(options)
        first = next(iter(ENGINES.values()))()
        raise EngineMissing(
            "engines.none_available", looked=", ".join(ENGINES), install=first.install
        )
    if name in ENGINES:
        entry = ENGINES[name]()
        strange = options.given - entry.takes
        if strange:
            raise UsageError("engines.option_unknown", engine=name, option=min(strange))
        # Where a program or an address was given, whether it works is the engine's to say.
        if not options.given and not entry.available():
            raise EngineMissing("engines.not_installed", engine=name, install=entry.install)
        return entry.make(options)
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
