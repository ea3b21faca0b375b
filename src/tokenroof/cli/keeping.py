"""What is kept of a campaign that is stopped, and the command that goes on with it.

It is said twice: when the campaign begins, for whoever finds it killed, and on Ctrl-C. A program
that is asked to end (`timeout`, a service manager, a window that closes) ends as by Ctrl-C.
"""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tokenroof.cli.invocation import PROGRAM
from tokenroof.errors import Interrupted


@dataclass(frozen=True, slots=True)
class Way:
    """A command that goes on with what was stopped, or shows what there is of it.

    Attributes:
        beginning: id of the sentence before it, said when the campaign begins.
        end: id of the sentence around it, said when it is stopped.
    """

    command: str
    beginning: str
    end: str


def _going_on(command: str) -> Way:
    return Way(command, "cli.kept_goes_on", "cli.stopped_goes_on")


def _showing(command: str) -> Way:
    return Way(command, "cli.kept_shows", "cli.stopped_shows")


@dataclass
class Kept:
    """The runs that are kept so far.

    Attributes:
        way: the command for these campaigns, and whether the last of them has finished.
        runs: how many runs each campaign has.
        latest: the one that is measured now, and whether it has `finished`.
        said: the command that was said last.
    """

    way: Callable[[Sequence[str], bool], Way]
    runs: dict[str, int] = field(default_factory=dict)
    latest: str = ""
    finished: bool = False
    said: Way | None = None

    def begun(self, campaign: str, runs_before: int) -> Way | None:
        """A campaign begins or goes on; the command to be said, where it is a new one."""
        self.runs[campaign] = runs_before
        self.latest = campaign
        self.finished = False
        way = self.now()
        if way == self.said:
            return None
        self.said = way
        return way

    def one_more(self) -> None:
        """A run of the latest campaign is kept."""
        self.runs[self.latest] = self.runs.get(self.latest, 0) + 1

    def now(self) -> Way:
        """The command as things stand."""
        return self.way(list(self.runs), self.finished)


def of_campaign(verb: str) -> Kept:
    """One campaign, with which this verb goes on; a report shows it once it has finished."""

    def way(campaigns: Sequence[str], finished: bool) -> Way:
        if finished:
            return _showing(f"{PROGRAM} report {campaigns[-1]}")
        return _going_on(f"{PROGRAM} {verb} --resume {campaigns[-1]}")

    return Kept(way)


def of_file(path: str) -> Kept:
    """The campaigns of a file, which goes on where it stopped when it is given again."""
    command = f"{PROGRAM} bench --campaign {shlex.quote(path)}"
    return Kept(lambda _campaigns, _finished: _going_on(command))


def of_two() -> Kept:
    """Two conditions in turns. They cannot be gone on with, but compared as they are."""

    def way(campaigns: Sequence[str], _finished: bool) -> Way:
        verb = "report" if len(campaigns) == 1 else "compare"
        return _showing(shlex.join([PROGRAM, verb, *campaigns]))

    return Kept(way)


@contextmanager
def stoppable(kept: Kept) -> Iterator[None]:
    """Ctrl-C within the block says what is kept, once there is a campaign.

    Raises:
        Interrupted: instead of whatever Ctrl-C raised.
    """
    try:
        with _asked_to_end():
            yield
    except (KeyboardInterrupt, Interrupted):
        if not kept.runs:
            raise
        way = kept.now()
        runs = sum(kept.runs.values())
        raise Interrupted(way.end, runs=runs, command=way.command) from None


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Let a request to end interrupt the block as Ctrl-C does; whoever ignores one goes on to."""
    changed: list[int] = []

    def end(number: int, _frame: object) -> None:
        # The first one may come twice (`timeout` and `make` both send it), and must not interrupt
        # what it has begun.
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
                changed.append(number)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
