"""Others' share of the processor, on counters written by hand. Two cores throughout."""

from __future__ import annotations

import os
from collections.abc import Sequence

import psutil
import pytest

from tokenroof.measure.sensors.cpu import (
    CpuSensor,
    ProcessKey,
    ProcessTime,
    Snapshot,
    others_share,
    own_seconds,
    system_snapshot,
)

US: ProcessKey = (100, 5.0)
ENGINE: ProcessKey = (200, 7.0)


def at(
    seconds: float,
    busy: float,
    processes: dict[ProcessKey, ProcessTime],
    stolen: float = 0.0,
) -> Snapshot:
    return Snapshot(
        seconds=seconds,
        date=1000.0 + seconds,
        total=2 * seconds,
        busy=busy,
        stolen=stolen,
        processes=processes,
    )


def test_others_are_what_is_busy_less_our_own() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0), ENGINE: ProcessTime(2.0)})
    after = at(11, 5.7, {US: ProcessTime(1.1), ENGINE: ProcessTime(3.2)})
    # Busy 1.7 s of 2 core seconds, of which 0.1 + 1.2 are ours: 0.4 / 2.
    assert others_share(before, after) == pytest.approx(0.2)


def test_stolen_time_is_use_by_others() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0)}, stolen=0.5)
    after = at(11, 5.0, {US: ProcessTime(2.0)}, stolen=1.1)
    assert others_share(before, after) == pytest.approx(0.3)


def test_our_own_full_load_is_nobody_elses() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0)})
    # Counters of ours are read a little later than the system's: 2.02 s in 2 core seconds.
    after = at(11, 6.0, {US: ProcessTime(3.02)})
    assert others_share(before, after) == 0.0


def test_a_process_born_between_two_readings_is_ours_from_its_start() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0)})
    child: ProcessKey = (300, 1010.4)
    after = at(11, 4.6, {US: ProcessTime(1.0), child: ProcessTime(0.5)})
    assert others_share(before, after) == pytest.approx(0.05)


def test_an_older_process_that_is_named_ours_late_makes_its_first_interval_unknown() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0)})
    # It has used 90 s since its start long ago; how many of them just now nobody knows.
    after = at(11, 5.0, {US: ProcessTime(1.0), ENGINE: ProcessTime(90.0)})
    assert others_share(before, after) is None


def test_an_ended_child_that_its_parent_has_waited_for_counts_to_its_last_moment() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0, 0.3), ENGINE: ProcessTime(2.0)})
    # It used 0.8 s more before it ended; the parent's ended children went from 0.3 to 0.3 + 2.8.
    after = at(11, 5.0, {US: ProcessTime(1.0, 3.1)})
    assert own_seconds(before, after) == pytest.approx(0.8)
    assert others_share(before, after) == pytest.approx(0.1)


def test_an_ended_process_that_nobody_accounts_for_makes_the_interval_unknown() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0), ENGINE: ProcessTime(2.0)})
    after = at(11, 5.8, {US: ProcessTime(1.0)})
    assert others_share(before, after) is None


def test_a_child_that_lived_between_two_readings_only_is_ours() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0, 0.0)})
    after = at(11, 4.9, {US: ProcessTime(1.0, 0.9)})
    assert others_share(before, after) == pytest.approx(0.0)


def test_a_new_process_with_an_old_number_is_not_taken_for_the_old_one() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0), (200, 7.0): ProcessTime(2.0)})
    after = at(11, 5.0, {US: ProcessTime(1.0, 2.5), (200, 1010.5): ProcessTime(0.3)})
    # 0.5 s of the old one until it ended, and 0.3 s of the new one.
    assert own_seconds(before, after) == pytest.approx(0.8)


def test_no_time_passed_is_no_share() -> None:
    same = at(10, 4.0, {US: ProcessTime(1.0)})
    assert others_share(same, same) is None


def test_the_share_never_leaves_zero_to_one() -> None:
    before = at(10, 4.0, {US: ProcessTime(1.0)})
    after = at(11, 6.0, {US: ProcessTime(1.0)}, stolen=0.5)
    assert others_share(before, after) == 1.0


class Counters:
    """Gives one snapshot after the other, and remembers whose processes were asked for."""

    def __init__(self, *snapshots: Snapshot | None) -> None:
        self.left = list(snapshots)
        self.asked: list[Sequence[int]] = []

    def __call__(self, roots: Sequence[int]) -> Snapshot | None:
        self.asked.append(roots)
        return self.left.pop(0)


def test_the_sensor_compares_each_reading_with_the_one_before() -> None:
    counters = Counters(
        at(10, 4.0, {US: ProcessTime(1.0)}),
        at(11, 5.0, {US: ProcessTime(1.0)}),
        at(12, 5.2, {US: ProcessTime(1.0)}),
    )
    sensor = CpuSensor(lambda: [200], counters)
    shares = [sensor.read(ours_running=True).busy for _ in range(2)]
    assert shares == [pytest.approx(0.5), pytest.approx(0.1)]
    assert counters.asked == [[os.getpid(), 200]] * 3


def test_an_interval_too_short_to_judge_is_joined_to_the_next() -> None:
    counters = Counters(
        at(10, 4.0, {US: ProcessTime(1.0)}),
        at(10.1, 4.2, {US: ProcessTime(1.0)}),
        at(11, 5.0, {US: ProcessTime(1.0)}),
    )
    sensor = CpuSensor(snapshot=counters)
    assert sensor.read(ours_running=False).busy is None
    # From 10 to 11 s: 1 s of 2, the short interval included.
    assert sensor.read(ours_running=False).busy == pytest.approx(0.5)


def test_counters_that_cannot_be_read_are_unknown_until_two_can() -> None:
    counters = Counters(
        None,
        at(10, 4.0, {US: ProcessTime(1.0)}),
        at(11, 5.0, {US: ProcessTime(1.0)}),
    )
    sensor = CpuSensor(snapshot=counters)
    assert [sensor.read(ours_running=False).busy for _ in range(2)] == [None, pytest.approx(0.5)]


def test_the_systems_own_counters_hold_this_process_and_stay_within_their_total() -> None:
    snapshot = system_snapshot([os.getpid(), 2**31 - 1])
    assert snapshot is not None
    (ours,) = [time for (pid, _), time in snapshot.processes.items() if pid == os.getpid()]
    assert ours.own > 0
    assert 0 < snapshot.busy + snapshot.stolen <= snapshot.total


def test_a_system_without_counters_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError

    monkeypatch.setattr(psutil, "cpu_times", refuse)
    assert system_snapshot([os.getpid()]) is None
