"""Warnings and findings that travel with a result.

A notice never stops anything. It is an id with values, from the message catalogue, and a place;
the sentence is made at the edge, in the reader's language.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokenroof import words


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that the reader of a result should know.

    Attributes:
        message: id of its sentence in the message catalogue, ``room.name``.
        values: what the sentence's placeholders stand for.
        where: a tensor, a metadata key, a layer, an offset; None when it is about the whole.
    """

    message: str
    values: dict[str, Any] = field(default_factory=dict)
    where: str | None = None

    @property
    def id(self) -> str:
        """The id that scripts see: the message id without its room."""
        return self.message.partition(".")[2]

    def text(self, language: str = "en") -> str:
        """The sentence."""
        return words.text(self.message, language, **self.values)

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The notice as the contract shows it: id, text, where."""
        return {"id": self.id, "text": self.text(language), "where": self.where}
