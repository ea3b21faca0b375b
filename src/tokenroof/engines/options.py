"""How an engine is reached or started, as far as a person said it.

Not what is measured: these options belong to the engine, `Settings` to the measurement. A value
that nobody gave is looked for in the environment and then found by the engine's own rules, so the
order is always: what was asked, the environment, what is there.
"""

from __future__ import annotations

import os

from tokenroof.records import Record


class EngineOptions(Record, frozen=True, kw_only=True):
    """What was said about an engine.

    Attributes:
        program: its executable file, where the engine is started by us.
        url: the address of one that runs already.
        flags: further options of the engine, passed on as they are.
    """

    program: str | None = None
    url: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def given(self) -> frozenset[str]:
        """The names of those that say something."""
        plain = {"program": self.program, "url": self.url, "flags": self.flags}
        return frozenset(name for name, value in plain.items() if value)


SPELLINGS = {"program": "--engine-program", "url": "--url", "flags": "--engine-flags"}
"""What a person types for each of them."""


def with_scheme(address: str) -> str:
    """The address of a server, which people write as ``HOST:PORT`` too."""
    return address if "://" in address else f"http://{address}"


def from_environment(engine: str, what: str) -> str | None:
    """`TOKENROOF_<ENGINE>_<WHAT>`, as `TOKENROOF_LLAMA_SERVER_URL`; None where it is not set."""
    name = f"TOKENROOF_{engine}_{what}".upper().replace("-", "_")
    return os.environ.get(name) or None
