"""Standard output for results, standard error for everything else, whatever they can encode."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from tokenroof.safetext import has_controls


class _Closed(io.TextIOBase):
    """Standard output that was closed before this process began."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def fileno(self) -> int:
        return 1


def prepare() -> None:
    """Let a character that a stream cannot encode become a question mark, never a failure.

    A stream that was closed from the start (`>&-`) is held by the null device, or the next file
    that is opened would take its number, and a child process would write its words into it.
    """
    held = os.open(os.devnull, os.O_RDWR)
    while held <= 2:
        held = os.dup(held)
    os.close(held)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def write_json(document: dict[str, Any]) -> None:
    """One JSON document, alone on standard output.

    Characters that act on a terminal are written as JSON's own escapes: it is the same document.
    """
    import msgspec

    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-")
    plain = encoding not in {"utf-8", "utf8"}
    # Indented in a second pass: the standard library's own way takes a minute for 100,000 runs.
    text = json.dumps(document, ensure_ascii=plain, allow_nan=False)
    sys.stdout.write(_inert(msgspec.json.format(text, indent=2)) + "\n")


def _inert(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        json.dumps(each)[1:-1] if each != "\n" and has_controls(each) else each for each in text
    )


def write(text: str) -> None:
    """A text on standard output as it is."""
    sys.stdout.write(text)


def say(sentence: str) -> None:
    """One sentence on standard error."""
    sys.stderr.write(sentence + "\n")


def silence_output() -> None:
    """Send what is still buffered nowhere: whoever read standard output has gone."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output)
    os.close(nowhere)
