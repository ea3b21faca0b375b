"""Everything that `api.bench` would take from this machine, replaced: no engine, no waiting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.article_models import qwen3_8b
from support.fake_bench import FakeSensor
from support.fake_engine import FakeEngine
from support.gguf_files import write_gguf
from tokenroof.clock import FakeClock
from tokenroof.engines import registry
from tokenroof.gguf import Header
from tokenroof.hardware.bandwidth import LoopResult, ReadBandwidth
from tokenroof.hardware.machine import this_machine

READ_GB_PER_S = 256
"""What this machine's memory can be read at, in the fake world."""


def read_bandwidth() -> ReadBandwidth:
    best = READ_GB_PER_S * 1e9
    return ReadBandwidth(
        best_bytes_per_second=best,
        median_bytes_per_second=0.98 * best,
        lowest_bytes_per_second=0.9 * best,
        loop="or_int64",
        threads=2,
        buffer_bytes=2**28,
        cache_bytes=None,
        loops=(LoopResult(name="or_int64", bytes_per_second=(best,)),),
    )


def enter(patch: pytest.MonkeyPatch, data: Path) -> FakeEngine:
    """Put the fakes in place; the engine that `pick` then gives."""
    engine = FakeEngine(clock=FakeClock())
    entry = registry.Entry("fake", lambda *_: engine, lambda: True, "pip install fake")
    patch.setattr(registry, "ENGINES", {"fake": lambda: entry})
    patch.setattr("tokenroof.api.benching.SystemClock", lambda: engine.clock)
    patch.setattr("tokenroof.api.setup.available_sensors", lambda *_, **__: [FakeSensor()])
    patch.setattr("tokenroof.api.setup.ContentionProbe", lambda: None)
    patch.setattr("tokenroof.api.setup.measure_read_bandwidth", read_bandwidth)
    with_free_memory(patch, 64 * 2**30)
    patch.setenv("TOKENROOF_DATA", str(data))
    return engine


def with_free_memory(patch: pytest.MonkeyPatch, free_bytes: int | None) -> None:
    """Let so much memory be free; None for a machine that does not tell."""
    machine = msgspec.structs.replace(this_machine(), memory_available_bytes=free_bytes)
    for module in ("benching", "planning"):
        patch.setattr(f"tokenroof.api.{module}.this_machine", lambda: machine)


def model_file(folder: Path, make: Callable[[], Header] = qwen3_8b, name: str = "m.gguf") -> Path:
    """The model of a header as a file; its data is a hole."""
    header = make()
    path = folder / name
    tensors = [(each.name, each.shape, each.type) for each in header.tensors]
    metadata: dict[str, Any] = dict(header.metadata)
    write_gguf(path, metadata, tensors)
    return path
