"""Which engines there are, and which one is taken.

A new engine is one file and one line in `ENGINES`. Other packages add theirs through the
entry-point group ``tokenroof.engines``: name -> a function without arguments that makes an
`Engine`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from tokenroof.engines.base import Engine
from tokenroof.errors import EngineMissing, UsageError
from tokenroof.safetext import printable

GROUP = "tokenroof.engines"


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine: how it is made, and whether it could be, which must be cheap to ask."""

    name: str
    make: Callable[[], Engine]
    available: Callable[[], bool]
    install: str


def _embedded() -> Entry:
    from tokenroof.engines import embedded

    return Entry(embedded.NAME, embedded.EmbeddedEngine, embedded.available, embedded.INSTALL)


ENGINES: dict[str, Callable[[], Entry]] = {
    "embedded": _embedded,
}
"""Name -> its entry, in the order of preference."""


def names() -> tuple[str, ...]:
    """Every name that `pick` takes, our own first."""
    others = {point.name for point in entry_points(group=GROUP)}
    return (*ENGINES, *sorted(others - set(ENGINES)))


def pick(name: str | None = None) -> Engine:
    """The engine of a name, or without one the first that could run here.

    Raises:
        UsageError: no engine has that name; the sentence names those that there are.
        EngineMissing: it is not installed; the sentence says how to install it.
    """
    if name is None:
        for make in ENGINES.values():
            entry = make()
            if entry.available():
                return entry.make()
        first = next(iter(ENGINES.values()))()
        raise EngineMissing(
            "engines.none_available", looked=", ".join(ENGINES), install=first.install
        )
    if name in ENGINES:
        entry = ENGINES[name]()
        if not entry.available():
            raise EngineMissing("engines.not_installed", engine=name, install=entry.install)
        return entry.make()
    return _foreign(name)


def _foreign(name: str) -> Engine:
    """An engine of another package. Its package vouches for it; it is only called here."""
    for point in entry_points(group=GROUP, name=name):
        try:
            engine: Engine = point.load()()
        except ImportError as error:
            raise EngineMissing(
                "engines.foreign_broken", engine=name, why=printable(str(error), 300)
            ) from error
        return engine
    raise UsageError("engines.unknown", engine=printable(name, 60), choices=", ".join(names()))
