from __future__ import annotations

import pytest

from tokenroof.measure.contention import ContentionProbe


def probing(*rates: float | None) -> ContentionProbe:
    left = list(rates)
    return ContentionProbe(lambda: left.pop(0))


def test_the_first_probe_has_nothing_to_be_compared_with() -> None:
    first = probing(60e9).check()
    assert (first.bytes_per_second, first.ratio, first.contended) == (60e9, None, None)


@pytest.mark.parametrize(
    ("rate", "ratio", "contended"),
    [(60e9, 1.0, False), (42e9, 0.7, False), (41.9e9, 0.6983333, True), (30e9, 0.5, True)],
)
def test_a_probe_is_compared_with_the_best_so_far(
    rate: float, ratio: float, contended: bool
) -> None:
    probe = probing(50e9, 60e9, rate)
    probe.check()
    probe.check()
    last = probe.check()
    assert last.ratio == pytest.approx(ratio)
    assert last.contended is contended


def test_a_better_probe_is_the_new_best() -> None:
    probe = probing(30e9, 60e9)
    probe.check()
    assert probe.check().ratio == 1.0
    assert probe.best_bytes_per_second == 60e9


def test_early_probes_can_be_judged_again_once_the_machine_was_better() -> None:
    probe = probing(30e9, 60e9)
    first = probe.check()
    probe.check()
    again = probe.judge(first.bytes_per_second)
    assert (again.ratio, again.contended) == (0.5, True)


def test_a_probe_that_could_not_be_taken_says_nothing() -> None:
    probe = probing(None, 60e9, None)
    assert probe.check().contended is None
    # Nothing was known before this one.
    assert probe.check().ratio is None
    last = probe.check()
    assert (last.bytes_per_second, last.ratio, last.contended) == (None, None, None)
    assert probe.best_bytes_per_second == 60e9
