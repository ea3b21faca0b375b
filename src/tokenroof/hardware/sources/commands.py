"""Programs of the system, run for what they print."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence

Run = Callable[[Sequence[str]], str]
"""Runs a program and gives its standard output; empty where there is none."""

LIMIT_SECONDS = 20.0


def output(command: Sequence[str]) -> str:
    """What a program prints; empty where it is missing, fails to start or does not end."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace")
