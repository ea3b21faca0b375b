"""How many tokens a model makes of a text, by its own vocabulary, without loading the model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tokenroof.engines.child import Child
from tokenroof.engines.embedded import INSTALL, NAME, complete_file
from tokenroof.engines.messages import DECODER, Counted, Missing, Refused
from tokenroof.errors import EngineMissing, EngineRefused
from tokenroof.safetext import printable

COMMAND = (sys.executable, "-P", "-m", "tokenroof.engines.vocabulary_child")

DEADLINE_SECONDS = 300.0
"""A vocabulary is read in well under a second; a text of many megabytes takes longer."""


def count_tokens(
    model: Path,
    text: str,
    *,
    command: Sequence[str] = COMMAND,
    deadline_seconds: float = DEADLINE_SECONDS,
) -> int:
    """The tokens of a text, the model's beginning-of-text token included; markup is plain text.

    Args:
        model: any part of its file.
        text: what is counted.
        command: what starts the child.
        deadline_seconds: how long it may take.

    Raises:
        GGUFError: the file is no model, or a part of it is missing.
        EngineMissing: llama-cpp-python is not installed.
        EngineRefused: llama.cpp does not know this vocabulary.
        EngineDied: the child crashed, was killed or said nothing until the deadline.
    """
    child = Child(NAME, command)
    try:
        order = {"model": str(complete_file(model)), "text": text}
        child.send(order, deadline_seconds)
        line = child.receive(deadline_seconds)
        try:
            message = DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise child.babble(line) from None
        match message:
            case Counted(tokens=tokens):
                return tokens
            case Missing(why=why):
                raise EngineMissing(
                    "engines.library_missing",
                    engine=NAME,
                    library="llama-cpp-python",
                    install=INSTALL,
                    why=printable(why, 300),
                )
            case Refused():
                values = {name: printable(str(each), 300) for name, each in message.values.items()}
                raise EngineRefused(message.message, **values)
            case _:
                raise child.babble(line)
    finally:
        child.close()
