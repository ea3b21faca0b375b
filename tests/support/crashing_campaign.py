"""A campaign in a process of its own that kills itself at a chosen moment, as `kill -9` would.

    python crashing_campaign.py FOLDER MOMENT N

MOMENT is "start" (the N-th run has begun), "journal" (it is in the journal, in no other place), or
"torn" (half of its line is on the disk).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from support.fake_bench import fake, make_bench, small_plan
from tokenroof.measure.campaign import run_campaign
from tokenroof.measure.observer import Progress, SilentObserver
from tokenroof.measure.plan import Unit
from tokenroof.records import Run
from tokenroof.store.journal import RunsFile


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DiesAtStart(SilentObserver):
    def __init__(self, n: int) -> None:
        self.left = n

    def run_started(self, unit: Unit, progress: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            die()


class DiesBeforeCopying(RunsFile):
    left = 0

    def append(self, run: Run) -> None:
        self.left -= 1
        if self.left == 0:
            die()
        super().append(run)


def tear_the_journals_line(n: int) -> None:
    """Half of the n-th line that goes to the journal is written, and no more."""
    real = os.write
    seen = [0]

    def half(handle: int, data: bytes) -> int:
        name = Path(f"/proc/self/fd/{handle}").readlink().name
        seen[0] += name == "runs.jsonl"
        if name == "runs.jsonl" and seen[0] == n:
            real(handle, data[: len(data) // 2])
            die()
        return real(handle, data)

    setattr(os, "write", half)  # noqa: B010 - its type is wider


def main(folder: Path, moment: str, n: int) -> None:
    copy = DiesBeforeCopying(folder / "copy.jsonl")
    observer = DiesAtStart(n if moment == "start" else 0)
    if moment == "journal":
        copy.left = n
    if moment == "torn":
        tear_the_journals_line(n)
    run_campaign(small_plan(), make_bench(folder, fake(), sinks=[copy], observer=observer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
