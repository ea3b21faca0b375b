"""Models that are nowhere yet: ``NAME@TYPE`` of the catalogue, and configs of Hugging Face.

A config is a path that ends in ``.json``, a folder with a ``config.json`` and no model, a URL, or a
repository on the Hub that holds no GGUF file. What follows the last ``@`` is the file type.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokenroof.errors import InputError, UsageError
from tokenroof.library.addresses import shown
from tokenroof.library.documents import read_json
from tokenroof.library.http import Web
from tokenroof.library.hub_names import PREFIX
from tokenroof.library.terms import Token
from tokenroof.recipes import Blueprint, blueprint, blueprint_of_config, file_type, find, lookup
from tokenroof.recipes.mixes import mix
from tokenroof.safetext import printable
from tokenroof.units import binary_size

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header
    from tokenroof.notices import Notice

CONFIG: Final = "config.json"

_MOST_BYTES = 4 * 2**20


class Asked(NamedTuple):
    """A name and the type that it is asked for in; None where that is not said."""

    name: str
    kind: str | None


@dataclass(frozen=True, kw_only=True)
class RecipeModel:
    """A model whose header is worked out.

    Attributes:
        name: the name that means it.
        blueprint: what it is made of.
        kind: the file type, as it was asked for.
        source: what kind of place it is.
        notices: what a reader of its header should know of the place.
    """

    name: str
    blueprint: Blueprint
    kind: str | None
    source: str = "recipe"
    notices: tuple[Notice, ...] = ()

    def header(self, clock: Clock | None = None) -> Header:
        """Work the header out; see `Location.header`."""
        del clock
        header = self.blueprint.header(self.kind)
        return replace(header, problems=(*self.notices, *header.problems))


@dataclass(frozen=True, kw_only=True)
class BuiltModel:
    """A model of which somebody's own build is known.

    Attributes:
        name: the name that means it.
        built: its header.
        source: what kind of place it is.
    """

    name: str
    built: Header
    source: str = "recipe"

    def header(self, clock: Clock | None = None) -> Header:
        """The header; see `Location.header`."""
        del clock
        return self.built


def split(name: str) -> Asked:
    """A name, and the type behind its last ``@``."""
    base, at, kind = name.rpartition("@")
    return Asked(base, kind) if at and base and "/" not in kind else Asked(name, None)


def _tagged(name: str) -> Asked:
    """A model of the catalogue, and the type at the end of its tag, as Ollama's tags have it.

    ``llama3.1:8b-instruct-q4_K_M``, ``hf.co/OWNER/REPO:Q8_0``.
    """
    base, _, tag = name.rpartition(":")
    if not base:
        return Asked(name, None)
    words = tag.split("-")
    for at in range(len(words)):
        model, kind = f"{base}:{'-'.join(words[:at])}".rstrip(":"), "-".join(words[at:])
        if is_type(kind) and lookup(model):
            return Asked(model, kind)
    return Asked(name, None)


def is_type(text: str) -> bool:
    """Whether a text is a file type's name, a plain one or some publisher's."""
    if mix(text) is not None:
        return True
    try:
        file_type(text)
    except UsageError as error:
        return error.message == "recipes.type_not_made"
    return True


def by_name(name: str) -> RecipeModel | None:
    """A model of the catalogue; None where the name means none and asks for no type.

    Raises:
        NotFound: it asks for a type of a model that the catalogue does not have.
    """
    asked = split(name)
    entry = lookup(asked.name)
    if entry is None and asked.kind is None:
        asked = _tagged(name)
        entry = lookup(asked.name)
    if entry is None:
        if asked.kind is None or not is_type(asked.kind):
            return None
        entry = find(asked.name)
    made = blueprint(entry)
    return RecipeModel(name=_named(made.id, asked.kind), blueprint=made, kind=asked.kind)


def of_file(name: str) -> RecipeModel | None:
    """A config on this machine, named or in the folder that is named; None if there is none.

    Raises:
        InputError: it cannot be read, or no recipe follows from it.
    """
    for asked in (Asked(name, None), split(name)):
        path = Path(asked.name)
        try:
            config = path / CONFIG if path.is_dir() else path
            there = config.suffix.lower() == ".json" and config.is_file()
        except (OSError, ValueError):
            continue
        if there:
            return _made(_read(config), str(path), _name_of(config), asked.kind)
    return None


def of_url(url: str) -> RecipeModel:
    """A config on a web server.

    Raises:
        InputError: it cannot be had or read, or no recipe follows from it.
    """
    asked = split(url)
    where = shown(asked.name)
    values = _fetch(asked.name, where, None)
    return _made(values, where, _name_of(Path(where.split("?")[0])), asked.kind)


def of_hub(
    url: str, repo: str, kind: str | None, token: Token | None, cached: Path | None
) -> RecipeModel:
    """The config of a repository on the Hub.

    Args:
        url: where the Hub serves it.
        repo: ``OWNER/REPO``.
        kind: the file type that is asked for.
        token: for the Hub.
        cached: a copy on this machine.

    Raises:
        InputError: it cannot be had or read, or no recipe follows from it.
    """
    where = f"{PREFIX}{repo}"
    values = _read(cached) if cached else _fetch(url, where, token)
    return _made(values, where, repo.partition("/")[2], kind)


def _made(values: dict[str, Any], where: str, name: str, kind: str | None) -> RecipeModel:
    made = blueprint_of_config(values, printable(where), printable(name))
    return RecipeModel(name=_named(made.id, kind), blueprint=made, kind=kind)


def _named(base: str, kind: str | None) -> str:
    return f"{base}@{printable(kind)}" if kind else base


def _name_of(config: Path) -> str:
    """What a config is of: its folder's name, or its own where it is not called config."""
    return config.parent.name or config.stem if config.name == CONFIG else config.stem


def _read(path: Path) -> dict[str, Any]:
    shown_path = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("library.unreadable", name=shown_path, reason=reason) from error
    if len(data) > _MOST_BYTES:
        limit = binary_size(_MOST_BYTES)
        raise InputError("library.config_too_long", name=shown_path, limit=limit)
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError("library.config_not_json", name=shown_path) from error
    return _checked(values, shown_path)


def _fetch(url: str, where: str, token: Token | None) -> dict[str, Any]:
    with Web(url, token=token) as web:
        return _checked(read_json(web, url, _MOST_BYTES), where)


def _checked(values: object, where: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise InputError("library.config_not_json", name=where)
    return values
