"""Names on the Hugging Face Hub: ``OWNER/REPO/FILE[@REVISION]`` and ``OWNER/REPO[:TAG]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tokenroof.errors import UsageError
from tokenroof.safetext import printable

PREFIX: Final = "hf:"

_REPO_PART = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}")


@dataclass(frozen=True)
class HubName:
    """What a name on the Hub says; None where it leaves it open."""

    repo: str
    file: str | None
    tag: str | None
    revision: str | None

    def of(self, file: str) -> str:
        """The full name of one of its files."""
        revision = f"@{self.revision}" if self.revision else ""
        return f"{PREFIX}{self.repo}/{file}{revision}"


def parse(text: str) -> HubName:
    """Read a name, without its prefix.

    Raises:
        UsageError: it is none.
    """
    path, at, revision = text.rpartition("@")
    if not at or revision.lower().endswith(".gguf"):
        path, revision = text, ""
    owner, _, rest = path.partition("/")
    repo, _, file = rest.partition("/")
    tag = ""
    if not file:
        repo, _, tag = repo.partition(":")
    names_are_good = _REPO_PART.fullmatch(owner) and _REPO_PART.fullmatch(repo)
    if not names_are_good or not (is_safe(file) and is_safe(revision) and is_safe(tag)):
        raise UsageError("library.hub_name", name=printable(text))
    return HubName(f"{owner}/{repo}", file or None, tag or None, revision or None)


def is_safe(path: str) -> bool:
    """Whether a path from outside stays below the folder that it is joined to."""
    if not path:
        return True
    pieces = path.split("/")
    drive = len(pieces[0]) == 2 and pieces[0].endswith(":")
    return (
        not drive and "\\" not in path and path.isprintable() and not {"", ".", ".."} & set(pieces)
    )
