# ruff: noqa: N802 - the library's own names
"""What a run takes of the machine: memory, energy, clocks and heat, by counters that are exact."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.fake_bench import FakeSensor, make_bench, small_plan
from support.fake_engine import FakeEngine, FakeSampler
from tokenroof.clock import FakeClock, SystemClock
from tokenroof.engines.base import Request, Step
from tokenroof.measure.campaign import run_campaign
from tokenroof.measure.sensors.base import Reading
from tokenroof.measure.sensors.climate import CpuClimate
from tokenroof.measure.sensors.energy import (
    Energy,
    EnergyMeter,
    NvmlCounter,
    energy_meter,
    rapl_counters,
)
from tokenroof.measure.sensors.memory import MemorySensor, resident_bytes
from tokenroof.measure.surroundings import Surroundings
from tokenroof.measure.watching import Watch
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Used


class Counted:
    """A counter that says what the test says."""

    def __init__(self, *values: float | None, name: str = "package") -> None:
        self.name = name
        self.values = list(values)

    def joules(self) -> float | None:
        return self.values.pop(0)


def domain(root: Path, folder: str, name: str, energy: int, largest: int = 1000) -> Path:
    """One domain of a powercap tree."""
    place = root / folder
    place.mkdir(parents=True)
    (place / "name").write_text(name + "\n")
    (place / "energy_uj").write_text(f"{energy}\n")
    (place / "max_energy_range_uj").write_text(f"{largest}\n")
    return place / "energy_uj"


def test_packages_and_memory_are_counted_and_nothing_twice(tmp_path: Path) -> None:
    # The cores are in their package; psys, the whole board, holds everything again.
    domain(tmp_path, "intel-rapl:0", "package-0", 0)
    domain(tmp_path, "intel-rapl:0:0", "core", 0)
    domain(tmp_path, "intel-rapl:0:1", "dram", 0)
    domain(tmp_path, "intel-rapl:1", "psys", 0)
    domain(tmp_path, "intel-rapl:2", "package-1", 0)
    (tmp_path / "intel-rapl").mkdir()
    names = [counter.name for counter in rapl_counters(tmp_path)]
    assert names == ["RAPL 0 package-0", "RAPL 0:1 dram", "RAPL 2 package-1"]


def test_a_register_that_begins_again_is_a_turn_and_not_a_fall(tmp_path: Path) -> None:
    file = domain(tmp_path, "intel-rapl:0", "package-0", 900_000, largest=1_000_000)
    (counter,) = rapl_counters(tmp_path)
    file.write_text("950000")
    assert counter.joules() == pytest.approx(0.05)
    file.write_text("50000")  # 100,000 further: 50,000 to the end of the range, 50,000 after it
    assert counter.joules() == pytest.approx(0.15)


def test_a_counter_that_may_not_be_read_is_none(tmp_path: Path) -> None:
    domain(tmp_path, "intel-rapl:0", "package-0", 0).write_text("")
    assert rapl_counters(tmp_path) == []
    assert rapl_counters(tmp_path / "none") == []
    nothing = energy_meter(tuple, powercap=tmp_path / "none", nvml=Library(energy=None)).begin()
    nothing.end()
    assert (nothing.joules, nothing.sources) == (None, ())


class NvmlError(Exception):
    pass


class Library:
    """GPUs whose energy is told in millijoules; process 11 is ours."""

    NVMLError = NvmlError

    def __init__(
        self, energy: int | None = 5_000, gpus: int = 1, pids: Sequence[int] = (11,)
    ) -> None:
        self.energy = energy
        self.gpus = gpus
        self.pids = pids

    def nvmlDeviceGetCount(self) -> int:
        return self.gpus

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, handle: int) -> str:
        return f"GPU {handle}"

    def nvmlDeviceGetTotalEnergyConsumption(self, handle: int) -> int:
        if self.energy is None:
            raise NvmlError
        return self.energy

    def nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[SimpleNamespace]:
        # All of them run on the last GPU.
        return [SimpleNamespace(pid=pid) for pid in self.pids] if handle == self.gpus - 1 else []


def sources(library: Library, *, on_gpu: bool | None = None, pids: Sequence[int] = (11,)) -> Any:
    meter = energy_meter(lambda: pids, on_gpu, Path("/nowhere"), library)
    return meter.begin().sources


def test_a_gpu_counts_where_the_engine_runs_on_it() -> None:
    assert sources(Library()) == ("GPU 0",)
    assert sources(Library(), on_gpu=False) == ()
    assert sources(Library(gpus=3)) == ("GPU 2",)
    # Of another namespace: one GPU must be the one, of three nobody knows.
    assert sources(Library(pids=(4711,))) == ("GPU 0",)
    assert sources(Library(gpus=3, pids=(4711,))) == ()


def test_millijoules_are_counted_from_the_first_reading() -> None:
    library = Library()
    counter = NvmlCounter(library, 0)
    assert counter.joules() == 0.0
    library.energy = 7_500
    assert counter.joules() == 2.5


def test_energy_is_parted_where_the_answer_begins() -> None:
    energy = Energy([Counted(1.0, 5.0, 11.0), Counted(0.5, 0.5, 1.5, name="dram")])
    energy.mark(1)
    energy.mark(2)  # only the first token parts the phases
    energy.end()
    assert energy.sources == ("package", "dram")
    assert (energy.prefill_joules, energy.decode_joules, energy.joules) == (4.0, 7.0, 11.0)
    assert energy.steps_before_mark == 1


def test_one_counter_that_fails_leaves_no_half_sum() -> None:
    energy = Energy([Counted(1.0, 5.0), Counted(0.5, None)])
    energy.end()
    assert energy.joules is None


class Ticking:
    """A counter that draws one joule a reading, whoever reads it."""

    name = "ticking"

    def __init__(self) -> None:
        self.read = 0
        self.inside = 0
        self.most_inside = 0

    def joules(self) -> float:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.read += 1
        self.inside -= 1
        return float(self.read)


def test_the_watch_reads_the_counters_so_often_that_no_turn_is_missed() -> None:
    counter = Ticking()
    polled = threading.Event()
    original = counter.joules

    def joules() -> float:
        if counter.read >= 3:
            polled.set()
        return original()

    counter.joules = joules  # type: ignore[method-assign]
    meter = EnergyMeter([counter])
    with Watch([FakeSensor()], SystemClock(), period_seconds=0.001, energy=meter) as watch:
        assert polled.wait(120)
        watch.told(Step(phase="prefill", done=1, total=2))
        watch.told(Step(phase="decode", done=1, total=2))
    assert watch.energy is not None
    assert watch.energy.steps_before_mark == 1
    assert watch.energy.decode_joules is not None
    assert watch.energy.joules is not None
    assert watch.energy.joules > watch.energy.decode_joules > 0


def surroundings(clock: FakeClock | Any, sensor: FakeSensor | None = None) -> Surroundings:
    meter = EnergyMeter([Drawing(clock)])
    return Surroundings([sensor or FakeSensor()], clock, None, meter)


class Drawing:
    """A device that draws 40 W by a clock."""

    name = "package"

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def joules(self) -> float:
        return 40.0 * self._clock.monotonic()


def campaign(tmp_path: Path, engine: FakeEngine) -> tuple[Run, ...]:
    bench = make_bench(tmp_path, engine)
    bench.surroundings = surroundings(engine.clock)
    return run_campaign(small_plan(lengths=[500]), bench).runs


class Starting(FakeEngine):
    """Tells of its first token, as every engine with text does."""

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Any:
        def tell(step: Step) -> None:
            # The fake engine tells of the answer's end; a real one of its beginning.
            if watch is not None and step.phase == "prefill":
                watch(step)
                watch(Step(phase="decode", done=1, total=request.output_tokens))

        return super().run(request, tell)


def test_joules_per_token_follow_from_what_each_phase_drew(tmp_path: Path) -> None:
    engine = Starting(clock=FakeClock())
    for run in campaign(tmp_path, engine):
        # 1,000 tokens/s and 50 steps/s at 40 W: 0.04 J a token read and 0.8 J a token written.
        assert run.prefill_joules_per_token == pytest.approx(0.04)
        assert run.decode_joules_per_token == pytest.approx(0.8)
        assert run.used.decode_energy_steps == 15
        assert run.used.energy_sources == ("package",)
        assert run.used.joules == pytest.approx(40 * (run.wall_seconds or 0))


def test_energy_and_memory_are_said_at_the_end(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, Starting(clock=FakeClock()), Holding())
    bench.surroundings = surroundings(bench.clock, Holding())
    result = run_campaign(small_plan(), bench)
    said = [(each.message, each.values) for each in result.notices]
    assert ("measure.memory", {"memory": "3.00 GiB"}) in said
    energy = [values for message, values in said if message == "measure.energy"]
    assert [each["length"] for each in energy] == ["400", "800"]
    assert {(each["written"], each["read"]) for each in energy} == {("0.800", "0.0400")}
    plain = run_campaign(small_plan(), make_bench(tmp_path / "b", Starting(clock=FakeClock())))
    messages = {each.message for each in plain.notices}
    assert not messages & {"measure.memory", "measure.energy", "measure.memory_and_vram"}


class Holding(FakeSensor):
    """A machine that tells what the engine holds."""

    def read(self, *, ours_running: bool) -> Reading:
        busy = super().read(ours_running=ours_running).busy
        return Reading(busy=busy, own_memory_bytes=3 * 2**30)


def test_an_engine_that_loads_within_the_run_has_no_energy_of_its_own(tmp_path: Path) -> None:
    for run in campaign(tmp_path, FakeSampler(clock=FakeClock())):
        assert run.used.joules is None
        assert run.decode_joules_per_token is None


def test_without_counters_everything_is_unknown_and_nothing_zero() -> None:
    run = Run(
        id="1",
        started=None,
        source="x",
        model=RunModel(name="m"),
        engine=RunEngine(name="e"),
        prompt=Prompt(tokens=10),
        output=Output(tokens=5, steps=4),
    )
    assert run.used == Used()
    assert run.decode_joules_per_token is None
    assert run.prefill_joules_per_token is None


def test_the_engines_memory_is_that_of_its_processes_and_their_children() -> None:
    sizes = {1: 100, 2: 50, 3: None}
    sensor = MemorySensor(lambda: [1, 2, 3], sizes.get)
    assert sensor.read(ours_running=True).own_memory_bytes == 150
    assert MemorySensor(lambda: [3], sizes.get).read(ours_running=True).own_memory_bytes is None
    assert MemorySensor(tuple).read(ours_running=True).own_memory_bytes is None


def test_a_child_that_holds_memory_is_seen_through_its_parent() -> None:
    held = 64 * 2**20
    hold = f"x = bytearray({held}); print(1, flush=True); input()"
    script = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-S', '-c', {hold!r}], stdin=subprocess.PIPE)\n"
        "sys.stdin.read()\n"
        "child.communicate()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-S", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    assert parent.stdin is not None
    with parent, parent.stdin, parent.stdout:
        assert parent.stdout.readline()
        seen = resident_bytes(parent.pid)
        assert seen is not None
        assert held < seen < held + 200 * 2**20
        parent.stdin.close()
        parent.wait(120)
    assert resident_bytes(parent.pid) is None


def test_of_the_processor_the_hottest_core_counts_and_other_chips_do_not() -> None:
    chips = {
        "coretemp": [SimpleNamespace(current=61.0), SimpleNamespace(current=88.0)],
        "nvme": [SimpleNamespace(current=99.0)],
    }
    told = CpuClimate(lambda: 3400.0, lambda: chips).read(ours_running=True)
    assert (told.clock_mhz, told.temperature_celsius) == (3400.0, 88.0)
    silent = CpuClimate(lambda: None, dict).read(ours_running=True)
    assert (silent.clock_mhz, silent.temperature_celsius) == (None, None)
    # Whatever this machine tells, it fails at nothing.
    CpuClimate().read(ours_running=False)
