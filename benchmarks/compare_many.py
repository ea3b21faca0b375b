"""How long it takes to compare 100,000 imported runs, and how much memory.

    python benchmarks/compare_many.py [--runs 100000] [--rounds 5]

Two files hold half of the runs each: 25 models at four lengths and both phases, imported from
llama-bench's samples. A process of its own reads and compares them; what is timed is the whole
call, reading included, without the start of Python. Memory is the peak of that process. One JSON
line.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tokenroof.importing import import_stream

MODELS, LENGTHS = 25, (512, 2048, 8192, 16384)
MOST_SECONDS, MOST_BYTES = 3.0, 300 * 10**6

# VmHWM belongs to the process itself, where ru_maxrss starts with the memory of its parent.
CHILD = """
import json, sys, time
from tokenroof import compare
start = time.perf_counter()
found = compare(sys.argv[1], sys.argv[2])
seconds = time.perf_counter() - start
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
print(json.dumps([seconds, peak, len(found.cells), found.a.runs + found.b.runs]))
"""


def rows(count: int, seed: int) -> str:
    """llama-bench rows with so many samples in all."""
    noise = random.Random(seed)
    tests = [
        (model, prompt, output, depth)
        for model in range(MODELS)
        for length in LENGTHS
        for prompt, output, depth in ((length, 0, 0), (0, 128, length))
    ]
    samples = count // len(tests)
    lines = []
    for model, prompt, output, depth in tests:
        seconds = prompt / 2000 + output * 0.02
        row = {
            "build_commit": "8cf427ff",
            "build_number": 5163,
            "model_type": f"qwen3 {model + 1}B Q4_K - Medium",
            "backends": "CPU",
            "n_threads": 8,
            "type_k": "f16",
            "type_v": "f16",
            "n_prompt": prompt,
            "n_gen": output,
            "n_depth": depth,
            "samples_ns": [
                round(seconds * noise.lognormvariate(0, 0.02) * 1e9) for _ in range(samples)
            ],
        }
        lines.append(json.dumps(row))
    return "\n".join(lines) + "\n"


def written(folder: Path, name: str, count: int, seed: int) -> Path:
    """A runs file with so many imported runs."""
    imported = import_stream(io.BytesIO(rows(count, seed).encode()))
    path = folder / name
    path.write_bytes(b"".join(msgspec.json.encode(run) + b"\n" for run in imported.runs))
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        sides = [str(written(Path(name), f"{n}.jsonl", asked.runs // 2, n)) for n in (1, 2)]
        results = []
        for _ in range(asked.rounds):
            done = subprocess.run(
                [sys.executable, "-c", CHILD, *sides], capture_output=True, text=True, check=True
            )
            results.append(json.loads(done.stdout))
    seconds, peak = min(each[0] for each in results), max(each[1] for each in results)
    result = {
        "benchmark": "compare_many",
        "rounds": asked.rounds,
        "runs": results[0][3],
        "cells": results[0][2],
        "seconds": round(seconds, 3),
        "peak_bytes": peak,
        "limit_seconds": MOST_SECONDS,
        "limit_bytes": MOST_BYTES,
        "met": seconds < MOST_SECONDS and peak < MOST_BYTES,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
