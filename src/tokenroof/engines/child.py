"""A program in a process of its own that is spoken to in JSON, one object a line.

An engine may crash, hang or be killed without taking the measurement with it: whatever happens to
the child becomes an `EngineDied` that says how it ended. Nobody ever waits without a limit, in
neither direction, and the child cannot outlive its parent: it ends when its standard input does.
"""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tokenroof import units
from tokenroof.errors import EngineDied
from tokenroof.safetext import printable

# An answer is at most a few hundred kilobytes (one number a token); what is longer is no answer.
_LINE_LIMIT_BYTES = 64 * 2**20
_LOG_LINES = 40
_GRACE_SECONDS = 5.0
_SHOWN_CHARACTERS = 300


class Child:
    """One child process. Its errors name the engine that it works for.

    `listen` hears every line of its log, on the thread that reads them.
    """

    def __init__(
        self,
        engine: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        listen: Callable[[str], object] | None = None,
    ) -> None:
        self.engine = engine
        self._listen = listen
        self._process = subprocess.Popen(
            list(command),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ctrl-C is the parent's to handle: it may want to finish the run that is under way.
            start_new_session=sys.platform != "win32",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_log, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Any], deadline_seconds: float) -> None:
        """Write one message.

        Raises:
            EngineDied: it is gone, or it did not take the message within the deadline.
        """
        line = json.dumps(message).encode("ascii") + b"\n"
        # A child that was stopped reads nothing, and a long prompt does not fit into the pipe.
        writer = threading.Thread(target=self._write, args=(line,), daemon=True)
        writer.start()
        writer.join(deadline_seconds)
        if writer.is_alive():
            raise self.silence(deadline_seconds)

    def receive(self, deadline_seconds: float) -> bytes:
        """Wait for the next line.

        Raises:
            EngineDied: it is gone, was silent for so long, or its line has no end.
        """
        line = self.next_line(deadline_seconds)
        if line is None:
            raise self.death()
        return line

    def next_line(self, deadline_seconds: float) -> bytes | None:
        """Wait for the next line; None where there are no more, however it ended.

        Raises:
            EngineDied: it was silent for so long, or its line has no end.
        """
        try:
            line = self._answers.get(timeout=deadline_seconds)
        except queue.Empty:
            raise self.silence(deadline_seconds) from None
        if line is not None and len(line) >= _LINE_LIMIT_BYTES:
            raise self.babble(line)
        # A last line without its end was cut off by the death of the child.
        return line if line is not None and line.endswith(b"\n") else None

    def babble(self, line: bytes) -> EngineDied:
        """The error for a line that is no message; the child is ended."""
        self.kill()
        shown = printable(line[:_SHOWN_CHARACTERS].decode("utf-8", "replace").strip(), 80)
        return EngineDied("engines.babble", engine=self.engine, line=shown)

    def close(self) -> None:
        """Let it end by itself, and end it if it does not. Safe to call twice."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End it at once. Safe to call twice."""
        self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(_GRACE_SECONDS)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()

    def last_line(self) -> str:
        """The last line that it wrote to its log, fit to be shown; a dash if there is none."""
        lines = (line for line in reversed(self.log) if line.strip())
        return printable(next(lines, "-").strip(), _SHOWN_CHARACTERS)

    @property
    def log(self) -> tuple[str, ...]:
        """The last lines of its log, as it wrote them."""
        return tuple(self._log.copy())

    def exit_code(self) -> int | None:
        """How it ended, which it is about to; None where it does not end.

        Its log is complete then.
        """
        until = time.monotonic() + _GRACE_SECONDS
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_SECONDS)
        self._readers[1].join(max(0.0, until - time.monotonic()))
        return self._process.poll()

    def death(self) -> EngineDied:
        """The error for one whose output ended, so that it is dead or about to be."""
        code = self.exit_code()
        self.kill()
        if code == -getattr(signal, "SIGKILL", 9):
            return EngineDied("engines.killed", engine=self.engine)
        return EngineDied(
            "engines.died", engine=self.engine, reason=_reason(code), last=self.last_line()
        )

    def silence(self, deadline_seconds: float) -> EngineDied:
        """The error for one that said nothing for so long; the child is ended."""
        self.kill()
        return EngineDied(
            "engines.silent", engine=self.engine, duration=units.duration(deadline_seconds)
        )

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        # Whether it is gone, `receive` finds out, and also why.
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream, contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_LINE_LIMIT_BYTES):
                self._answers.put(line)
        self._answers.put(None)

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream, contextlib.suppress(OSError, ValueError):
            while line := stream.readline(4096):
                text = line.decode("utf-8", "replace")
                self._log.append(text)
                if self._listen is not None:
                    self._listen(text)


def _reason(code: int | None) -> str:
    """How a process ended: the name of the signal, or its exit code."""
    if code is None:
        return "?"
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    # Windows reports crashes as NTSTATUS codes, which are known by their hexadecimal form.
    return f"exit {code:#010x}" if code > 0xFFFF else f"exit {code}"
