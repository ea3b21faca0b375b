"""Which language to speak: what `--lang` says, else what the locale says.

It has to be known before the arguments are parsed, since help and usage errors are spoken too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tokenroof import words

OPTION = "--lang"

_JAPANESE_SAMPLE = "実測、幅"


@dataclass(frozen=True, slots=True)
class Spoken:
    """The languages of one command.

    Attributes:
        screen: for a person who reads the terminal.
        document: for sentences in files and JSON. A document that scripts read does not change
            with the locale of whoever ran the command, only with `--lang`.
    """

    screen: str
    document: str


def spoken(arguments: Sequence[str]) -> Spoken:
    """What to speak, from the arguments and the locale.

    A terminal that cannot write Japanese gets English: rows of question marks help nobody.
    """
    asked = _asked_for(arguments)
    wanted = asked or words.default_language()
    return Spoken(screen=wanted if _can_write_japanese() else "en", document=asked or "en")


def _asked_for(arguments: Sequence[str]) -> str | None:
    """The language that `--lang` names anywhere among the arguments; None where it does not."""
    found = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == OPTION and position + 1 < len(arguments):
            found = arguments[position + 1]
        elif argument.startswith(OPTION + "="):
            found = argument.partition("=")[2]
    return found if found in words.LANGUAGES else None


def _can_write_japanese() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        _JAPANESE_SAMPLE.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
