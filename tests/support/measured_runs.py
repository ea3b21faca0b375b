"""Runs as a campaign would record them, with the times that a test wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenroof.analysis import CacheCost, StatedCosts
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Settings, Workload

COST = StatedCosts(
    name="model",
    is_moe=False,
    decode_weight_bytes=1e9,
    caches=(CacheCost(bytes_per_token=1e5),),
    source="made up for a test",
)
"""1 GB of weights, and 0.1 MB of cache for each token: 10,000 tokens double the read."""


def run(number: int = 0, **changes: Any) -> Run:
    """One run of 1,000 tokens in 1 s and 10 steps in 0.1 s; `changes` are fields of `Run`."""
    fields: dict[str, Any] = {
        "id": f"run-{number}",
        "started": f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}.000Z",
        "source": "bench",
        "model": RunModel(name="model"),
        "engine": RunEngine(name="engine", version="1"),
        "settings": Settings(context=4096),
        "workload": Workload(prompt_target=1000, output_target=10),
        "prompt": Prompt(tokens=1000, cached=0, seconds=1.0),
        "output": Output(tokens=10, steps=10, seconds=0.1),
    }
    return Run(**{**fields, **changes})


def timed(
    seconds_per_token: Sequence[float],
    tokens: int = 1000,
    *,
    first: int = 0,
    prefill_seconds: float = 1.0,
    **changes: Any,
) -> list[Run]:
    """Runs of one length whose decode steps take so long, 10 steps each."""
    return [
        run(
            first + place,
            workload=Workload(prompt_target=tokens, output_target=10),
            prompt=Prompt(tokens=tokens, cached=0, seconds=prefill_seconds),
            output=Output(tokens=10, steps=10, seconds=10 * each),
            **changes,
        )
        for place, each in enumerate(seconds_per_token)
    ]
