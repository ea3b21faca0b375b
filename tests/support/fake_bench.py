"""A campaign's surroundings without a machine: scripted sensors and probes on a fake clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.fake_engine import FakeEngine
from tokenroof.clock import FakeClock
from tokenroof.measure.bench import Bench
from tokenroof.measure.contention import ContentionProbe
from tokenroof.measure.plan import Plan, make_plan
from tokenroof.measure.sensors.base import Reading
from tokenroof.measure.surroundings import Surroundings
from tokenroof.records import RunModel
from tokenroof.store.journal import Journal

MODEL = RunModel(name="tiny", digest="d1", architecture="llama", weight_bytes=1e9)


@dataclass
class FakeSensor:
    """A processor that others use by `idle()` before a run and by `beside()` during one."""

    idle: Callable[[], float | None] = lambda: 0.0
    beside: Callable[[], float | None] = lambda: 0.0
    queued: Callable[[], int | None] = lambda: None
    name: str = "a fake CPU"
    looks: list[bool] = field(default_factory=list)

    def read(self, *, ours_running: bool) -> Reading:
        self.looks.append(ours_running)
        busy = self.beside() if ours_running else self.idle()
        return Reading(busy=busy, queued=self.queued() if ours_running else None)


def make_bench(
    folder: Path,
    engine: FakeEngine,
    sensor: FakeSensor | None = None,
    probes: Iterator[float] | None = None,
    **others: Any,
) -> Bench:
    clock = engine.clock
    probe = None if probes is None else ContentionProbe(lambda: next(probes))
    return Bench(
        engine=engine,
        model=MODEL,
        journal=Journal(folder),
        surroundings=Surroundings([sensor or FakeSensor()], clock, probe),
        clock=clock,
        **others,
    )


def small_plan(**others: Any) -> Plan:
    """Two lengths, a short answer, three rounds and no more."""
    chosen: dict[str, Any] = {
        "lengths": [400, 800],
        "output_tokens": 16,
        "max_rounds": 3,
        "budget_seconds": None,
    }
    return make_plan("m.gguf", "fake", **(chosen | others))


def fake() -> FakeEngine:
    return FakeEngine(clock=FakeClock())
