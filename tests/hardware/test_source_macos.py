"""macOS: system_profiler, ioreg, the limit of Metal's working set, low-power mode."""

from __future__ import annotations

import pytest

from support.recorded import programs, recorded
from tokenroof.hardware.gpus import find_gpus
from tokenroof.hardware.memory_modules import claimed_bandwidth
from tokenroof.hardware.sources import apple, power

GIB = 2**30
M4_MAX = {
    "system_profiler": recorded("system_profiler_m4_max.json"),
    "ioreg": recorded("ioreg_m4_max.plist"),
    "sysctl": "0\n",
}


def test_the_chips_bin_is_told_by_its_cores() -> None:
    (gpu,) = find_gpus(system="Darwin", run=programs(M4_MAX))
    assert (gpu.name, gpu.cores, gpu.device) == ("Apple M4 Max", 32, "Apple M4 Max (32-core GPU)")
    # The 40-core part has 546.
    assert (gpu.bandwidth_gb_s, gpu.bandwidth_source) == (409.6, "table")
    assert (gpu.is_unified, gpu.api) == (True, ("Metal",))
    assert gpu.busy == 0.03


def test_metal_may_use_three_quarters_less_what_is_in_use() -> None:
    (gpu,) = apple.apple_machine(programs(M4_MAX)).gpus
    assert gpu.shared_total_bytes == 27 * GIB
    assert gpu.shared_free_bytes == 27 * GIB - 512 * 2**20


@pytest.mark.parametrize(
    ("memory_gib", "setting", "usable_bytes"),
    [
        # What llama.cpp prints as recommendedMaxWorkingSetSize: 11453.25, 22906.50, 28991.03,
        # 51539.61 MB for 16, 32, 36 and 64 GB.
        (16, "0", 11_453_246_122),
        (32, "", 22_906_492_245),
        (36, "0\n", 28_991_029_248),
        (64, "0", 51_539_607_552),
        (64, "57344\n", 56 * GIB),
        (16, "sysctl: unknown oid", 11_453_246_122),
    ],
)
def test_the_working_set_is_the_setting_or_the_systems_share(
    memory_gib: int, setting: str, usable_bytes: int
) -> None:
    assert apple.working_set_bytes(memory_gib * GIB, setting) == usable_bytes


def test_the_mac_and_its_memory() -> None:
    mac = apple.apple_machine(programs(M4_MAX))
    assert (mac.model, mac.chip) == ("MacBook Pro Mac16,6", "Apple M4 Max")
    assert mac.memory_bytes == 36 * GIB
    # The memory is on the chip: no modules are told of.
    assert mac.layout is None


def test_nothing_that_identifies_the_mac_is_taken() -> None:
    assert "SERIAL" not in str(apple.apple_machine(programs(M4_MAX)))


def test_an_intel_mac_tells_modules_and_a_card() -> None:
    run = programs({"system_profiler": recorded("system_profiler_intel.json")})
    mac = apple.apple_machine(run)
    assert mac.layout is not None
    assert (len(mac.layout.modules), mac.layout.slots) == (3, 4)
    claim = claimed_bandwidth(mac.layout)
    assert claim is not None
    # Two channels, one of them with two modules: 2 x 8 bytes x 2667
    assert claim.bytes_per_second == pytest.approx(42.672e9)
    (gpu,) = find_gpus(system="Darwin", run=run)
    assert (gpu.device, gpu.is_unified) == ("Radeon Pro 5700 XT", False)
    assert gpu.memory_total_bytes == 16 * GIB
    assert "SERIAL" not in str(mac)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"SPDisplaysDataType": "x"}', "null"])
def test_no_answer_is_a_mac_of_which_nothing_is_known(text: str) -> None:
    broken = programs({"system_profiler": text, "ioreg": "<plist><array>"})
    assert apple.apple_machine(broken) == apple.AppleMachine()


def test_a_broken_property_list_leaves_the_rest() -> None:
    broken = programs(M4_MAX | {"ioreg": "<plist><array><dict>"})
    (gpu,) = apple.apple_machine(broken).gpus
    assert (gpu.cores, gpu.busy, gpu.shared_free_bytes) == (32, None, None)


@pytest.mark.parametrize(
    ("settings", "profile"),
    [
        ("Currently in use:\n standby              1\n lowpowermode         1\n", "low"),
        (" lowpowermode         0\n", "balanced"),
        (" powermode            2\n", "high"),
        (" standby              1\n", None),
        ("", None),
    ],
)
def test_low_power_mode(settings: str, profile: str | None) -> None:
    assert power.macos_profile(programs({"pmset": settings})) == profile
