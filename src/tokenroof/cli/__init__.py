"""The command line: one short module a verb, and `main(argv) -> exit code`.

Nothing heavier than click is imported before a verb runs, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tokenroof.cli import failure, streams
from tokenroof.cli.invocation import PROGRAM, Invocation, invoked

_COMPLETE = "_TOKENROOF_COMPLETE"
"""Set by a shell that wants to complete a command line, see `docs/cli.md`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit code; nothing is ever raised.

    Args:
        argv: the arguments without the program's name; those of this process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.prepare()
    call = invoked(arguments)
    try:
        code = _run(arguments, call)
        sys.stdout.flush()
    except BaseException as error:
        return failure.tell(error, call.screen)
    return code


def _run(arguments: list[str], call: Invocation) -> int:
    from click.exceptions import Exit

    from tokenroof.cli.root import command

    root = command(call.screen)
    if _COMPLETE in os.environ:
        from tokenroof.cli import shells

        shells.register()
        root.main(arguments, prog_name=PROGRAM, complete_var=_COMPLETE)
    # Not `root.main`: it keeps a closed pipe and Ctrl-C to itself.
    try:
        with root.make_context(PROGRAM, arguments, obj=call) as context:
            result = root.invoke(context)
    except Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0
