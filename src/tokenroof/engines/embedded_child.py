"""The child process of the embedded engine: takes orders on stdin, answers on stdout.

One JSON object a line. The C library prints what it likes: before it is loaded, standard output
is handed to the log, and the protocol goes on over a descriptor that only this module knows.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from tokenroof.engines.llama import Refusal, Session
from tokenroof.engines.llama_library import Library

_STEP_EVERY_SECONDS = 0.25


class Channel:
    """The way back to the parent."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._stream = os.fdopen(os.dup(1), "wb", buffering=0)
        # What C prints to standard output is log, not protocol.
        os.dup2(2, 1)
        self._next_step = 0.0

    def say(self, what: str, **values: Any) -> None:
        """Send one message."""
        line = json.dumps({"say": what, **values}).encode("ascii") + b"\n"
        view = memoryview(line)
        while view:
            view = view[self._stream.write(view) :]

    def step(self, phase: str, done: int, total: int) -> None:
        """Tell how far a run is, a few times a second at most."""
        now = time.monotonic()
        if now >= self._next_step:
            self._next_step = now + _STEP_EVERY_SECONDS
            self.say("step", phase=phase, done=done, total=total)


def _orders() -> queue.SimpleQueue[dict[str, Any]]:
    """Orders as they come. When no more can come, this process ends, whatever it is doing."""
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    stream = sys.stdin.buffer

    def read() -> None:
        try:
            for line in stream:
                orders.put(json.loads(line))
        finally:
            # The parent is gone or has closed: never an orphan, not even amid a long decode.
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return orders


def _load(library: Library, channel: Channel, order: dict[str, Any]) -> Session:
    begin = time.perf_counter()
    session = Session(library, **order)
    seconds = time.perf_counter() - begin
    channel.say("loaded", seconds=round(seconds, 9), settings=session.settings, place=session.place)
    return session


def opened(channel: Channel) -> Library | None:
    """The engine's library; None where it is missing, which the parent has been told."""
    try:
        return Library()
    except (ImportError, OSError, RuntimeError) as error:
        # RuntimeError: what llama-cpp-python raises where the shared library is missing or bad.
        channel.say("missing", why=str(error))
        return None


def main() -> None:
    """Serve one parent until it closes."""
    channel = Channel()
    library = opened(channel)
    if library is None:
        return
    channel.say("hello", **library.facts())
    orders = _orders()
    session: Session | None = None
    while True:
        order = orders.get()
        try:
            match order.pop("do"):
                case "load":
                    session = _load(library, channel, order)
                case "count":
                    assert session is not None
                    channel.say("counted", tokens=len(session.tokenise(order["text"])))
                case "threads":
                    assert session is not None
                    settings = session.set_threads(**order)
                    channel.say("loaded", seconds=0.0, settings=settings, place=session.place)
                case "run":
                    assert session is not None
                    channel.say("ran", **session.run(**order, step=channel.step))
        except Refusal as refusal:
            channel.say("refused", message=refusal.message, values=refusal.values)


def run(serve: Callable[[], None]) -> NoReturn:
    """Be the process of a child: serve, and end."""
    code = 0
    try:
        serve()
    except BaseException:
        traceback.print_exc()
        code = 70
    # Not by way of the interpreter's shutdown, which aborts while a thread waits for stdin.
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run(main)
