"""One call of the command line: what was typed, and which language to speak.

The language is what `--lang` says, else what the locale says. It has to be known before the
arguments are parsed, since help and usage errors are spoken too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tokenroof import words

PROGRAM = "tokenroof"
OPTION = "--lang"

_JAPANESE_SAMPLE = "実測、幅"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of the command line.

    Attributes:
        command: what was typed, the program's name first.
        screen: for a person who reads the terminal.
        document: for sentences in files and JSON. A document that scripts read does not change
            with the locale of whoever ran the command, only with `--lang`.
    """

    command: tuple[str, ...]
    screen: str
    document: str


def invoked(arguments: Sequence[str]) -> Invocation:
    """The call with these arguments, under this locale.

    A terminal that cannot write Japanese gets English: rows of question marks help nobody.
    """
    asked = _asked_for(arguments)
    wanted = asked or words.default_language()
    return Invocation(
        command=(PROGRAM, *arguments),
        screen=wanted if _can_write_japanese() else "en",
        document=asked or "en",
    )


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
