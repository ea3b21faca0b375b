"""What the set-up scripts say: plain sentences, and one live line while something long runs."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_STEP = re.compile(r"\[\s*(\d+)/(\d+)\]|\[\s*(\d+)%\]")
_TICK_SECONDS = 1.0
_LINE_EVERY_SECONDS = 30.0


class SetupError(Exception):
    """The set-up cannot go on; its text is one sentence with the way out."""


def say(sentence: str) -> None:
    """Print one sentence at once, so that it is read before the long work that it announces."""
    print(sentence, flush=True)


def span(seconds: float) -> str:
    """A span as minutes and seconds: ``3:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    """One line that is redrawn on a terminal, or a line every 30 s where nobody redraws."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.live = sys.stdout.isatty()
        self.started = time.monotonic()
        self.printed = self.started
        self.done = 0
        self.total = 0

    def read(self, line: str) -> None:
        """Take ``[n/m]`` of ninja, or ``[ n%]`` of make, from a line of the build's output."""
        found = _STEP.search(line)
        if found is None:
            return
        if found[3] is not None:
            self.done, self.total = int(found[3]), 100
        else:
            self.done, self.total = int(found[1]), int(found[2])

    def text(self, elapsed: float) -> str:
        """The line: what, how far, how long it took and how long it may still take."""
        line = f"  {self.what}: {span(elapsed)}"
        if self.total > 1:
            line += f", {self.done} of {self.total} steps"
            if 0 < self.done < self.total:
                line += f", about {span(elapsed / self.done * (self.total - self.done))} to go"
        return line

    def tick(self) -> None:
        """Show it again, if it is time to."""
        now = time.monotonic()
        if self.live:
            print("\r\x1b[2K" + self.text(now - self.started), end="", flush=True)
        elif now - self.printed >= _LINE_EVERY_SECONDS:
            say(self.text(now - self.started))
            self.printed = now

    def end(self) -> None:
        """Leave the line as it is."""
        if self.live:
            print("\r\x1b[2K" + self.text(time.monotonic() - self.started), flush=True)


def run(
    command: Sequence[str],
    log: Path,
    what: str,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> None:
    """Run a long command: its output goes to a log file, how far it is to the screen.

    Raises:
        SetupError: it failed; the sentence names the log and quotes its last lines.
    """
    progress = Progress(what)
    with log.open("a", encoding="utf-8", errors="replace") as written:
        written.write(f"\n$ {' '.join(command)}\n")
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=env,
            cwd=cwd,
            # A group of its own: a build that is stopped must take its compilers with it.
            start_new_session=True,
        ) as process:
            try:
                tail = _follow(process, progress, written.write)
            except BaseException:
                _stop(process)
                raise
        progress.end()
        if process.returncode != 0:
            last = "".join(f"    {line}" for line in tail[-12:])
            message = f"{what} failed; the whole output is in {log}. Its last lines:\n{last}"
            raise SetupError(message.rstrip())


def _stop(process: subprocess.Popen[str]) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        os.killpg(process.pid, signal.SIGTERM)


def _follow(
    process: subprocess.Popen[str], progress: Progress, write: Callable[[str], int]
) -> list[str]:
    """Read the output to its end; the screen lives even while nothing is printed."""
    assert process.stdout is not None
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    stream = process.stdout

    def read() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    tail: list[str] = []
    while True:
        progress.tick()
        try:
            line = lines.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            continue
        if line is None:
            process.wait()
            return tail
        write(line)
        progress.read(line)
        tail = [*tail[-20:], line]
