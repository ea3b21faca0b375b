"""The measurement's logic on a clock that is told what to say; no speed is asserted."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from tokenroof.clock import FakeClock
from tokenroof.hardware import bandwidth
from tokenroof.hardware.bandwidth import (
    ReadBandwidth,
    cpu_device,
    measure_read_bandwidth,
    probe,
    survey,
)
from tokenroof.hardware.machine import Machine
from tokenroof.hardware.readers import LOOPS, Readers

NAMES = [name for name, _, _ in LOOPS]
MIB = 2**20


@dataclass
class TickingClock:
    """Every question takes a millisecond."""

    ticks: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def monotonic(self) -> float:
        with self.lock:
            self.ticks += 1
            return self.ticks / 1000

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def sleep(self, seconds: float) -> None:
        raise AssertionError


def taking(clock: FakeClock, script: dict[str, list[float]]) -> tuple[list[str], object]:
    """A repeat that takes what the script says, the last entry again and again."""
    asked: list[str] = []

    def seconds(name: str) -> float:
        asked.append(name)
        times = script[name]
        taken = times.pop(0) if len(times) > 1 else times[0]
        clock.seconds += taken
        return taken

    return asked, seconds


def test_a_rate_is_bytes_by_seconds_and_every_repeat_is_kept() -> None:
    clock = FakeClock()
    _, seconds = taking(clock, {"a": [0.5, 0.25, 1.0]})
    (loop,) = survey(seconds, 1000, clock, 0.0, ["a"])  # type: ignore[arg-type]
    # 1000 bytes in 0.5, 0.25 and 1 s.
    assert loop.bytes_per_second == (2000.0, 4000.0, 1000.0)


def test_loops_take_turns_and_the_slow_ones_are_dropped_after_a_round() -> None:
    clock = FakeClock()
    asked, seconds = taking(clock, {"a": [1.0], "slow": [2.0], "b": [1.1]})
    survey(seconds, 1000, clock, 0.0, ["a", "slow", "b"])  # type: ignore[arg-type]
    # "slow" reaches half of the best, "b" 91 % of it.
    assert asked == ["a", "slow", "b", "a", "b", "a", "b"]


def test_the_survey_goes_on_until_its_budget_is_spent() -> None:
    clock = FakeClock()
    asked, seconds = taking(clock, {"a": [0.5]})
    survey(seconds, 1000, clock, 2.4, ["a"])  # type: ignore[arg-type]
    # 0.5 s each: the fifth ends at 2.5 s.
    assert len(asked) == 5


def test_a_repeat_that_the_clock_cannot_resolve_is_left_out() -> None:
    clock = FakeClock()
    _, seconds = taking(clock, {"a": [0.0, 0.5, 0.5]})
    (loop,) = survey(seconds, 1000, clock, 0.0, ["a"])  # type: ignore[arg-type]
    assert loop.bytes_per_second == (2000.0, 2000.0)


def test_the_time_of_a_repeat_spans_from_the_first_start_to_the_last_end() -> None:
    # Two threads ask the clock twice each: 4 ms from first to last, whatever their order,
    # less the one before the first question.
    with Readers(2, 2 * MIB, TickingClock()) as readers:
        assert readers.seconds("or_int64") == pytest.approx(0.003)


@pytest.mark.parametrize(("name", "reduction", "kind"), LOOPS)
def test_the_buffers_content_is_ordinary_numbers_for_every_loop(
    name: str, reduction: str, kind: str
) -> None:
    import numpy as np

    with Readers(1, MIB, TickingClock()) as readers:
        assert readers.seconds(name) == pytest.approx(0.001)
        data = readers._buffers[0].view(kind)
        with np.errstate(all="raise"):
            result = getattr(np, reduction).reduce(data)
    assert data.nbytes == MIB
    assert np.isfinite(result)
    if data.dtype.kind == "f":
        # Neither denormal nor near overflow: 0x3f3f3f3f is 0.747, its double 0.000476.
        assert 1e-4 < data[0] < 1


def test_the_buffers_are_shared_out_in_whole_pages() -> None:
    with Readers(3, MIB, TickingClock()) as readers:
        # 1 MiB / 3 = 349,525 bytes are 85 pages of 4096 bytes for each of the three.
        assert readers.buffer_bytes == 3 * 85 * 4096


def measured(**machine: int | None) -> ReadBandwidth:
    found = measure_read_bandwidth(2, clock=TickingClock(), seconds=0.0, buffer_bytes=2 * MIB)
    assert found is not None
    return found


def test_the_best_is_the_fastest_repeat_of_the_best_loop_with_its_spread_beside() -> None:
    found = measured()
    best = next(loop for loop in found.loops if loop.name == found.loop)
    assert [loop.name for loop in found.loops] == NAMES
    every = [rate for loop in found.loops for rate in loop.bytes_per_second]
    assert found.best_bytes_per_second == max(every) == max(best.bytes_per_second)
    assert found.lowest_bytes_per_second == min(best.bytes_per_second)
    ordered = (
        found.lowest_bytes_per_second,
        found.median_bytes_per_second,
        found.best_bytes_per_second,
    )
    assert ordered == tuple(sorted(ordered))
    assert (found.threads, found.buffer_bytes) == (2, 2 * MIB)


@pytest.mark.parametrize(
    ("machine", "threads", "wanted"),
    [
        # 4 x 32 MiB of cache is less than the least of 256 MiB.
        (Machine(usable_cores=2, cache_bytes=32 * MIB), 2, 256 * MIB),
        (Machine(usable_cores=16, cache_bytes=384 * MIB), 16, 4 * 384 * MIB),
        # 128 threads x 32 MiB.
        (Machine(usable_cores=128, cache_bytes=64 * MIB), 128, 4096 * MIB),
        # A quarter of 400 MiB.
        (
            Machine(usable_cores=1, cache_bytes=32 * MIB, memory_available_bytes=400 * MIB),
            1,
            100 * MIB,
        ),
        # Nothing known: one thread, and a cache of 128 MiB is assumed.
        (Machine(), 1, 512 * MIB),
    ],
)
def test_the_buffer_outgrows_the_caches_within_the_free_memory(
    monkeypatch: pytest.MonkeyPatch, machine: Machine, threads: int, wanted: int
) -> None:
    asked = []

    class Full:
        def __init__(self, threads: int, buffer_bytes: int, clock: object) -> None:
            asked.append((threads, buffer_bytes))
            raise MemoryError

    monkeypatch.setattr(bandwidth, "this_machine", lambda: machine)
    monkeypatch.setattr(bandwidth, "Readers", Full)
    assert measure_read_bandwidth() is None
    assert asked == [(threads, wanted)]


def test_a_buffer_within_reach_of_the_cache_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bandwidth, "this_machine", lambda: Machine(cache_bytes=MIB))
    assert [notice.id for notice in measured().notices] == ["buffer_small"]
    monkeypatch.setattr(bandwidth, "this_machine", lambda: Machine(cache_bytes=MIB // 2))
    assert measured().notices == ()


def test_a_clock_that_stands_still_measures_nothing() -> None:
    bandwidth_now = measure_read_bandwidth(1, clock=FakeClock(), seconds=-1.0, buffer_bytes=MIB)
    assert bandwidth_now is None


def test_a_probe_is_bytes_by_seconds_of_one_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(usable_cores=1, cache_bytes=MIB, memory_available_bytes=8 * MIB)
    monkeypatch.setattr(bandwidth, "this_machine", lambda: machine)
    # A quarter of 8 MiB is 2 MiB; one thread's start and end are 1 ms apart on this clock,
    # whatever it does between, so 5 passes are asked for and take 1 ms as well.
    rate = probe(clock=TickingClock(), seconds=0.005)
    assert rate == pytest.approx(2 * MIB * 5 / 0.001)


def test_a_measured_cpu_is_a_device_with_the_ceiling_and_the_spread() -> None:
    read = ReadBandwidth(
        best_bytes_per_second=60e9,
        median_bytes_per_second=55e9,
        lowest_bytes_per_second=20e9,
        loop="max_int8",
        threads=2,
        buffer_bytes=1,
        cache_bytes=None,
        loops=(),
    )
    device = cpu_device(Machine(cpu_name="a CPU", memory_total_bytes=7), read)
    assert (device.name, device.place, device.memory_bytes) == ("a CPU", "cpu", 7)
    assert (device.bandwidth_bytes_per_second, device.bandwidth_basis) == (60e9, "measured")
    assert device.bandwidth_spread is not None
    assert device.bandwidth_spread.to_dict() == {"low": 20e9, "median": 55e9, "high": 60e9}


def test_a_cpu_that_was_not_measured_has_no_bandwidth() -> None:
    device = cpu_device(Machine(cpu_name="a CPU"))
    assert (device.bandwidth_bytes_per_second, device.bandwidth_basis) == (None, None)
