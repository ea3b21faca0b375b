"""Linux: GPUs in sysfs, memory nodes, power, and what the system runs in."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.recorded import programs, recorded, write
from tokenroof.hardware.gpus import find_gpus
from tokenroof.hardware.sources import drm, numa, power, rocm_smi, surroundings

GIB = 2**30
CARD = "sys/class/drm/card1/device"
STRIX_HALO = {
    f"{CARD}/vendor": "0x1002\n",
    f"{CARD}/device": "0x1586\n",
    f"{CARD}/revision": "0xc1\n",
    f"{CARD}/mem_info_vram_total": f"{GIB // 2}\n",
    f"{CARD}/mem_info_vram_used": f"{GIB // 4}\n",
    f"{CARD}/mem_info_gtt_total": f"{62 * GIB}\n",
    f"{CARD}/mem_info_gtt_used": f"{2 * GIB}\n",
    f"{CARD}/gpu_busy_percent": "7\n",
    f"{CARD}/current_link_speed": "16.0 GT/s PCIe\n",
    f"{CARD}/current_link_width": "16\n",
    f"{CARD}/max_link_speed": "16.0 GT/s PCIe\n",
    f"{CARD}/max_link_width": "16\n",
    f"{CARD}/unique_id": "SERIAL-12\n",
    f"{CARD}/drm/renderD128/dev": "226:128\n",
    "sys/class/drm/card1-DP-1/status": "connected\n",
    "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 32\nsimd_count 0\n"
    "gfx_target_version 0\ndrm_render_minor 0\n",
    "sys/class/kfd/kfd/topology/nodes/1/properties": "cpu_cores_count 0\nsimd_count 80\n"
    "gfx_target_version 110501\ndrm_render_minor 128\nunique_id 1234567890\n",
    "usr/share/libdrm/amdgpu.ids": "# List of AMDGPU IDs\n#\n1.0.0\n"
    "1586,\tC1,\tAMD Radeon 8060S Graphics\n1586,\tC2,\tAMD Radeon 8050S Graphics\n",
    "dev/kfd": "",
}


def test_a_gpu_in_the_processor_has_a_carve_out_and_a_part_of_the_memory(tmp_path: Path) -> None:
    (gpu,) = drm.amd_gpus(write(tmp_path, STRIX_HALO))
    assert (gpu.name, gpu.chip, gpu.pci_id) == ("AMD Radeon 8060S Graphics", "gfx1151", "1002:1586")
    assert (gpu.memory_total_bytes, gpu.memory_free_bytes) == (GIB // 2, GIB // 4)
    assert (gpu.shared_total_bytes, gpu.shared_free_bytes) == (62 * GIB, 60 * GIB)
    assert (gpu.busy, gpu.api) == (0.07, ("ROCm",))
    assert gpu.link is not None
    assert (gpu.link.generation, gpu.link.lanes) == (4, 16)
    assert "SERIAL" not in str(gpu)
    assert "1234567890" not in str(gpu)


def test_it_is_the_device_that_its_processor_is(tmp_path: Path) -> None:
    """Three processors have a Radeon 8060S; the name of this one tells which."""
    root = write(tmp_path, STRIX_HALO)
    run = programs({})
    (gpu,) = find_gpus("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", system="Linux", root=root, run=run)
    assert gpu.device == "Ryzen AI Max+ 395 (Radeon 8060S)"
    assert (gpu.bandwidth_gb_s, gpu.bandwidth_source, gpu.is_unified) == (256, "table", True)
    (unknown,) = find_gpus(None, system="Linux", root=root, run=run)
    assert (unknown.device, unknown.bandwidth_gb_s) == (None, None)
    assert unknown.is_unified is True


def test_where_the_table_does_not_tell_the_memory_it_reads_from_does(tmp_path: Path) -> None:
    root = write(tmp_path, STRIX_HALO)
    (gpu,) = find_gpus("some processor", 256.0, system="Linux", root=root, run=programs({}))
    assert (gpu.bandwidth_gb_s, gpu.bandwidth_source) == (256.0, "memory")


CARD_7900 = {
    f"{CARD}/vendor": "0x1002\n",
    f"{CARD}/device": "0x744c\n",
    f"{CARD}/revision": "0xc8\n",
    f"{CARD}/mem_info_vram_total": "25753026560\n",
    f"{CARD}/mem_info_vram_used": "27889664\n",
    f"{CARD}/hwmon/hwmon4/power1_cap": "282000000\n",
    f"{CARD}/hwmon/hwmon4/power1_cap_default": "327000000\n",
    f"{CARD}/current_link_width": "8\n",
    f"{CARD}/max_link_width": "16\n",
    f"{CARD}/max_link_speed": "16.0 GT/s PCIe\n",
    "sys/module/amdgpu/version": "6.8.5\n",
}
"""Of a machine without the list of names."""


def test_a_card_has_its_memory_link_and_power_limit(tmp_path: Path) -> None:
    (gpu,) = drm.amd_gpus(write(tmp_path, CARD_7900))
    assert gpu.name == "AMD GPU (1002:744c)"
    assert (gpu.power_limit_watts, gpu.default_power_limit_watts) == (282, 327)
    assert gpu.link is not None
    assert (gpu.link.lanes, gpu.link.most_lanes, gpu.link.most_generation) == (8, 16, 4)
    assert gpu.driver == "amdgpu 6.8.5"


def test_rocm_smi_names_what_the_kernel_does_not(tmp_path: Path) -> None:
    run = programs({"rocm-smi": recorded("rocm_smi.json")})
    (gpu,) = find_gpus(None, 96.0, system="Linux", root=write(tmp_path, CARD_7900), run=run)
    # Of three cards with this chip: the brackets name no single one, and what the system's memory
    # moves is not what a card's does.
    assert gpu.name == "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]"
    assert (gpu.source, gpu.device, gpu.bandwidth_gb_s) == ("sysfs", None, None)


def test_rocm_smi_after_its_warning() -> None:
    first, second = rocm_smi.rocm_smi_gpus(programs({"rocm-smi": recorded("rocm_smi.json")}))
    assert (first.memory_total_bytes, first.chip, first.driver) == (25753026560, "gfx1100", "6.8.5")
    assert first.memory_free_bytes == 25753026560 - 27889664
    assert second.name == "Rembrandt [Radeon 680M]"
    assert second.memory_total_bytes == GIB // 2
    assert "SERIAL" not in str((first, second))


@pytest.mark.parametrize("text", ["", "ERROR: no devices", "{", "[]", '{"card0": 3}'])
def test_rocm_smi_without_an_answer_lists_nothing(text: str) -> None:
    assert rocm_smi.rocm_smi_gpus(programs({"rocm-smi": text})) == ()


def test_a_gpu_without_a_driver_is_still_there(tmp_path: Path) -> None:
    bus = "sys/bus/pci/devices/0000:01:00.0"
    files = {
        f"{bus}/class": "0x030000\n",
        f"{bus}/vendor": "0x10de\n",
        f"{bus}/device": "0x2204\n",
        "sys/bus/pci/devices/0000:02:00.0/class": "0x020000\n",
        "sys/bus/pci/devices/0000:02:00.0/vendor": "0x8086\n",
        # A server's own display
        "sys/bus/pci/devices/0000:03:00.0/class": "0x030000\n",
        "sys/bus/pci/devices/0000:03:00.0/vendor": "0x1a03\n",
    }
    (gpu,) = find_gpus(system="Linux", root=write(tmp_path, files), run=programs({}))
    assert (gpu.name, gpu.source, gpu.driver) == ("NVIDIA GPU", "PCI", None)
    assert (gpu.bandwidth_gb_s, gpu.memory_total_bytes) == (None, None)


def test_without_a_gpu_there_is_none(tmp_path: Path) -> None:
    assert find_gpus(system="Linux", root=tmp_path, run=programs({})) == ()


def test_memory_nodes_with_their_cores(tmp_path: Path) -> None:
    folder = "sys/devices/system/node"
    files = {
        f"{folder}/node0/cpulist": "0-15,32-47\n",
        f"{folder}/node0/meminfo": "Node 0 MemTotal:       131912644 kB\nNode 0 MemFree: 1 kB\n",
        f"{folder}/node1/cpulist": "16-31,48-63\n",
        f"{folder}/node1/meminfo": "Node 1 MemTotal:       132112644 kB\n",
        f"{folder}/node2/cpulist": "\n",
        f"{folder}/node2/meminfo": "garbage\n",
        f"{folder}/online": "0-2\n",
    }
    found = numa.nodes(write(tmp_path, files))
    assert [node.cores for node in found] == [32, 32, 0]
    assert [node.memory_bytes for node in found] == [131912644 * 1024, 132112644 * 1024, None]
    assert numa.nodes(tmp_path / "nowhere") == ()


@pytest.mark.parametrize(
    ("files", "environment", "kind"),
    [
        ({"proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n"}, {}, "WSL"),
        ({".dockerenv": ""}, {}, "Docker"),
        ({"run/.containerenv": ""}, {}, "Podman"),
        ({"run/systemd/container": "lxc\n"}, {}, "lxc"),
        ({".dockerenv": ""}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "Kubernetes"),
        ({"proc/sys/kernel/osrelease": "6.8.0-51-generic\n"}, {}, None),
        ({}, {}, None),
    ],
)
def test_containers(
    tmp_path: Path, files: dict[str, str], environment: dict[str, str], kind: str | None
) -> None:
    assert surroundings.container(write(tmp_path, files), environment) == kind


@pytest.mark.parametrize(
    ("board", "files", "kind"),
    [
        ("QEMU Standard PC (Q35 + ICH9, 2009)", {}, "QEMU/KVM"),
        ("Microsoft Corporation Virtual Machine", {}, "Hyper-V"),
        ("Microsoft Corporation Surface Laptop 7", {}, None),
        (None, {"proc/cpuinfo": "flags\t\t: fpu vme hypervisor lahf_lm\n"}, "?"),
        (None, {"proc/cpuinfo": "flags\t\t: fpu vme\n"}, None),
        (None, {"sys/hypervisor/type": "xen\n"}, "Xen"),
        ("Framework Desktop", {}, None),
    ],
)
def test_virtual_machines(
    tmp_path: Path, board: str | None, files: dict[str, str], kind: str | None
) -> None:
    assert surroundings.virtual_machine(write(tmp_path, files), board) == kind


@pytest.mark.parametrize(
    ("profile", "expected"),
    [("low-power", "low"), ("balanced", "balanced"), ("performance", "high"), ("custom", None)],
)
def test_the_firmwares_profile(tmp_path: Path, profile: str, expected: str | None) -> None:
    root = write(tmp_path, {"sys/firmware/acpi/platform_profile": f"{profile}\n"})
    assert power.linux_profile(root) == expected


def test_what_sets_the_clocks_and_how_far_it_saves(tmp_path: Path) -> None:
    cpus = "sys/devices/system/cpu/cpu{}/cpufreq/"
    assert power.linux_frequency_driver(tmp_path) is None
    assert power.linux_energy_preference(tmp_path) is None
    files = {
        **{f"{cpus.format(n)}scaling_driver": "amd-pstate-epp\n" for n in range(2)},
        f"{cpus.format(0)}energy_performance_preference": "power\n",
        f"{cpus.format(1)}energy_performance_preference": "balance_power\n",
    }
    root = write(tmp_path, files)
    assert power.linux_frequency_driver(root) == "amd-pstate-epp"
    assert power.linux_energy_preference(root) == "balance_power, power"


@pytest.mark.parametrize(
    ("file", "value", "boost"),
    [
        ("intel_pstate/no_turbo", "1", False),
        ("intel_pstate/no_turbo", "0", True),
        ("cpufreq/boost", "0", False),
        ("cpufreq/boost", "1", True),
    ],
)
def test_boost(tmp_path: Path, file: str, value: str, boost: bool) -> None:
    root = write(tmp_path, {f"sys/devices/system/cpu/{file}": f"{value}\n"})
    assert power.linux_boost(root) is boost
    assert power.linux_boost(tmp_path / "nowhere") is None
