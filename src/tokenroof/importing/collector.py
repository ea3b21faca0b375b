"""Where readers put what they found: runs with their lines, and refusals with theirs.

A run's id is made of what it says, so that importing the same paste twice adds nothing; a figure
that stands twice in one paste is two runs.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from msgspec import structs

from tokenroof.importing.records import Refused
from tokenroof.notices import Notice
from tokenroof.records import Record, Run, RunEngine, RunModel, Settings
from tokenroof.safetext import printable

MOST_RUNS = 100_000
"""Of one import. So many figures are a data set, and fit into 300 MB."""

MOST_REFUSED = 1000
_EXCERPT = 60

R = TypeVar("R", bound=Record)


class Collector:
    """Runs and refusals of one file or paste, in the order of their lines."""

    def __init__(self, file: str | None = None) -> None:
        self.runs: list[Run] = []
        self.lines: list[int] = []
        self.own: set[str] = set()
        self.refused: list[Refused] = []
        self.file = file
        self._copies: dict[bytes, int] = {}
        self._shared: dict[bytes, Record] = {}
        self._text_from = self._text_lines = 0
        self._text = ""
        self._said_full = False

    def add(
        self,
        line: int,
        *,
        source: str,
        model: RunModel,
        engine: RunEngine,
        settings: Settings | None = None,
        **fields: Any,
    ) -> None:
        """A run that stands at a line; `fields` are further ones of `Run`."""
        if self.full(line):
            return
        run = Run(
            id="",
            source=source,
            started=fields.pop("started", None),
            model=self._once(model),
            engine=self._once(engine),
            settings=self._once(settings or Settings()),
            **fields,
        )
        self._keep(line, structs.replace(run, id=self._id(_said(run))))

    def add_own(self, line: int, run: Run) -> None:
        """A run that tokenroof wrote itself keeps its id."""
        if not self.full(line):
            shared = {
                "model": self._once(run.model),
                "engine": self._once(run.engine),
                "settings": self._once(run.settings),
            }
            self.own.add(run.id)
            self._keep(line, structs.replace(run, **shared))

    @property
    def is_full(self) -> bool:
        """Whether no more runs are taken, and that was said."""
        return self._said_full

    def full(self, line: int) -> bool:
        """Whether no more runs are taken; said once, at the first line that is left out."""
        if len(self.runs) < MOST_RUNS:
            return False
        if not self._said_full:
            self._said_full = True
            self.refuse(line, "importing.too_many", most=f"{MOST_RUNS:,}")
        return True

    def refuse(self, line: int, message: str, **values: Any) -> None:
        """Something at a line cannot be used; `values` belong to the sentence."""
        self.end_of_text()
        if len(self.refused) < MOST_REFUSED:
            self.refused.append(Refused(line=line, reason=Notice(message, values), file=self.file))
        elif len(self.refused) == MOST_REFUSED:
            reason = Notice("importing.more_refused", {"count": MOST_REFUSED})
            self.refused.append(Refused(line=line, reason=reason, file=self.file))

    def unknown_text(self, line: int, text: str) -> None:
        """A line of no known format; those that follow one another are refused together."""
        if not self._text_lines:
            self._text_from, self._text = line, text
        self._text_lines += 1

    def end_of_text(self) -> None:
        """Something known follows, or nothing more."""
        if self._text_lines:
            count, self._text_lines = self._text_lines, 0
            message = "importing.unknown_line" if count == 1 else "importing.unknown_lines"
            values = {"count": count, "text": printable(self._text.strip(), _EXCERPT)}
            self.refuse(self._text_from, message, **values)

    def _keep(self, line: int, run: Run) -> None:
        self.end_of_text()
        self.runs.append(run)
        self.lines.append(line)

    def _once(self, record: R) -> R:
        """Equal records as one object: most runs of a paste share model, engine and settings."""
        key = type(record).__name__.encode() + msgspec.json.encode(record)
        found = self._shared.setdefault(key, record)
        assert isinstance(found, type(record))
        return found

    def _id(self, said: bytes) -> str:
        content = hashlib.sha256(said).digest()[:16]
        copy = self._copies[content] = self._copies.get(content, 0) + 1
        value = int.from_bytes(
            hashlib.sha256(content + copy.to_bytes(8, "big")).digest()[:16], "big"
        )
        # Version 8 of RFC 9562: made in one's own way.
        value = value & ~(0xF << 76) | 8 << 76
        value = value & ~(0x3 << 62) | 2 << 62
        return str(UUID(int=value))


def _said(run: Run) -> bytes:
    """The run as bytes that its id is made of: what it does not say of cost and conditions left
    out, so that figures imported before runs had such fields are known again."""
    return msgspec.json.encode(run).replace(b'"cost":null,"conditions":null,', b"")
