"""What is seen beside a run, and the rule that leaves a run out."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import pytest

from tokenroof.clock import FakeClock, SystemClock
from tokenroof.measure.quiet import QuietResult
from tokenroof.measure.sensors import Reading
from tokenroof.measure.watching import (
    Observation,
    Watch,
    Watched,
    exclusion,
    flags,
    suspended_seconds,
)
from tokenroof.notices import Notice


class Scripted:
    """Tells what it is told to; the very first reading begins the first interval."""

    def __init__(self, name: str, readings: Sequence[Reading]) -> None:
        self.name = name
        self.readings = [Reading(busy=0.99, queued=9), *readings]
        self.ours_running: list[bool] = []

    def read(self, *, ours_running: bool) -> Reading:
        self.ours_running.append(ours_running)
        return self.readings.pop(0)


def watched(*sensors: Scripted, samples: int) -> Watched:
    observation = Observation(sensors, FakeClock(), slept=lambda: 0.0)
    for _ in range(samples):
        observation.sample()
    return observation.result()


def shares(*values: float | None) -> Scripted:
    return Scripted("CPU", [Reading(busy=value) for value in values])


def test_busy_during_is_the_mean_of_what_was_known_and_the_peak_its_largest() -> None:
    seen = watched(shares(0.0, None, 0.3), samples=3)
    assert seen.samples == 3
    assert seen.busy_during == pytest.approx(0.15)
    assert seen.busy_peak == 0.3
    assert seen.busy_samples == 1


def test_of_several_devices_the_one_that_others_used_most_is_told() -> None:
    seen = watched(shares(0.0, 0.2), shares(0.3, 0.1), samples=2)
    assert seen.busy_during == pytest.approx(0.2)
    # 0.3, and 0.2 of the other device: both samples are busy.
    assert seen.busy_samples == 2


def test_what_nobody_can_tell_is_unknown_not_zero() -> None:
    seen = watched(shares(None, None), samples=2)
    assert (seen.busy_during, seen.busy_peak, seen.queue_during) == (None, None, None)
    assert (seen.throttle_reasons, seen.throttled) == (None, None)


def test_the_fullest_queue_counts() -> None:
    queue = Scripted("queue", [Reading(queued=0), Reading(queued=2), Reading(queued=0)])
    assert watched(queue, samples=3).queue_during == 2


def test_reasons_heat_and_clocks_are_gathered_over_all_samples() -> None:
    gpu = Scripted(
        "GPU",
        [
            Reading(throttle_reasons=(), clock_mhz=1900.0, temperature_celsius=60.0),
            Reading(
                throttle_reasons=("hw_thermal", "sw_power_cap"),
                clock_mhz=1200.0,
                temperature_celsius=93.0,
            ),
            Reading(throttle_reasons=("sw_power_cap",), clock_mhz=1500.0, temperature_celsius=90.0),
        ],
    )
    seen = watched(gpu, samples=3)
    assert seen.throttle_reasons == ("hw_thermal", "sw_power_cap")
    assert seen.throttled
    assert (seen.clock_mhz_low, seen.temperature_celsius_high) == (1200.0, 93.0)


def test_a_notice_that_repeats_is_said_once() -> None:
    lost = Reading(notices=(Notice("quiet.queue_lost", {"url": "http://h"}),))
    assert len(watched(Scripted("queue", [lost] * 3), samples=3).notices) == 1


def test_the_watch_says_that_a_run_of_ours_is_at_work() -> None:
    sensor = shares(0.0)
    watched(sensor, samples=1)
    assert sensor.ours_running == [True, True]


@dataclass
class WallClock(FakeClock):
    """A fake clock whose date can be set apart from its monotonic time."""

    moved: float = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.moved)


@pytest.mark.parametrize(
    ("moves", "step"),
    [([0, 0], False), ([0.4, 0.8], False), ([3600, 0], True), ([-2, 0], True), ([-2], True)],
)
def test_a_date_that_is_set_is_seen_even_if_it_is_set_back(moves: list[float], step: bool) -> None:
    clock = WallClock()
    observation = Observation([], clock, slept=lambda: 0.0)
    for moved in moves:
        clock.seconds += 0.5
        clock.moved = moved
        observation.sample()
    assert observation.result().clock_step is step


def test_a_clock_that_is_steadily_corrected_has_not_stepped() -> None:
    # 500 millionths, the most that is usual, over an hour: 1.8 s in all, 0.00025 s a sample.
    clock = WallClock()
    observation = Observation([], clock, slept=lambda: 0.0)
    for _ in range(7200):
        clock.seconds += 0.5
        clock.moved += 0.00025
        observation.sample()
    assert not observation.result().clock_step


@pytest.mark.parametrize(
    ("before", "after", "seconds", "step"),
    [(5.0, 5.0, 0.0, False), (5.0, 65.0, 60.0, True), (None, None, None, False)],
)
def test_sleep_of_the_machine_is_seen(
    before: float | None, after: float | None, seconds: float | None, step: bool
) -> None:
    slept = iter([before, after, after])
    observation = Observation([], FakeClock(), slept=lambda: next(slept))
    result = observation.result()
    assert result.suspended_seconds == seconds
    assert result.clock_step is step


def test_a_system_that_does_not_count_sleep_leaves_it_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    assert suspended_seconds() is None


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (Watched(samples=9, busy_during=0.02, queue_during=0, throttle_reasons=()), None),
        (Watched(), None),
        (Watched(queue_during=1), "queue_busy"),
        (Watched(busy_samples=1, busy_peak=0.9), None),
        (Watched(busy_samples=2), "contended"),
        (Watched(throttle_reasons=("hw_thermal",)), "throttled"),
        (Watched(throttle_reasons=("sw_power_cap", "sw_thermal")), "throttled"),
        # How the machine is set up holds for every run: noted, not left out.
        (Watched(throttle_reasons=("sw_power_cap",)), None),
        (Watched(clock_step=True), "clock_step"),
        (Watched(queue_during=1, busy_samples=5, clock_step=True), "queue_busy"),
    ],
)
def test_a_run_is_left_out_for_what_was_seen_beside_it(seen: Watched, reason: str | None) -> None:
    assert exclusion(seen) == reason


def test_the_rule_is_given_nothing_of_the_run_itself() -> None:
    names = {field.name for field in msgspec.structs.fields(Watched)}
    # All of them are of the machine: none is a time, a count or a rate of the run.
    assert names == {
        "samples",
        "busy_during",
        "busy_peak",
        "busy_samples",
        "queue_during",
        "throttle_reasons",
        "clock_step",
        "suspended_seconds",
        "clock_mhz_low",
        "temperature_celsius_high",
        "memory_peak_bytes",
        "vram_peak_bytes",
        "trace",
        "notices",
    }


@pytest.mark.parametrize(
    ("quiet", "seen", "noted"),
    [
        (QuietResult(waited_seconds=3, quiet=True), Watched(), ()),
        (None, Watched(), ()),
        (QuietResult(waited_seconds=60, quiet=False), Watched(), ("contended",)),
        (None, Watched(throttle_reasons=("sw_power_cap",)), ("throttled",)),
    ],
)
def test_a_run_is_flagged_when_it_began_on_a_noisy_machine_or_was_held_down(
    quiet: QuietResult | None, seen: Watched, noted: tuple[str, ...]
) -> None:
    assert flags(quiet, seen) == noted


class Signalling:
    """Says when it has been read so many times."""

    name = "CPU"

    def __init__(self, enough: int) -> None:
        self.enough = enough
        self.count = 0
        self.reached = threading.Event()

    def read(self, *, ours_running: bool) -> Reading:
        self.count += 1
        if self.count >= self.enough:
            self.reached.set()
        return Reading(busy=0.5)


def running() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "watch"]


def test_the_thread_looks_while_the_body_runs_and_ends_with_it() -> None:
    sensor = Signalling(4)
    with Watch([sensor], SystemClock(), period_seconds=0.001) as watch:
        assert sensor.reached.wait(120)
    seen = watch.result()
    assert running() == []
    # One reading began the first interval.
    assert seen.samples == sensor.count - 1
    assert exclusion(seen) == "contended"


def test_a_run_shorter_than_the_period_is_looked_at_once() -> None:
    with Watch([Signalling(1)], SystemClock(), period_seconds=60) as watch:
        pass
    assert watch.result().samples == 1


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_the_thread_ends_with_a_body_that_fails_or_is_interrupted(
    kind: type[BaseException],
) -> None:
    sensor = Signalling(2)

    def fail() -> None:
        with Watch([sensor], SystemClock(), period_seconds=0.001):
            assert sensor.reached.wait(120)
            raise kind

    with pytest.raises(kind):
        fail()
    assert running() == []


def test_memory_is_the_most_that_all_devices_held_at_one_moment() -> None:
    memory = Scripted("memory", [Reading(own_memory_bytes=size) for size in (5_000, 9_000, 7_000)])
    gpus = [
        Scripted("A", [Reading(own_vram_bytes=size) for size in (10, 20, 100)]),
        Scripted("B", [Reading(own_vram_bytes=size) for size in (90, 85, None)]),
    ]
    seen = watched(memory, *gpus, samples=3)
    assert seen.memory_peak_bytes == 9_000
    assert seen.vram_peak_bytes == 105  # not 100 + 90, which were never held together
    assert watched(shares(0.0), samples=1).memory_peak_bytes is None


def test_clock_heat_and_power_are_kept_over_time_for_the_devices_that_tell_them() -> None:
    clock = FakeClock()
    gpu = Scripted(
        "GPU",
        [Reading(clock_mhz=1900.0, power_watts=300.0), Reading(clock_mhz=1500.0)],
    )
    observation = Observation([shares(0.0, 0.0), gpu], clock, slept=lambda: 0.0)
    for _ in range(2):
        clock.sleep(0.5)
        observation.sample()
    assert observation.result().trace == {
        "GPU": {"seconds": [0.5, 1.0], "clock_mhz": [1900.0, 1500.0], "power_watts": [300.0, None]}
    }


def test_the_trace_of_a_long_run_is_thinned_out_and_its_extremes_are_not() -> None:
    heat = [Reading(temperature_celsius=float(n)) for n in range(1000)]
    seen = watched(Scripted("GPU", heat), samples=1000)
    kept = seen.trace["GPU"]["temperature_celsius"]
    assert 50 <= len(kept) <= 60
    assert kept[0] == 0.0
    assert seen.temperature_celsius_high == 999.0
