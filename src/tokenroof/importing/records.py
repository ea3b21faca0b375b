"""What came of an import: `tokenroof.import/1`."""

from __future__ import annotations

from typing import Any, Literal

from tokenroof.notices import Notice
from tokenroof.records import Record, Run

IMPORT_SCHEMA: Literal["tokenroof.import/1"] = "tokenroof.import/1"


class Refused(Record, frozen=True, kw_only=True):
    """Something that was not understood, and where it stands. `file` is None for a paste."""

    line: int
    reason: Notice
    file: str | None = None


class Imported(Record, frozen=True, kw_only=True):
    """Runs, what was refused, and what is to be said of the runs.

    A notice's `where` is the line that the run came from.
    """

    schema: Literal["tokenroof.import/1"] = IMPORT_SCHEMA
    campaign: str | None = None
    runs: tuple[Run, ...] = ()
    refused: tuple[Refused, ...] = ()
    notices: tuple[Notice, ...] = ()

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in one language."""
        plain = super().to_dict()
        for written, each in zip(plain["refused"], self.refused, strict=True):
            written["reason"] = each.reason.text(language)
        plain["notices"] = [each.to_dict(language) for each in self.notices]
        return plain
