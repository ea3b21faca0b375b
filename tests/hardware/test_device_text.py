"""DEVICE: several of a kind, hosts, memory by its channels, lists."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tokenroof.errors import AmbiguousName, UsageError
from tokenroof.hardware.device_text import known_devices, named_device, split_names
from tokenroof.hardware.hosts import memory_device

GIB = 2**30


def gb_s(text: str, host: str | None = None) -> float:
    rate = named_device(text, host).bandwidth_bytes_per_second
    assert rate is not None
    return rate / 1e9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # channels x 8 bytes x MT/s
        ("ddr5-5600 x2", 2 * 8 * 5.6),
        ("ddr4-3200 x 8", 8 * 8 * 3.2),
        ("DDR5 4800 x12", 12 * 8 * 4.8),
        ("2x ddr5-5600", 2 * 8 * 5.6),
        ("12ch DDR5-4800", 12 * 8 * 4.8),
        ("DDR5-4800, 12 channels", 12 * 8 * 4.8),
        ("mrdimm-8800 x12", 12 * 8 * 8.8),
        # Seven of eight channels, and four of sixteen: what the firmware says of the rate alone
        # would give 204.8 and 563.2.
        ("ddr4-3200 x7", 179.2),
        ("ddr5-4400 x4", 140.8),
        # Soldered memory, by the width of its bus
        ("lpddr5x-8000 256-bit", 256),
        ("256-bit LPDDR5X-8000", 256),
        ("lpddr4x 4267 32 bits", 17.068),
    ],
)
def test_memory_moves_channels_times_rate(text: str, expected: float) -> None:
    assert gb_s(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("ddr5-5600", "x2"),
        ("lpddr5x-8000", "256-bit"),
        ("lpddr5x-8000 x8", "256-bit"),
        ("ddr5-5600 x0", "channels"),
        ("ddr5-5600 x65", "channels"),
        ("ddr5-56 x2", None),
        ("ddr5-99999 x2", "MT/s"),
        ("lpddr5-6400 0-bit", "bits"),
    ],
)
def test_memory_that_says_too_little_or_cannot_be_is_refused(text: str, asked: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        named_device(text)
    assert (asked or "unknown") in str(caught.value)


def test_cards_that_take_turns_have_the_bandwidth_of_one_and_the_memory_of_all() -> None:
    pair = named_device("2x RTX 3090")
    assert pair.name == "2x GeForce RTX 3090"
    assert pair.bandwidth_bytes_per_second == 936.2e9
    assert pair.memory_bytes == 48 * GIB
    assert [part.memory_bytes for part in pair.parts] == [24 * GIB, 24 * GIB]


@pytest.mark.parametrize(
    "text", ["2x rtx-3090", "2 x RTX 3090", "2× RTX 3090", "2x3090", "RTX 3090 x2", "3090 × 2"]
)
def test_a_number_of_cards_is_written_in_several_ways(text: str) -> None:
    assert named_device(text).name == "2x GeForce RTX 3090"


def test_unlike_cards_are_bounded_by_the_fastest() -> None:
    both = named_device("RTX 5070 Ti + RTX 5060 Ti 16 GB")
    assert both.bandwidth_bytes_per_second == 896e9
    assert both.memory_bytes == 32 * GIB
    assert "assumes_fastest" in [notice.id for notice in both.notices]


def test_sockets_read_together_so_their_bandwidths_add() -> None:
    assert gb_s("2x EPYC 9654") == pytest.approx(2 * 460.8)


def test_a_number_before_a_name_is_part_of_the_name_where_that_is_one() -> None:
    assert named_device("7900 XT").name == "Radeon RX 7900 XT"
    assert named_device("2x 7900 XT").name == "2x Radeon RX 7900 XT"
    assert named_device("5700X").name == "Ryzen 7 5700X"


def test_a_host_behind_a_card_does_not_change_what_the_card_reads() -> None:
    card = named_device("RTX 3090 + ddr5-5600 x2")
    assert (card.name, card.memory_bytes) == ("GeForce RTX 3090 + DDR5-5600 x2", 24 * GIB)
    assert card.bandwidth_bytes_per_second == 936.2e9
    assert named_device("RTX 3090", "ddr5-5600 x2") == card
    assert named_device("RTX 3090 + here").name == "GeForce RTX 3090 + here"
    assert named_device("Ryzen 9 7950X + RTX 3090").name == "GeForce RTX 3090 + Ryzen 9 7950X"


def test_memory_behind_a_processor_is_what_it_reads() -> None:
    assert gb_s("EPYC 7302") == pytest.approx(204.8)
    assert gb_s("EPYC 7302 + ddr4-3200 x7") == pytest.approx(179.2)
    assert gb_s("EPYC 7302", "ddr4-3200 x7") == pytest.approx(179.2)
    assert gb_s("Radeon 780M (LPDDR5X-7500) + ddr5-4800 x2") == pytest.approx(76.8)


def test_names_with_a_plus_are_names() -> None:
    halo = "Ryzen AI Max+ 395 (Radeon 8060S)"
    assert named_device("Ryzen AI Max+ 395").name == halo
    assert named_device("4x Ryzen AI Max+ 395").name == f"4x {halo}"
    assert named_device("RTX 4080 + Ryzen AI Max+ 395").name == f"GeForce RTX 4080 + {halo}"
    assert named_device("Xeon Platinum 8480+ + ddr5-4800 x8").name == (
        "Xeon Platinum 8480+ (per socket) + DDR5-4800 x8"
    )


def test_a_whole_machine_by_the_name_that_reports_give_it() -> None:
    machine = named_device("2x Tesla P100 16 GB + 2x Xeon E5-2697A v4")
    assert machine.name == ("2x Tesla P100 PCIe 16 GB + 2x Xeon E5-2697A v4 (per socket)")
    assert machine.memory_bytes == 32 * GIB
    assert gb_s("2x Xeon E5-2697A v4 (CPU only)") == pytest.approx(2 * 76.8)


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(UsageError, match="'foo' is unknown"):
        named_device("RTX 3090 + foo")
    with pytest.raises(AmbiguousName, match="RTX 3080"):
        named_device("2x RTX 3080 + ddr5-5600 x2")


def test_what_else_is_called_so_is_said_unless_the_memory_tells() -> None:
    def said(text: str, memory_gb: float | None = None) -> list[str]:
        notices = named_device(text, memory_gb=memory_gb).notices
        return [str(each.values["others"]) for each in notices if each.id == "assumes_namesake"]

    assert said("rtx-4090") == ["GeForce RTX 4090 48 GB (modified)"]
    assert said("GeForce RTX 4090") == said("RTX 3090") == []
    assert said("RTX 4090 48GB") == said("rtx-4090", 24) == []
    assert said("i7-12700H") == ["Core i7-12700H (DDR5-4800); Core i7-12700H (LPDDR5-5200)"]


def test_all_that_a_text_names_each_once() -> None:
    def names(text: str) -> list[str]:
        return [each.name for each in known_devices(text)]

    assert names("2x RTX 3090 + EPYC 9654") == ["GeForce RTX 3090", "EPYC 9654"]
    assert names("RTX 3090 + RTX 3090 + here") == ["GeForce RTX 3090"]
    assert names("EPYC 7302 + ddr4-3200 x7") == ["EPYC 7302", "DDR4-3200 x7"]
    (memory,) = known_devices("ddr5-5600 x2")
    # 2 channels x 64 bits at 5600 MT/s
    assert (memory.bus_width_bits, memory.bandwidth_gb_s) == (128, 89.6)


def test_a_host_is_given_once() -> None:
    with pytest.raises(UsageError, match="ddr4-3200 x2"):
        named_device("RTX 3090 + ddr5-5600 x2", "ddr4-3200 x2")


def test_of_several_sizes_the_largest_is_assumed_and_said_unless_one_is_given() -> None:
    ids = [notice.id for notice in named_device("Apple M4 Max (40-core GPU)").notices]
    assert named_device("Apple M4 Max (40-core GPU)").memory_bytes == 128 * GIB
    assert "assumes_memory_size" in ids
    chosen = named_device("M4 Max 64GB")
    assert chosen.memory_bytes == 64 * GIB
    assert "assumes_memory_size" not in [notice.id for notice in chosen.notices]
    # --memory counts in GB, as everywhere on the command line.
    assert named_device("M4 Max", memory_gb=36).memory_bytes == 36 * 10**9


def test_an_unconfirmed_bandwidth_says_so() -> None:
    ids = [notice.id for notice in named_device("RTX Spark (N1X)").notices]
    assert "assumes_unverified" in ids


def test_of_a_processor_the_rated_memory_is_said_instead() -> None:
    """Nobody can confirm what its owner put into it."""
    ids = [notice.id for notice in named_device("Ryzen 5 3600").notices]
    assert ids == ["assumes_rated_memory"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RTX 3090", ["RTX 3090"]),
        ("RTX 3090,RTX 4080", ["RTX 3090", "RTX 4080"]),
        ("Apple M4 Max, 40 GPU cores", ["Apple M4 Max, 40 GPU cores"]),
        (
            "here, Apple M4 Max, 40 GPU cores ,2x RTX 3090",
            ["here", "Apple M4 Max, 40 GPU cores", "2x RTX 3090"],
        ),
        ("RTX 3080, RTX 3090", ["RTX 3080", "RTX 3090"]),
        ("ddr5-4800, 12 channels", ["ddr5-4800, 12 channels"]),
        ("foo,bar", ["foo", "bar"]),
        ("RTX 3090,", ["RTX 3090"]),
    ],
)
def test_a_comma_separates_only_what_is_no_name_as_a_whole(text: str, names: list[str]) -> None:
    assert split_names(text) == names


@given(st.text("rtx309 +2x,ddr5-60(gb)", max_size=80))
def test_any_text_is_a_device_or_one_of_our_errors(text: str) -> None:
    try:
        device = named_device(text)
    except UsageError:
        return
    assert device.bandwidth_bytes_per_second is not None
    assert device.bandwidth_bytes_per_second > 0


def test_a_hostile_text_is_refused_at_once() -> None:
    with pytest.raises(UsageError):
        named_device("RTX 3090+" * 2000)


def test_what_is_no_memory_is_none() -> None:
    assert memory_device("RTX 3090") is None
    assert memory_device("") is None


def test_memory_may_be_told_by_its_size_too() -> None:
    """Modules of 32 GB hold 32 GiB, as every figure of the table does."""
    card = named_device("RTX 3090 + ddr5-5600 x2 64GB")
    assert card.memory_bytes == 24 * GIB
    assert card.host is not None
    assert (card.host.name, card.host.memory_bytes) == ("DDR5-5600 x2 64 GB", 64 * GIB)
    assert named_device("ddr4-3200, 2ch, 32 GiB").memory_bytes == 32 * GIB
    assert named_device("lpddr5x-8000 256-bit 128GB").memory_bytes == 128 * GIB
    assert named_device("ddr5-5600 x2").memory_bytes is None
    # A processor reads the memory that stands beside it, and has as much.
    assert named_device("EPYC 7302 + ddr4-3200 x7 224GB").memory_bytes == 224 * GIB
    with pytest.raises(UsageError):
        named_device("ddr5-5600 x2 0GB")
