"""Loading a cold model: as it was measured, else as in the calibration, else as disks give it."""

from __future__ import annotations

import pytest

from tokenroof.predict.loading import loading

FILE = 4_000_000_000


def test_where_nothing_was_loaded_here_disks_tell() -> None:
    found = loading(FILE)
    # 4 GB at 2 GB/s, between 7 and 0.5.
    assert found.span.seconds == pytest.approx(2.0)
    assert found.span.low == pytest.approx(4 / 7)
    assert found.span.high == pytest.approx(8.0)
    assert (found.span.basis, found.notice.message) == ("public", "waiting.assumes_disk")


@pytest.mark.parametrize(
    ("rate", "seconds", "low", "high"),
    [(1e9, 4.0, 4 / 7, 8.0), (8e9, 0.5, 0.5, 8.0), (0.25e9, 16.0, 4 / 7, 16.0)],
)
def test_the_rate_of_a_calibration_replaces_the_usual_disk(
    rate: float, seconds: float, low: float, high: float
) -> None:
    found = loading(FILE, (), rate)
    assert found.span.seconds == pytest.approx(seconds)
    # Its files had just been written, so that a disk's ends stay possible.
    assert found.span.low == pytest.approx(low)
    assert found.span.high == pytest.approx(high)
    assert found.span.basis == "calibrated"


def test_loads_of_this_model_replace_every_rate() -> None:
    found = loading(FILE, (3.0, 5.0, 4.0), 1e9)
    assert (found.span.seconds, found.span.low, found.span.high) == (4.0, 3.0, 5.0)
    assert found.span.basis == "measured"
    assert "3 loads of this model that were measured" in found.notice.text("en")


def test_one_load_alone_leaves_the_ends_of_disks() -> None:
    found = loading(FILE, (10.0,))
    assert found.span.seconds == 10.0
    assert found.span.low == pytest.approx(4 / 7)
    assert found.span.high == 10.0
    assert "1 load of this model that was measured" in found.notice.text("en")


def test_what_was_ready_faster_than_any_disk_gives_had_not_been_away() -> None:
    # Ollama tells some 40 ms of a model that is in memory: 4 GB in that are 100 GB/s.
    assert loading(FILE, (0.04, 0.05, 0.04)) == loading(FILE)
    assert loading(FILE, (0.04, 2.5)).span.seconds == 2.5
    assert loading(FILE, (), 100e9) == loading(FILE)
