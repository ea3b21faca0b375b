"""Runs a program that must not outlive the process that started it.

    python -m tokenroof.engines.keeper PROGRAM ARGUMENT...

Someone else's program does not end when its parent does: after a kill it would keep its memory and
its threads, and disturb every measurement that follows. The keeper stands between: it starts the
program and kills it as soon as its own standard input ends, which it does however the parent ends.
It ends as the program ended, by the same signal or with the same code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

CANNOT_START = 127
"""The exit code that shells use where a program cannot be started."""


def main(command: list[str]) -> int:
    """Run a program until it ends or standard input does; its exit code."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as problem:
        print(problem, file=sys.stderr)  # noqa: T201 - the parent reads it as the last words
        return CANNOT_START
    threading.Thread(target=_kill_when_input_ends, args=(process,), daemon=True).start()
    code = process.wait()
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no other way to be handled
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _kill_when_input_ends(process: subprocess.Popen[bytes]) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    process.kill()


if __name__ == "__main__":
    # Not `sys.exit`: the thread may hold standard input, which an orderly end would wait for.
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)
