"""Looking for devices: what a name means, what a setup is made of, words of names."""

from __future__ import annotations

import pytest

from tokenroof.errors import AmbiguousName, UsageError
from tokenroof.hardware.device_search import search_devices
from tokenroof.hardware.device_table import device_table


def names(query: str) -> list[str]:
    return [each.name for each in search_devices(query).devices]


def test_without_a_query_all_are_listed() -> None:
    assert search_devices().devices == search_devices(" ").devices == device_table().devices


def test_an_exact_name_is_that_device_alone() -> None:
    assert names("geforce rtx 4090") == ["GeForce RTX 4090"]
    assert names("Intel N97") == ["Intel N97"]


def test_a_name_that_several_bear_lists_them() -> None:
    assert names("rtx-4090") == ["GeForce RTX 4090", "GeForce RTX 4090 48 GB (modified)"]
    assert names("N150") == ["Tenstorrent Wormhole n150", "Intel N150"]
    assert names("i7-12700H")[0] == "Core i7-12700H (DDR4-3200)"
    assert len(names("i7-12700H")) == 3


def test_what_estimate_takes_is_found_as_what_it_is_made_of() -> None:
    assert names("2x RTX 3090 + ddr5-5600 x2") == ["GeForce RTX 3090", "DDR5-5600 x2"]
    (memory,) = search_devices("ddr4-3200 x7").devices
    assert memory.bandwidth_gb_s == pytest.approx(179.2)
    assert memory.to_dict()["kind"] == "memory"
    with pytest.raises(AmbiguousName, match="GeForce RTX 3080 12 GB"):
        search_devices("2x RTX 3080")


def test_words_are_found_in_names_and_in_further_names() -> None:
    assert "Apple M2 Ultra (76-core GPU)" in names("mac studio")
    laptops = names("rtx laptop")
    assert "GeForce RTX 4090 Mobile" in laptops
    assert "GeForce RTX 4090" not in laptops
    assert names("epyc 7763") == ["EPYC 7763"]


def test_words_do_not_begin_within_one_word_and_end_in_the_next() -> None:
    """`Ryzen 9 7950X` without its spaces holds n97."""
    assert names("n97 ddr5") == ["Intel N97 (DDR5-4800)"]
    # but joined ones are found
    assert "Ryzen 9 7950X3D" in names("ryzen97950x amd")


@pytest.mark.parametrize("query", ["foo", "RTX 3090 + foo", "(", "3x foo"])
def test_what_is_nowhere_is_unknown(query: str) -> None:
    with pytest.raises(UsageError, match="unknown"):
        search_devices(query)
