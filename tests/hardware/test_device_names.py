"""Names: the one device that is meant, the candidates, or none; never a neighbour."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tokenroof.errors import AmbiguousName, UsageError
from tokenroof.hardware.device_names import (
    as_made,
    find_device,
    meanings,
    namesakes,
    normalised,
)
from tokenroof.hardware.device_table import device_table, devices_by_name
from tokenroof.safetext import has_controls


def test_every_devices_own_name_means_it_and_nothing_else() -> None:
    for row in device_table().devices:
        assert meanings(row.name) == (row.name,)
        assert meanings(f"  {row.name.upper()} ") == (row.name,)


def test_every_further_name_means_what_the_table_says() -> None:
    own = {" ".join(name.lower().split()) for name in devices_by_name()}
    for name, means in device_table().names.items():
        if name.lower() not in own:
            assert meanings(name) == means, name


@pytest.mark.parametrize(
    ("written", "device"),
    [
        # As people write
        ("rtx-3090", "GeForce RTX 3090"),
        ("RTX_3090", "GeForce RTX 3090"),
        ("rtx3090", "GeForce RTX 3090"),
        ("ＲＴＸ ３０９０", "GeForce RTX 3090"),
        ("Apple M4 Max 40c", "Apple M4 Max (40-core GPU)"),
        ("Apple M4 Max, 40 GPU cores", "Apple M4 Max (40-core GPU)"),
        ("7900 XTX", "Radeon RX 7900 XTX"),
        ("Strix Halo 128GB", "Ryzen AI Max+ 395 (Radeon 8060S)"),
        # As drivers do
        ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"),
        ("NVIDIA GeForce RTX 5070 Laptop GPU", "GeForce RTX 5070 Mobile"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB"),
        ("NVIDIA GB10", "DGX Spark (GB10)"),
        ("AMD Radeon RX 7900 XTX (RADV NAVI31)", "Radeon RX 7900 XTX"),
        # As /proc/cpuinfo and the registry do
        ("AMD EPYC 9654 96-Core Processor", "EPYC 9654"),
        ("AMD Ryzen 9 7950X 16-Core Processor", "Ryzen 9 7950X"),
        ("13th Gen Intel(R) Core(TM) i7-13700K", "Core i7-13700K (DDR5-5600)"),
        ("Intel(R) Xeon(R) CPU E5-2697A v4 @ 2.60GHz", "Xeon E5-2697A v4 (per socket)"),
        ("AMD Ryzen Threadripper PRO 7965WX 24-Cores", None),
        ("AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", "Ryzen 7 7840HS"),
    ],
)
def test_names_as_people_and_drivers_write_them(written: str, device: str | None) -> None:
    assert meanings(written) == (() if device is None else (device,))


@pytest.mark.parametrize(
    ("written", "candidates"),
    [
        ("RTX 3080", {"GeForce RTX 3080", "GeForce RTX 3080 12 GB"}),
        ("M4 Max", {"Apple M4 Max (32-core GPU)", "Apple M4 Max (40-core GPU)"}),
        ("NVIDIA GeForce RTX 4090", {"GeForce RTX 4090", "GeForce RTX 4090 48 GB (modified)"}),
        ("RTX 4090", {"GeForce RTX 4090", "GeForce RTX 4090 48 GB (modified)"}),
        ("2080Ti", {"GeForce RTX 2080 Ti", "GeForce RTX 2080 Ti 22 GB (modified)"}),
        ("rtx 5060 ti", {"GeForce RTX 5060 Ti 8 GB", "GeForce RTX 5060 Ti 16 GB"}),
        ("gfx1151", {"Ryzen AI Max+ 395 (Radeon 8060S)", "Ryzen AI Max 385 (Radeon 8050S)"}),
        ("H100", {"H100 PCIe 80 GB", "H100 SXM5 80 GB", "H100 NVL 94 GB"}),
    ],
)
def test_an_ambiguous_name_is_an_error_with_its_candidates(
    written: str, candidates: set[str]
) -> None:
    with pytest.raises(AmbiguousName) as caught:
        find_device(written)
    assert caught.value.exit_code == 2
    assert candidates <= set(str(caught.value.values["candidates"]).split("; "))
    assert all(name in str(caught.value) for name in candidates)


@pytest.mark.parametrize(
    ("written", "device", "gib"),
    [
        ("rtx-4090", "GeForce RTX 4090", 24),
        ("rtx-4090-d", "GeForce RTX 4090 D", 24),
        ("rtx-2080-ti", "GeForce RTX 2080 Ti", 11),
        ("RTX 4090 48GB", "GeForce RTX 4090 48 GB (modified)", 48),
        ("2080 Ti 22G", "GeForce RTX 2080 Ti 22 GB (modified)", 22),
    ],
)
def test_an_id_is_the_card_as_made_and_a_memory_in_the_name_chooses(
    written: str, device: str, gib: int
) -> None:
    found = find_device(written)
    assert (found.name, found.memory_gb) == (device, (gib,))


def test_memory_beside_the_name_tells_a_modified_card_from_the_one_that_was_made() -> None:
    assert find_device("RTX 4090", memory_gb=48).name == "GeForce RTX 4090 48 GB (modified)"
    assert find_device("RTX 4090", memory_gb=24).name == "GeForce RTX 4090"
    assert find_device("rtx-4090", memory_gb=20).name == "GeForce RTX 4090"


def test_cards_that_were_made_in_two_sizes_stay_ambiguous_beside_a_modified_one() -> None:
    names = ("GeForce RTX 3080", "GeForce RTX 3080 12 GB", "GeForce RTX 3080 20 GB (modified)")
    assert as_made(names) == names
    assert as_made(("A (modified)", "B")) == ("A (modified)", "B")


@pytest.mark.parametrize(
    ("written", "also"),
    [
        # Reports use the name for machines with DDR4, and the vendor rates two more kinds.
        (
            "Intel(R) Core(TM) i7-12700H",
            {"Core i7-12700H (DDR5-4800)", "Core i7-12700H (LPDDR5-5200)"},
        ),
        ("n150", {"Intel N150"}),  # beside a card of Tenstorrent's
        ("rtx-4090", {"GeForce RTX 4090 48 GB (modified)"}),
        ("RTX 3090", set()),
        ("GeForce RTX 4090", set()),
        ("Core i5-12400 (DDR4-3200)", set()),
    ],
)
def test_what_else_a_name_is_used_for(written: str, also: set[str]) -> None:
    assert set(namesakes(written, find_device(written))) == also


def test_a_processor_for_two_kinds_of_memory_is_ambiguous_without_it() -> None:
    with pytest.raises(AmbiguousName):
        find_device("N97")
    assert find_device("Intel N97").bandwidth_gb_s == 25.6


def test_an_exact_name_is_not_ambiguous_though_it_is_part_of_others() -> None:
    assert find_device("GeForce RTX 3080").memory_gb == (10,)
    assert find_device("Threadripper PRO 7965WX").bandwidth_gb_s == 332.8


@pytest.mark.parametrize(
    "written",
    [
        "RTX 3085",
        "GeForce RTX 3090 Laptop GPU",  # there never was one
        "RTX 5070 Super Laptop",
        "Apple M4 Max 48-core GPU",
        "Apple M6 99-core",
        "EPYC 7B13",
        "RX 7900 XTX Mobile",
        "M4 Max 37GB",
        "RTX 3090 12GB",
        "",
        " - ",
        "\x1b[2J",
    ],
)
def test_what_is_not_known_is_never_taken_for_a_neighbour(written: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_device(written)
    assert not isinstance(caught.value, AmbiguousName)
    assert "unknown: measure it or give --bandwidth" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_laptops_chip_never_gets_the_desktop_cards_figures() -> None:
    """NVIDIA's laptop chips from the RTX 30 on all have less bandwidth than their namesakes."""
    for number in ("3080 Ti", "4080", "4090", "5070", "5070 Ti", "5080", "5090"):
        laptop = find_device(f"NVIDIA GeForce RTX {number} Laptop GPU")
        assert laptop.name.endswith("Mobile")
        assert laptop.bandwidth_gb_s < find_device(f"GeForce RTX {number}").bandwidth_gb_s


def test_a_size_of_memory_chooses_among_variants_by_name_or_beside_it() -> None:
    # 36 GB come with the 32-core part alone, 48 and more with the 40-core part.
    assert find_device("M4 Max 36GB").bandwidth_gb_s == 409.6
    assert find_device("Apple M4 Max (64 GB)").bandwidth_gb_s == 546.1
    assert find_device("M4 Max", memory_gb=36).bandwidth_gb_s == 409.6
    assert find_device("RTX 3080", memory_gb=12).bandwidth_gb_s == 912.4
    assert find_device("m2 max 96gb").name == "Apple M2 Max (38-core GPU)"
    with pytest.raises(AmbiguousName):
        find_device("M2 Max", memory_gb=64)


def test_a_size_that_fits_no_variant_leaves_the_name_ambiguous() -> None:
    with pytest.raises(AmbiguousName):
        find_device("M4 Max", memory_gb=37)


@given(st.text(max_size=60))
def test_any_text_is_a_device_or_one_of_our_errors(text: str) -> None:
    try:
        found = find_device(text).name
    except UsageError as error:
        found = None
        message = str(error)
    assert found in devices_by_name() or not has_controls(message)


@given(st.text(max_size=40), st.sampled_from([" ", "-", "_", "  ", "\t"]))
def test_spaces_hyphens_and_underscores_do_not_count(text: str, between: str) -> None:
    assert normalised(between.join(text)) == normalised(text)
