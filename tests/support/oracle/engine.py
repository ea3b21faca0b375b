"""Runs jobs in the embedded engine, in processes of its own that may abort."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PROBE = Path(__file__).with_name("probe.py")


def run(jobs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of the jobs, in their order; a job that ends the engine gives an error."""
    results: list[dict[str, Any]] = []
    while len(results) < len(jobs):
        left = jobs[len(results) :]
        process = subprocess.run(
            [sys.executable, str(_PROBE)],
            input="\n".join(json.dumps(job) for job in left) + "\n",
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        answered = [
            json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")
        ]  # an abort may print a backtrace there
        results += answered
        if len(answered) < len(left):
            results.append({"error": f"the engine ended: {process.stderr[-300:]}"})
    return results
