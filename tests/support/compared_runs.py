"""Runs of one condition whose times are spread as a seed says."""

from __future__ import annotations

import random
from typing import Any

from tokenroof.records import (
    Output,
    Prompt,
    Run,
    RunEngine,
    RunModel,
    Settings,
    Workload,
)

LENGTHS = (512, 2048, 8192, 16384)


def runs(
    seed: int,
    count: int = 12,
    factor: float = 1.0,
    lengths: tuple[int, ...] = LENGTHS,
    spread: float = 0.005,
    **changes: Any,
) -> list[Run]:
    """So many runs a length: prefill at about 2,000 tokens a second, decode at about 50."""
    random_ = random.Random(seed)
    found = []
    for number in range(count):
        for tokens in lengths:

            def took(seconds: float) -> float:
                return seconds * factor * random_.lognormvariate(0, spread)

            fields: dict[str, Any] = {
                "id": f"{seed}-{number}-{tokens}",
                "started": f"2026-11-01T10:{number:02d}:00.000Z",
                "source": "bench",
                "model": RunModel(name="qwen3-8b", file_type="Q4_K_M"),
                "engine": RunEngine(name="llama-server", version="b5100"),
                "settings": Settings(context=20000, threads=8),
                "workload": Workload(prompt_target=tokens, output_target=128),
                "prompt": Prompt(tokens=tokens, cached=0, seconds=took(tokens / 2000)),
                "output": Output(tokens=128, steps=127, seconds=took(127 * 0.02)),
            }
            found.append(Run(**{**fields, **changes}))
    return found
