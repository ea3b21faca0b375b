"""What llama-bench prints, and what our own tests of it become.

What a row says is read as `importing.llama_bench_rows` reads those of other people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenroof.engines.base import Condition, Reply
from tokenroof.safetext import printable

_NOT_KEPT = re.compile(r"samples_|avg_|stddev_|model_filename")
"""Of a row: samples become runs, averages are made of them, and a path names a person's folders."""

_WHY_LINES = 3


@dataclass(frozen=True, slots=True)
class Test:
    """One test: the row that was printed, its samples in seconds, and what the process took."""

    row: dict[str, Any]
    samples: Sequence[float]
    wall_seconds: float


def row_of(line: bytes) -> dict[str, Any] | None:
    """A row of jsonl; None for what else a library prints to the same output."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and "n_prompt" in row else None


def replies_of(condition: Condition, prefill: Test, decode: Test | None) -> tuple[Reply, ...]:
    """One reply a sample. The process's time is shared out, since samples share its load."""
    tests = [prefill] if decode is None else [prefill, decode]
    count = max(len(test.samples) for test in tests)
    wall = sum(test.wall_seconds for test in tests) / count
    rows = [
        {key: value for key, value in test.row.items() if not _NOT_KEPT.match(key)}
        for test in tests
    ]
    return tuple(
        Reply(
            prompt_tokens=condition.prompt_tokens,
            prompt_cached=0,
            prompt_seconds=_at(prefill, index),
            output_tokens=condition.output_tokens if _at(decode, index) else None,
            output_steps=condition.output_tokens if _at(decode, index) else None,
            output_seconds=_at(decode, index),
            wall_seconds=wall,
            raw={"llama_bench": rows, "sample": index + 1, "samples": count},
        )
        for index in range(count)
    )


def _at(test: Test | None, index: int) -> float | None:
    return test.samples[index] if test is not None and index < len(test.samples) else None


def last_words(log: Sequence[str]) -> str:
    """The last lines of its log that say something, on one line."""
    lines = [line.strip() for line in log if line.strip()]
    said = [line for line in lines if not line.startswith("llama-bench: benchmark ")]
    return printable(" / ".join(said[-_WHY_LINES:]) or "-", 300)
