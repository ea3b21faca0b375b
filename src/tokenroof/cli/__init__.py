"""The command line: one short module a verb, and `main(argv) -> exit code`.

Nothing heavier than click is imported before a verb runs, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tokenroof.cli import failure, language, streams

_NAME = "tokenroof"

_COMPLETE = "_TOKENROOF_COMPLETE"
"""Set by a shell that wants to complete a command line, see `docs/cli.md`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit code; nothing is ever raised.

    Args:
        argv: the arguments without the program's name; those of this process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.prepare()
    spoken = language.spoken(arguments)
    try:
        code = _run(arguments, spoken)
        sys.stdout.flush()
    except BaseException as error:
        return failure.tell(error, spoken.screen)
    return code


def entry_point() -> None:
    """What the installed command `tokenroof` calls."""
    sys.exit(main())


def _run(arguments: list[str], spoken: language.Spoken) -> int:
    from click.exceptions import Exit

    from tokenroof.cli.root import command

    root = command(spoken.screen)
    if _COMPLETE in os.environ:
        root.main(arguments, prog_name=_NAME, complete_var=_COMPLETE)
    # Not `root.main`: it keeps a closed pipe and Ctrl-C to itself.
    try:
        with root.make_context(_NAME, arguments, obj=spoken) as context:
            result = root.invoke(context)
    except Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0
