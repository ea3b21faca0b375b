"""Waiting for a quiet machine, on a clock that only the waiting moves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tokenroof.clock import FakeClock
from tokenroof.errors import NotQuiet
from tokenroof.measure.quiet import QuietGate, take_sample
from tokenroof.measure.sensors import Reading
from tokenroof.notices import Notice


class Scripted:
    """Tells what it is told to, the last entry again and again."""

    def __init__(self, name: str, readings: Sequence[Reading]) -> None:
        self.name = name
        self.readings = list(readings)
        self.ours_running: list[bool] = []

    def read(self, *, ours_running: bool) -> Reading:
        self.ours_running.append(ours_running)
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def cpu(*shares: float | None) -> Scripted:
    return Scripted("CPU", [Reading(busy=share) for share in shares])


def jobs(*counts: int | None) -> Scripted:
    return Scripted("http://host:8188", [Reading(queued=count) for count in counts])


def test_three_quiet_seconds_in_a_row_are_enough() -> None:
    clock = FakeClock()
    result = QuietGate([cpu(0.02, 0.04, 0.01)], clock).wait()
    assert result.quiet
    assert result.waited_seconds == 3.0
    assert result.busy_before == 0.04
    assert result.reasons == ()


def test_a_tenth_is_quiet_and_more_is_not() -> None:
    assert QuietGate([cpu(0.10)], FakeClock()).wait().quiet
    assert not QuietGate([cpu(0.1001)], FakeClock()).wait().quiet


def test_one_noisy_moment_starts_the_count_again() -> None:
    # Quiet at 0, 0.5 ... 2.5 s, noisy at 3.0, quiet from 3.5 on: 3 s later it is 6.5 s.
    result = QuietGate([cpu(*[0.0] * 6, 0.5, 0.03)], FakeClock()).wait()
    assert result.quiet
    assert result.waited_seconds == 6.5
    assert result.reasons == ()
    # The noisy moment is not within the last three seconds.
    assert result.busy_before == 0.03


def test_after_the_limit_it_is_not_quiet_and_the_reason_is_said() -> None:
    result = QuietGate([cpu(0.34)], FakeClock(), limit_seconds=10).wait()
    assert not result.quiet
    assert result.waited_seconds == 10.0
    assert result.busy_before == 0.34
    assert result.reasons == (Notice("quiet.busy", {"source": "CPU", "share": "34 %"}),)
    assert result.reasons[0].text() == "CPU: others use 34 %."


def test_work_that_comes_and_goes_is_not_quiet_even_if_the_last_moment_was() -> None:
    shares = [0.0, 0.9] * 10 + [0.0]
    result = QuietGate([cpu(*shares)], FakeClock(), limit_seconds=10).wait()
    assert not result.quiet
    assert [reason.id for reason in result.reasons] == ["busy"]


def test_a_queue_with_jobs_is_waited_for_however_idle_the_machine_is() -> None:
    result = QuietGate([cpu(0.0), jobs(1, 1, 0)], FakeClock()).wait()
    assert result.quiet
    # Empty from 1.0 s on.
    assert result.waited_seconds == 4.0
    assert result.queue_before == 0


def test_a_source_that_cannot_tell_leaves_it_to_the_others() -> None:
    result = QuietGate([cpu(None), jobs(None), cpu(0.01)], FakeClock()).wait()
    assert result.quiet
    assert (result.busy_before, result.queue_before) == (0.01, None)


def test_where_nothing_can_tell_the_share_is_unknown_not_zero() -> None:
    result = QuietGate([cpu(None)], FakeClock()).wait()
    assert result.busy_before is None
    assert result.queue_before is None


def test_the_busiest_device_decides() -> None:
    sample = take_sample([cpu(0.01), cpu(0.4), cpu(None)], ours_running=False)
    assert sample.busy == 0.4


def test_the_gate_says_that_nothing_of_ours_runs() -> None:
    sensor = cpu(0.0)
    QuietGate([sensor], FakeClock()).wait()
    assert set(sensor.ours_running) == {False}


@pytest.mark.parametrize(("share", "quiet"), [(0.0, True), (0.5, False)])
def test_no_patience_takes_one_look(share: float, quiet: bool) -> None:
    sensor = cpu(share)
    result = QuietGate([sensor], FakeClock(), limit_seconds=0).wait()
    assert (result.quiet, result.waited_seconds) == (quiet, 0.0)
    assert len(sensor.ours_running) == 1


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        (cpu(0.34), "others use 34 % of CPU"),
        (jobs(3), r"the queue at http://host:8188 is not empty \(jobs: 3\)"),
        (cpu(*[0.0, 0.9] * 10, 0.0), "comes and goes"),
    ],
)
def test_strict_ends_in_a_sentence_that_names_the_cause(sensor: Scripted, words: str) -> None:
    with pytest.raises(NotQuiet, match=words) as caught:
        QuietGate([sensor], FakeClock(), limit_seconds=10).wait(strict=True)
    assert "10 s" in caught.value.text()
    assert "10 s" in caught.value.text("ja")
    assert caught.value.exit_code == 4


def test_strict_is_content_with_a_quiet_machine() -> None:
    assert QuietGate([cpu(0.0)], FakeClock()).wait(strict=True).quiet


def test_who_waits_is_told_how_long_and_why() -> None:
    told: list[tuple[float, list[str]]] = []

    def tell(seconds: float, reasons: tuple[Notice, ...]) -> None:
        told.append((seconds, [reason.id for reason in reasons]))

    QuietGate([cpu(0.5, 0.0)], FakeClock(), hold_seconds=0.5).wait(tell=tell)
    assert told == [(0.0, ["busy"]), (0.5, [])]


def test_a_sensor_that_fails_says_so_and_loses_nothing() -> None:
    class Broken:
        name = "GPU"

        def read(self, *, ours_running: bool) -> Reading:
            raise ZeroDivisionError

    result = QuietGate([Broken(), cpu(0.02)], FakeClock()).wait()
    assert result.quiet
    assert result.busy_before == 0.02
    assert [notice.text() for notice in result.notices] == [
        "GPU could not be watched (ZeroDivisionError)."
    ]
