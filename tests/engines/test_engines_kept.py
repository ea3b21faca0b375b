"""A program that we started never outlives us, however we or it end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tokenroof.engines.kept import KEEPER, Kept

LIMIT_SECONDS = 120.0


def program(script: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", f"import os, sys, time\n{script}")


SLEEPER = program("print(os.getpid(), flush=True); time.sleep(600)")


def until(holds: Callable[[], bool]) -> bool:
    """Whether something becomes true before the limit."""
    end = time.monotonic() + LIMIT_SECONDS
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.parametrize("how", ["close", "kill"])
def test_the_program_ends_with_its_keeper(how: str) -> None:
    kept = Kept("test", SLEEPER)
    pid = int(kept.receive(LIMIT_SECONDS))
    assert pid != kept.pid
    assert not gone(pid)
    getattr(kept, how)()
    assert not kept.alive
    assert until(lambda: gone(pid))
    getattr(kept, how)()


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "raise SystemExit"])
@pytest.mark.skipif(sys.platform == "win32", reason="kills by POSIX signal")
def test_the_program_ends_when_its_parent_does_however_that_ends(end: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tokenroof.engines.kept import Kept\n"
        f"kept = Kept('test', {SLEEPER!r})\n"
        f"Path({str(note)!r}).write_bytes(kept.receive(120.0))\n"
        f"{end}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False, timeout=300)
    pid = int(note.read_text())
    assert until(lambda: gone(pid))


def test_it_ends_as_the_program_ends_and_keeps_its_last_words() -> None:
    kept = Kept("test", program("print('out', flush=True); os.write(2, b'why\\n'); sys.exit(3)"))
    assert kept.next_line(LIMIT_SECONDS) == b"out\n"
    assert kept.next_line(LIMIT_SECONDS) is None
    assert kept.exit_code() == 3
    assert kept.last_line() == "why"
    kept.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_program_that_was_killed_is_told_from_one_that_ended() -> None:
    kept = Kept("test", program("os.kill(os.getpid(), 9)"))
    assert kept.next_line(LIMIT_SECONDS) is None
    assert kept.death().message == "engines.killed"
    kept = Kept("test", program("os.abort()"))
    assert kept.next_line(LIMIT_SECONDS) is None
    assert kept.death().values["reason"] == "SIGABRT"


def test_a_program_that_cannot_be_started_says_why() -> None:
    kept = Kept("test", ["/no/such/program"])
    assert kept.next_line(LIMIT_SECONDS) is None
    assert kept.exit_code() == 127
    assert "/no/such/program" in kept.last_line()
    kept.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_in_the_terminal_is_ours_to_handle() -> None:
    kept = Kept("test", SLEEPER)
    pid = int(kept.receive(LIMIT_SECONDS))
    # What a terminal does on Ctrl-C: a signal to everything in our process group.
    assert os.getpgid(kept.pid) != os.getpgid(0)
    assert os.getpgid(pid) == os.getpgid(kept.pid)
    kept.close()


def test_the_keeper_is_light() -> None:
    # It stands beside every run that is measured.
    code = "import sys, tokenroof.engines.keeper; print(*sys.modules)"
    done = subprocess.run(
        [KEEPER[0], "-P", "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert not {"msgspec", "psutil", "numpy", "json"} & set(done.stdout.split())
