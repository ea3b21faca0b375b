"""What could be meant by a word that is being typed: models, files, folders, devices.

Each kind is a click type that takes text as it is and knows its candidates. They are looked up
only when a shell asks; an error means no candidates, never a message in the middle of a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokenroof.errors import TokenroofError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST = 500


class Completed(click.ParamType[Any]):
    """Text with candidates."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text, as it is."""
        return value

    def candidates(self, typed: str) -> Iterator[str]:
        """What begins with what was typed."""
        raise NotImplementedError

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The candidates, for click."""
        from click.shell_completion import CompletionItem

        try:
            found = dict.fromkeys(self.candidates(incomplete))
        except (OSError, TokenroofError):
            return []
        # A line break would make two candidates of one, an escape would order the screen about.
        safe = [value for value in found if value.isprintable()]
        return [CompletionItem(value) for value in safe[:_MOST]]


class ModelName(Completed):
    """A model: a name that a store knows, or a path."""

    def candidates(self, typed: str) -> Iterator[str]:
        """Installed models, then files and folders."""
        from tokenroof.library.installed import installed

        folded = typed.lower()
        for model in installed():
            if model.source == "llama.cpp":
                continue  # a path, which is completed as one
            # Colons separate a store's prefix from the name that people remember.
            for name in (model.name, model.name.removeprefix("ollama:")):
                if name.lower().startswith(folded) and (typed or name == model.name):
                    yield name
        yield from _paths(typed, ".gguf")


class AnyModelName(ModelName):
    """A model, or one that is nowhere yet."""

    def candidates(self, typed: str) -> Iterator[str]:
        """What is here, then the catalogue once a name has begun."""
        yield from super().candidates(typed)
        if typed:
            yield from _recipes(typed)


class FileName(Completed):
    """Any file."""

    def candidates(self, typed: str) -> Iterator[str]:
        """Files and folders."""
        return _paths(typed, "")


class FolderName(Completed):
    """A folder."""

    def candidates(self, typed: str) -> Iterator[str]:
        """Folders only."""
        return (path for path in _paths(typed, "") if path.endswith("/"))


class KnownDeviceName(Completed):
    """A device whose figures are known."""

    def candidates(self, typed: str) -> Iterator[str]:
        """Its names, once something is typed: there are a thousand."""
        from tokenroof.hardware.device_table import device_table

        folded = typed.lower()
        if folded:
            for each in device_table().devices:
                # People leave the family out: "RTX 3090" is the GeForce of that number.
                for name in (each.name, each.name.partition(" ")[2]):
                    if name.lower().startswith(folded):
                        yield name


class DeviceName(KnownDeviceName):
    """A device, or this machine."""

    def candidates(self, typed: str) -> Iterator[str]:
        """This machine, then the devices that are known."""
        yield from (name for name in ("here",) if name.startswith(typed))
        yield from super().candidates(typed)


MODEL, ANY_MODEL = ModelName(), AnyModelName()
FILE, FOLDER = FileName(), FolderName()
DEVICE, KNOWN_DEVICE = DeviceName(), KnownDeviceName()

BY_METAVAR: dict[str | None, Completed] = {"FILE": FILE, "FOLDER": FOLDER, "DEVICE": DEVICE}
"""The kind of an option's value by how its help calls it."""


def _recipes(typed: str) -> Iterator[str]:
    """Models of the catalogue, and behind an ``@`` the types that they can be made in."""
    from tokenroof.recipes import entries, file_types, lookup

    base, at, kind = typed.rpartition("@")
    if not at:
        yield from (each.id for each in entries() if each.id.startswith(typed.lower()))
    elif lookup(base) is not None:
        kinds = (each.name for each in file_types())
        yield from (f"{base}@{each}" for each in kinds if each.startswith(kind.upper()))


def _paths(typed: str, ending: str) -> Iterator[str]:
    """Files with an ending and folders, that a path could go on to; hidden ones if asked for."""
    front, _, last = typed.rpartition("/")
    front = front + "/" if "/" in typed else ""
    folder = Path(os.path.expanduser(front) or ".")  # noqa: PTH111 - keeps what was typed
    for entry in sorted(_entries(folder), key=lambda entry: entry.name):
        if not entry.name.startswith(last) or (entry.name.startswith(".") and not last):
            continue
        if entry.is_dir():
            yield f"{front}{entry.name}/"
        elif entry.name.lower().endswith(ending):
            yield front + entry.name


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing in one that is none: `hf:OWNER/` begins no path."""
    try:
        return list(os.scandir(folder))
    except (OSError, ValueError):
        return []
