"""Where a model is. Whatever the place, its header is the one `Header`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header
    from tokenroof.notices import Notice

CompanionKind = Literal["projector", "adapter", "draft"]


class Location(Protocol):
    """A model whose header can be had."""

    @property
    def name(self) -> str:
        """The name that means this model wherever it is typed: ``ollama:qwen3:8b``, a path."""

    @property
    def source(self) -> str:
        """What kind of place it is, as `tokenroof models` shows it."""

    def header(self, clock: Clock | None = None) -> Header:
        """Read the header, with what is to be said of the place among its problems.

        Raises:
            InputError: it cannot be had, or is not one.
        """


@dataclass(frozen=True)
class Companion:
    """A file that belongs to a model and is not part of it: its tensors are never counted."""

    kind: CompanionKind
    path: Path


@dataclass(frozen=True, kw_only=True)
class LocalModel:
    """A model whose file, or any part of it, lies on this machine.

    Attributes:
        name: the name that means it.
        source: what kind of place it is.
        path: the file.
        companions: what lies beside it.
        notices: what a reader of its header should know of the place.
    """

    name: str
    source: str
    path: Path
    companions: tuple[Companion, ...] = ()
    notices: tuple[Notice, ...] = ()

    def header(self, clock: Clock | None = None) -> Header:
        """Read the header from the disk; see `Location.header`."""
        from tokenroof.gguf import read_header

        return with_notices(read_header(self.path, clock=clock), self.notices)


@dataclass(frozen=True, kw_only=True)
class Installed:
    """A name that a program on this machine knows, whether a model can be read by it or not.

    Attributes:
        name: the name that means it.
        source: what kind of place it is.
        path: its file, or the first part; None where there is none to read.
        companions: what lies beside it.
        why_not: why there is nothing to read; None where there is.
    """

    name: str
    source: str
    path: Path | None
    companions: tuple[Companion, ...] = ()
    why_not: Notice | None = None


def with_notices(header: Header, notices: tuple[Notice, ...]) -> Header:
    """The header with some more to say."""
    return replace(header, problems=(*notices, *header.problems)) if notices else header
