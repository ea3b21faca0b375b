"""Message catalogues, English and Japanese.

Every sentence that a person sees has an id, ``room.name``. The room's file in this package holds
its sentences, both languages side by side, so that one is never changed without the other::

    MESSAGES: Catalogue = {
        "gguf.empty": (
            "{path} is empty ...",
            "{path} は空です ...",
        ),
    }

Records, warnings and errors carry ids and values; `text` makes the sentence at the edge.
Placeholders are those of `str.format`; numbers come already written by `units`. A word that
depends on a count names both its forms: ``{count} {count:run|runs}`` is "1 run" and "12 runs".
"""

from __future__ import annotations

import locale
import os
import string
from collections.abc import Mapping
from functools import cache
from importlib import import_module

LANGUAGES = ("en", "ja")

Catalogue = Mapping[str, tuple[str, str]]
"""Message id to its (English, Japanese) sentences."""


@cache
def _catalogue(room: str) -> Catalogue:
    module = import_module(f"tokenroof.words.{room}")
    messages: Catalogue = module.MESSAGES
    return messages


def text(message: str, language: str = "en", /, **values: object) -> str:
    """The sentence of a message id in one language, its placeholders filled in.

    Raises:
        KeyError: no such message, or a placeholder without a value. Both are mistakes of ours,
            and the tests look for them.
    """
    room, _, _ = message.partition(".")
    sentences = _catalogue(room)[message]
    return _FORMATTER.vformat(sentences[LANGUAGES.index(language)], (), values)


class _Formatter(string.Formatter):
    """`str.format`, and the two forms of a word that depends on a count."""

    def format_field(self, value: object, format_spec: str) -> str:
        one, choice, many = format_spec.partition("|")
        if choice:
            return one if str(value) == "1" else many
        return str(format(value, format_spec))


_FORMATTER = _Formatter()


def default_language() -> str:
    """The language of the person's locale: Japanese where it says so, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "ja" if value.lower().startswith("ja") else "en"
    code = locale.getlocale()[0] or ""
    return "ja" if code.lower().startswith(("ja", "japanese")) else "en"
