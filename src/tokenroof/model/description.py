"""What a file says of itself in words: no figure is made from it.

A key of these that holds what it cannot mean costs a warning and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from tokenroof.errors import GGUFError
from tokenroof.gguf import Header, file_type_name
from tokenroof.model.ledger import Entry
from tokenroof.model.model import Model
from tokenroof.notices import Notice

Said = TypeVar("Said")


@dataclass(frozen=True, slots=True)
class Description:
    """A file in its own words.

    Attributes:
        header: where they stand.
        name: as the file calls itself, or as it is called.
        architecture: llama.cpp's name of it; None where the file does not say.
        kind: whether it is a model, an adapter, a projector, and so on; None for not said.
        file_type: the label, such as ``Q4_K_M``.
        context_length: tokens that it was trained for.
        vocabulary: tokens that it knows, as far as its keys say.
        problems: keys that hold what they cannot mean.
    """

    header: Header
    name: str
    architecture: str | None
    kind: str | None
    file_type: str | None
    context_length: int | None
    vocabulary: int | None
    problems: tuple[Notice, ...]

    @property
    def is_projector(self) -> bool:
        """Whether the file is for images or sound, and lies beside the model that it is for."""
        return self.architecture == "clip" or self.kind == "mmproj"


def describe(header: Header) -> Description:
    """What a header says in words."""
    problems: list[Notice] = []

    def said(read: Callable[[str], Said | None], key: str) -> Said | None:
        try:
            return read(key)
        except GGUFError as error:
            problems.append(Notice(error.message, error.values, key))
            return None

    def counted(key: str) -> int | None:
        number = said(header.integer, f"{architecture}.{key}")
        return number if number and number > 0 else None

    architecture = said(header.text, "general.architecture") or None
    name = said(header.text, "general.name") or said(header.text, "general.basename")
    return Description(
        header=header,
        name=name or (header.paths[0].stem if header.paths else architecture) or "?",
        architecture=architecture,
        kind=said(header.text, "general.type"),
        file_type=file_type_name(said(header.integer, "general.file_type")),
        context_length=counted("context_length"),
        vocabulary=counted("vocab_size"),
        problems=tuple(problems),
    )


def not_modelled(said: Description, *notices: Notice) -> Model:
    """A model of which only the file itself is known; a token may read all of it."""
    entries = tuple(
        Entry(tensor, "unread", 0, 0, Fraction(0), "modality")
        if said.is_projector
        else Entry(tensor, "read", tensor.bytes, 1, Fraction(1))
        for tensor in said.header.tensors
    )
    return Model(
        header=said.header,
        name=said.name,
        architecture=said.architecture,
        file_type=said.file_type,
        context_length=said.context_length,
        vocabulary=said.vocabulary,
        layers=0,
        blocks=0,
        embedding=None,
        experts=None,
        ledger=entries,
        heads=None,
        caches=None,
        least_caches=None,
        most_caches=None,
        states=(),
        shared={},
        attentions=(),
        writes_tokens=False,
        is_understood=False,
        weights_known=False,
        warnings=(*said.problems, *notices),
    )
