"""The models that people run, with the figures of their published configs.

Each line of `catalogue.jsonl` is one model: its id as people say it, other spellings, where its
config is published, and what of it the recipes need. Ids are family-version-size in small letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from tokenroof.closest import SUGGESTIONS, closest
from tokenroof.errors import NotFound
from tokenroof.recipes.quantise import FileType, file_type
from tokenroof.safetext import printable

DEFAULT_TYPE = "Q4_K_M"
"""What most people run, where nothing else is said."""

_SUFFIX = re.compile(r"-(instruct|it|chat|hf|gguf|base|fp8|bf16)$")
_PREFIX = "meta-"


class Entry(NamedTuple):
    """One model.

    Attributes:
        id: as people say it.
        name: as it was published.
        source: where its config is published.
        aliases: other names that mean it, Ollama's among them.
        published: the file type that it was published in, where that is a quantised one.
        config: the published config, as far as it is needed.
    """

    id: str
    name: str
    source: str
    aliases: tuple[str, ...]
    published: str | None
    config: dict[str, Any]

    @property
    def default_type(self) -> FileType:
        """The file type that is meant where none is said."""
        return file_type(self.published or DEFAULT_TYPE)


@cache
def entries() -> tuple[Entry, ...]:
    """All models, in the order of the file."""
    text = files("tokenroof.recipes").joinpath("catalogue.jsonl").read_text("utf-8")
    return tuple(_entry(json.loads(line)) for line in text.splitlines())


def find(name: str) -> Entry:
    """The model that a name means, in any common spelling.

    Raises:
        NotFound: none; the error lists the closest three.
    """
    found = lookup(name)
    if found is None:
        near = nearest(name.rpartition("/")[2])
        if not near:
            raise NotFound("recipes.unlike_any_model", name=printable(name))
        raise NotFound("recipes.unknown_model", name=printable(name), closest=", ".join(near))
    return found


def lookup(name: str) -> Entry | None:
    """The model that a name means; None where it means none."""
    known = _by_spelling()
    for spelling in _spellings(name):
        if spelling in known:
            return known[spelling]
    return None


def search(query: str) -> tuple[Entry, ...]:
    """The models in whose id, name or aliases every word of the query occurs."""
    words = [_folded(word) for word in query.split()]
    return tuple(
        entry
        for entry in entries()
        if all(any(word in _folded(text) for text in _texts(entry)) for word in words)
    )


def nearest(name: str, besides: Iterable[str] = ()) -> list[str]:
    """At most three names that are nearest to one that means nothing.

    Args:
        name: as it was typed.
        besides: further names that are known.

    Every spelling of a model counts, and stands for its id.
    """
    others = tuple(besides)
    ids = {text: entry.id for entry in entries() for text in _texts(entry)}
    spelled = closest(name, (*others, *ids))
    found = (ids.get(text, text) if text not in others else text for text in spelled)
    return list(dict.fromkeys((*found, *closest(name, (*others, *ids.values())))))[:SUGGESTIONS]


def _entry(line: dict[str, Any]) -> Entry:
    repo = line["source"].split("/blob/")[0].rpartition("/")[2]
    return Entry(
        id=line["id"],
        name=repo,
        source=line["source"],
        aliases=tuple(dict.fromkeys((repo, *line["aliases"], *line.get("ollama", ())))),
        published=line.get("type"),
        config=line["config"],
    )


def _texts(entry: Entry) -> Iterable[str]:
    return (entry.id, entry.name, *entry.aliases)


@cache
def _by_spelling() -> dict[str, Entry]:
    """Every spelling; an id is never taken by another model's alias."""
    found = {_folded(entry.id): entry for entry in entries()}
    for entry in entries():
        for alias in entry.aliases:
            found.setdefault(_folded(alias), entry)
    return found


def _spellings(name: str) -> Iterable[str]:
    """A name as it is typed, then without what does not change the model."""
    last = name.strip().lower().rpartition("/")[2]
    yield _folded(last)
    last = re.sub(r"(?<=\d)_(?=\d)", ".", last).replace("_", "-")
    yield _folded(last)
    shorter = _SUFFIX.sub("", last)
    while shorter != last:
        yield _folded(shorter)
        last, shorter = shorter, _SUFFIX.sub("", shorter)
    if last.startswith(_PREFIX):
        yield _folded(last.removeprefix(_PREFIX))


def _folded(text: str) -> str:
    """Without capitals and the marks that people leave out or swap."""
    return re.sub(r"[-_: ]", "", text.lower())
