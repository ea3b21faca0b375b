"""How long `tokenroof --help` takes, against `python -c "import click"`.

    python benchmarks/help_start.py [--rounds 20]

Both run in turns, each in a process of its own; the ratio is of the fastest rounds, since whatever
else a machine does only ever makes a start slower. One JSON line.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

LIMIT = 2.5
"""What `--help` may take at most, in times of importing click."""

COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "import click": [sys.executable, "-c", "import click"],
    "tokenroof --help": [sys.executable, "-m", "tokenroof", "--help"],
}


def seconds(command: list[str]) -> float:
    """How long a process takes from start to end."""
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    best = {name: float("inf") for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], seconds(command))
    ratio = best["tokenroof --help"] / best["import click"]
    result = {
        "benchmark": "help_start",
        "rounds": rounds,
        "seconds": {name: round(value, 4) for name, value in best.items()},
        "ratio": round(ratio, 2),
        "limit": LIMIT,
        "met": ratio <= LIMIT,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
