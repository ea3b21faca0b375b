"""The engines that could run here, each with its version, or why it could not."""

from __future__ import annotations

from tokenroof.doctor.privacy import shareable, shareable_notice
from tokenroof.doctor.records import FoundEngine
from tokenroof.engines import registry
from tokenroof.errors import TokenroofError
from tokenroof.notices import Notice
from tokenroof.safetext import printable


def found_engines() -> tuple[FoundEngine, ...]:
    """Every engine by name; none of them is given a model, none keeps running.

    An engine that is reached by an address alone is left out where nobody gave one.
    """
    return tuple(_found(name) for name in registry.names() if not _needs_an_address(name))


def _needs_an_address(name: str) -> bool:
    make = registry.ENGINES.get(name)
    if make is None:
        return False
    entry = make()
    return entry.takes == {"url"} and not entry.available()


def _found(name: str) -> FoundEngine:
    try:
        engine = registry.pick(name)
        try:
            told = engine.identify()
        finally:
            engine.close()
    except TokenroofError as error:
        problem = shareable_notice(Notice(error.message, error.values))
        return FoundEngine(name=name, problem=problem)
    except Exception as error:
        values = {"engine": name, "kind": type(error).__name__}
        return FoundEngine(name=name, problem=Notice("doctor.engine_broke", values))
    return FoundEngine(
        name=name,
        version=None if told.version is None else printable(shareable(told.version), 60),
        backend=None if told.backend is None else printable(shareable(told.backend), 60),
    )
