"""Everything that can go wrong, as one tree; each class knows its exit code.

    TokenroofError                      1
    ├── AnswerIsNo                      1   a gate, --fail-slower, --strict: the answer is "no"
    ├── UsageError                      2   the command cannot mean anything as written
    │   └── AmbiguousName               2   it could mean several things; carries the candidates
    ├── InputError                      3   what was given cannot be used
    │   ├── GGUFError                   3   a model file that cannot be read as one
    │   ├── ModelError                  3   a header that reads well but contradicts itself
    │   ├── NotFound                    3   nothing bears that name
    │   ├── RecordError                 3   a runs file that cannot be read as one
    │   └── OutputError                 3   a place that cannot be written to
    ├── EngineError                     4   no engine, or the engine failed
    │   ├── EngineMissing               4   none is installed or reachable
    │   ├── EngineDied                  4   it ended while it was at work
    │   ├── EngineRefused               4   it said no: context too small, type unknown
    │   └── NotQuiet                    4   --strict, and the machine did not become quiet
    └── Interrupted                   130   Ctrl-C

An error is a message id with values; the sentence is made where a person reads it, in the
person's language (`words`). `str(error)` gives the English one.
"""

from __future__ import annotations

from typing import ClassVar

from tokenroof import words


class TokenroofError(Exception):
    """The root of the tree.

    Args:
        message: id of a sentence in the message catalogue, such as ``"gguf.truncated"``.
        values: what the sentence's placeholders stand for.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(message, values)
        self.message = message
        self.values = values

    def text(self, language: str = "en") -> str:
        """The sentence, in the language asked for."""
        return words.text(self.message, language, **self.values)

    def __str__(self) -> str:
        return self.text()


class AnswerIsNo(TokenroofError):
    """The command worked and its answer is "no"."""

    exit_code = 1


class UsageError(TokenroofError):
    """The command cannot mean anything as it is written."""

    exit_code = 2


class AmbiguousName(UsageError):
    """A name that could mean several things. `values["candidates"]` names them."""


class InputError(TokenroofError):
    """Something that was given cannot be used."""

    exit_code = 3


class GGUFError(InputError):
    """A model file that cannot be read as one."""


class ModelError(InputError):
    """A header that reads well but contradicts itself."""


class NotFound(InputError):
    """Nothing bears that name."""


class RecordError(InputError):
    """A runs file that cannot be read as one."""


class OutputError(InputError):
    """A place that cannot be written to: disk full, read-only, not a folder."""


class EngineError(TokenroofError):
    """An engine is needed, and it is missing or failed."""

    exit_code = 4


class EngineMissing(EngineError):
    """No engine is installed or reachable."""


class EngineDied(EngineError):
    """The engine ended while it was at work."""


class EngineRefused(EngineError):
    """The engine said no."""


class NotQuiet(EngineError):
    """The machine did not become quiet, and `--strict` was asked for."""


class Interrupted(TokenroofError):
    """The person stopped it."""

    exit_code = 130
