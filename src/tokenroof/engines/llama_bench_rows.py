"""What llama-bench prints, and what its rows become.

Rows are read by name: columns come and go with the builds. Samples are nanoseconds; the averages
and deviations beside them are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenroof.engines.base import Condition, Reply
from tokenroof.records import Settings
from tokenroof.safetext import printable

_NOT_KEPT = re.compile(r"samples_|avg_|stddev_|model_filename")
"""Of a row: samples become runs, averages are made of them, and a path names a person's folders."""

_WHY_LINES = 3


@dataclass(frozen=True, slots=True)
class Test:
    """One test: the row that was printed, its samples in seconds, and what the process took."""

    row: dict[str, Any]
    samples: tuple[float, ...]
    wall_seconds: float


def row_of(line: bytes) -> dict[str, Any] | None:
    """A row of jsonl; None for what else a library prints to the same output."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and "n_prompt" in row else None


def samples_of(row: dict[str, Any]) -> tuple[float, ...]:
    """The samples in seconds; those that are no times are none."""
    samples = row.get("samples_ns")
    if not isinstance(samples, list):
        return ()
    return tuple(ns / 1e9 for ns in samples if isinstance(ns, int) and ns > 0)


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


def settings_of(row: dict[str, Any]) -> Settings:
    """The settings that the row names. -1 stands for what the library chooses."""
    flash = row.get("flash_attn")
    layers = row.get("n_gpu_layers")
    if row.get("fit_target") or row.get("fit_min_ctx"):
        layers = None  # fitting replaces them, and the row keeps those that were asked for
    return Settings(
        kv_type_k=_text(row.get("type_k")),
        kv_type_v=_text(row.get("type_v")),
        flash_attention=bool(flash) if flash in (0, 1) else None,
        gpu_layers=_count(layers),
        threads=_count(row.get("n_threads")),
        batch=_count(row.get("n_batch")),
        ubatch=_count(row.get("n_ubatch")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def last_words(log: Sequence[str]) -> str:
    """The last lines of its log that say something, on one line."""
    lines = [line.strip() for line in log if line.strip()]
    said = [line for line in lines if not line.startswith("llama-bench: benchmark ")]
    return printable(" / ".join(said[-_WHY_LINES:]) or "-", 300)
