"""Populated channels: counted where slots are called by them, a bound where they are not."""

from __future__ import annotations

import pytest

from tokenroof.hardware.memory_modules import (
    ClaimedBandwidth,
    MemoryLayout,
    MemoryModule,
    channel_of,
    claimed_bandwidth,
)


def layout(channels: list[str | None], rate: float = 3200, width: int = 64) -> MemoryLayout:
    modules = tuple(
        MemoryModule(
            channel=channel,
            size_bytes=2**34,
            type="DDR4",
            data_rate_mtps=rate,
            width_bits=width,
        )
        for channel in channels
    )
    return MemoryLayout(source="test", modules=modules, slots=8)


def claimed(found: MemoryLayout, most_channels: int | None = None) -> ClaimedBandwidth:
    claim = claimed_bandwidth(found, most_channels)
    assert claim is not None
    return claim


@pytest.mark.parametrize(
    ("slot", "bank", "channel"),
    [
        ("DIMM 1", "P0 CHANNEL A", "0/A"),
        ("DIMM 0", "P1 CHANNEL H", "1/H"),
        ("DIMM_A1", "NODE 1", "1/A"),
        ("DIMM_A2", "", "A"),
        ("P1-DIMMB1", "P0_Node0_Channel1_Dimm0", "0/1"),
        ("CPU2_DIMM_C1", None, "2/C"),
        ("DIMMA1", None, "A"),
        ("A1", None, "A"),
        ("ChannelA-DIMM1", "BANK 1", "A"),
        ("Controller1-ChannelB-DIMM0", "BANK 0", "1/B"),
        ("DIMM_P0_A0", None, "0/A"),
        ("DIMM_P1_A1", None, "1/A"),
        ("CPU1_A1", None, "1/A"),
        # Channels that are numbered behind a processor's letter
        ("A7", None, None),
        ("DIMM_A12", None, None),
        ("DIMM 0", "BANK 0", None),
        ("Top - Slot 2 (right)", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_slots_name_tells_its_channel_or_nothing(
    slot: str | None, bank: str | None, channel: str | None
) -> None:
    assert channel_of(slot, bank) == channel


def test_seven_of_eight_modules_move_seven_channels() -> None:
    """With one of eight gone the firmware says 3200 MT/s of the others as before."""
    seven = claimed(layout([f"0/{letter}" for letter in "ABCDEFG"]))
    # 7 x 8 bytes x 3200
    assert seven.bytes_per_second == pytest.approx(179.2e9)
    assert (seven.channels, seven.is_bound) == (7, False)


def test_four_of_sixteen_channels() -> None:
    four = claimed(layout(["0/A", "0/B", "1/A", "1/B"], rate=4400))
    assert four.bytes_per_second == pytest.approx(140.8e9)


def test_two_modules_on_one_channel_share_it() -> None:
    pair = claimed(layout(["A", "A", "B", "B"]))
    assert pair.bytes_per_second == pytest.approx(51.2e9)
    assert pair.channels == 2


def test_where_slots_do_not_tell_the_processors_channels_bound_it() -> None:
    unknown = layout([None, None, None, None])
    assert claimed(unknown) == ClaimedBandwidth(
        bytes_per_second=102.4e9, channels=None, is_bound=True
    )
    assert claimed(unknown, most_channels=2).bytes_per_second == pytest.approx(51.2e9)


def test_a_letter_with_more_modules_than_a_channel_takes_is_no_channel() -> None:
    """Slots A1 to A6 of a server whose letters are its processors: six channels, not one."""
    six = layout([channel_of(f"A{number}", None) for number in range(1, 7)])
    assert claimed(six, most_channels=6) == ClaimedBandwidth(
        bytes_per_second=6 * 25.6e9, channels=None, is_bound=True
    )
    assert claimed(layout(["A", "A", "A"])).is_bound
    assert not claimed(layout(["A", "A"])).is_bound


def test_a_single_module_has_its_channel_to_itself() -> None:
    assert claimed(layout([None])).is_bound is False


def test_all_channels_run_at_the_slowest_modules_rate() -> None:
    fast, slow = layout(["A"], rate=3200).modules[0], layout(["B"], rate=2666).modules[0]
    mixed = MemoryLayout(source="test", modules=(fast, slow))
    # 2 x 8 bytes x 2666
    assert claimed(mixed).bytes_per_second == pytest.approx(42.656e9)


def test_soldered_chips_add_their_own_widths() -> None:
    chips = layout([f"0/{letter}" for letter in "ABCDEFGH"], rate=8000, width=32)
    assert claimed(chips).bytes_per_second == pytest.approx(256e9)


@pytest.mark.parametrize(
    "module",
    [
        MemoryModule(size_bytes=1, type="DDR4", width_bits=64),
        MemoryModule(size_bytes=1, type="LPDDR5", data_rate_mtps=6400),
        MemoryModule(size_bytes=1, data_rate_mtps=6400),
    ],
)
def test_without_a_rate_or_a_width_nothing_is_claimed(module: MemoryModule) -> None:
    assert claimed_bandwidth(MemoryLayout(source="test", modules=(module,))) is None


def test_without_modules_nothing_is_claimed() -> None:
    assert claimed_bandwidth(MemoryLayout(source="test", modules=())) is None
