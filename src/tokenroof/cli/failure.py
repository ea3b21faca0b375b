"""Whatever went wrong, as one plain sentence on standard error and the right exit code."""

from __future__ import annotations

import os
import traceback

import click

from tokenroof import words
from tokenroof.cli import streams, usage
from tokenroof.errors import InputError, Interrupted, OutputError, TokenroofError, UsageError

_DEBUG = "TOKENROOF_DEBUG"


def tell(error: BaseException, language: str) -> int:
    """Say what went wrong and return the exit code. `TOKENROOF_DEBUG=1` adds the traceback."""
    if os.environ.get(_DEBUG):
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):
        streams.silence_output()
        return 0
    try:
        return _tell(error, language)
    except OSError:
        # Standard error has gone too: there is nobody left to tell.
        return _code(error)


def _tell(error: BaseException, language: str) -> int:
    if isinstance(error, TokenroofError):
        streams.say(error.text(language))
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        streams.say(error.format_message())
    elif isinstance(error, click.ClickException):
        streams.say(usage.sentence(error, language))
    elif isinstance(error, (KeyboardInterrupt, click.Abort)):
        streams.say(words.text("cli.interrupted", language))
    elif isinstance(error, OSError):
        streams.silence_output()
        streams.say(_of_system(error, language))
    elif isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else InputError.exit_code
    else:
        kind, detail = type(error).__name__, str(error).partition("\n")[0]
        streams.say(words.text("cli.our_mistake", language, kind=kind, detail=detail, debug=_DEBUG))
    return _code(error)


def _code(error: BaseException) -> int:
    if isinstance(error, TokenroofError):
        return error.exit_code
    if isinstance(error, click.ClickException):
        return UsageError.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Interrupted.exit_code
    return OutputError.exit_code


def _of_system(error: OSError, language: str) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return words.text("cli.system", language, reason=reason)
    from tokenroof.safetext import printable

    place = printable(str(error.filename))
    return words.text("cli.system_at", language, reason=reason, place=place)
