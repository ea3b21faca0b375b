from __future__ import annotations

import pytest

from tokenroof.measure.contention import ContentionProbe


def probing(*rates: float | None) -> ContentionProbe:
    left = list(rates)
    return ContentionProbe(lambda: left.pop(0))


def test_the_first_probe_has_nothing_to_be_compared_with() -> None:
    first = probing(6000.0).check()
    assert (first.passes_per_second, first.ratio, first.contended) == (6000.0, None, None)


@pytest.mark.parametrize(
    ("rate", "ratio", "contended"),
    [(6000.0, 1.0, False), (4500.0, 0.75, False), (4494.0, 0.749, True), (3000.0, 0.5, True)],
)
def test_a_probe_is_compared_with_the_best_so_far(
    rate: float, ratio: float, contended: bool
) -> None:
    probe = probing(5000.0, 6000.0, rate, rate, rate)
    probe.check()
    probe.check()
    last = probe.check()
    assert last.ratio == pytest.approx(ratio)
    assert last.contended is contended


def test_a_dip_shorter_than_two_probes_is_no_contention() -> None:
    probe = probing(6000.0, 3000.0, 5900.0)
    probe.check()
    again = probe.check()
    assert (again.passes_per_second, again.contended) == (5900.0, False)


def test_what_stays_slow_three_times_is_contention_by_the_best_of_the_three() -> None:
    probe = probing(6000.0, 3000.0, 3600.0, 3300.0)
    probe.check()
    last = probe.check()
    assert (last.passes_per_second, last.ratio, last.contended) == (3600.0, 0.6, True)


def test_a_better_probe_is_the_new_best() -> None:
    probe = probing(3000.0, 6000.0)
    probe.check()
    assert probe.check().ratio == 1.0
    assert probe.best_passes_per_second == 6000.0


def test_early_probes_can_be_judged_again_once_the_machine_was_better() -> None:
    probe = probing(3000.0, 6000.0)
    first = probe.check()
    probe.check()
    again = probe.judge(first.passes_per_second)
    assert (again.ratio, again.contended) == (0.5, True)


def test_a_probe_that_could_not_be_taken_says_nothing() -> None:
    probe = probing(None, 6000.0, None)
    assert probe.check().contended is None
    # Nothing was known before this one.
    assert probe.check().ratio is None
    last = probe.check()
    assert (last.passes_per_second, last.ratio, last.contended) == (None, None, None)
    assert probe.best_passes_per_second == 6000.0
