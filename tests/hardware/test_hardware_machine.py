"""Detection, on trees of recorded files and recorded answers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tokenroof.hardware import cgroup, cpu
from tokenroof.hardware.machine import Machine, this_machine, usable_cores

CPUINFO_X86 = """\
processor\t: 0
vendor_id\t: AuthenticAMD
model name\t: AMD Ryzen AI Max+ 395   w/ Radeon 8060S
processor\t: 1
model name\t: AMD Ryzen AI Max+ 395   w/ Radeon 8060S
"""

CPUINFO_ARM = """\
processor\t: 0
BogoMIPS\t: 108.00
CPU implementer\t: 0x41
CPU part\t: 0xd0b
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_linux_names_the_cpu_in_cpuinfo_and_runs_of_spaces_are_closed(tmp_path: Path) -> None:
    write(tmp_path, {"proc/cpuinfo": CPUINFO_X86})
    assert cpu.cpu_name("Linux", tmp_path) == "AMD Ryzen AI Max+ 395 w/ Radeon 8060S"


def test_an_arm_board_is_named_by_its_device_tree(tmp_path: Path) -> None:
    board = "Raspberry Pi 5 Model B Rev 1.0\0"
    write(tmp_path, {"proc/cpuinfo": CPUINFO_ARM, "sys/firmware/devicetree/base/model": board})
    assert cpu.cpu_name("Linux", tmp_path) == "Raspberry Pi 5 Model B Rev 1.0"


def test_a_cpu_without_a_name_is_unknown(tmp_path: Path) -> None:
    assert cpu.cpu_name("Linux", write(tmp_path, {"proc/cpuinfo": CPUINFO_ARM})) is None


def test_macos_names_the_cpu_by_sysctl() -> None:
    answers = {"machdep.cpu.brand_string": "Apple M4 Max\n"}
    assert cpu.cpu_name("Darwin", sysctl=answers.__getitem__) == "Apple M4 Max"


@pytest.mark.parametrize(
    ("answer", "size"), [("12582912\n", 12_582_912), ("", None), ("0\n", None)]
)
def test_macos_tells_the_cache_of_intel_chips_only(answer: str, size: int | None) -> None:
    assert cpu.cache_bytes("Darwin", sysctl={"hw.l3cachesize": answer}.__getitem__) == size


def test_windows_names_the_cpu_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    class Key:
        def __enter__(self) -> str:
            return "key"

        def __exit__(self, *_: object) -> None:
            return None

    opened = []

    def open_key(hive: str, path: str) -> Key:
        opened.append((hive, path))
        return Key()

    registry = SimpleNamespace(
        HKEY_LOCAL_MACHINE="HKLM",
        OpenKey=open_key,
        QueryValueEx=lambda key, name: ("AMD Ryzen 9 7950X 16-Core Processor   ", 1),
    )
    monkeypatch.setitem(sys.modules, "winreg", registry)
    assert cpu.cpu_name("Windows") == "AMD Ryzen 9 7950X 16-Core Processor"
    assert opened == [("HKLM", r"HARDWARE\DESCRIPTION\System\CentralProcessor\0")]


def cache(index: str, level: int, kind: str, size: str, sharers: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/{index}"
    return {
        f"{folder}/level": f"{level}\n",
        f"{folder}/type": f"{kind}\n",
        f"{folder}/size": f"{size}\n",
        f"{folder}/shared_cpu_list": f"{sharers}\n",
    }


def test_last_level_caches_are_added_and_a_shared_one_counts_once(tmp_path: Path) -> None:
    # Two dies of two cores, 32 MiB of L3 each, as a desktop with two chiplets lists them.
    files: dict[str, str] = {}
    for core, sharers in ((0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")):
        files |= cache(f"cpu{core}/cache/index1", 1, "Instruction", "32K", f"{core}")
        files |= cache(f"cpu{core}/cache/index2", 2, "Unified", "1024K", f"{core}")
        files |= cache(f"cpu{core}/cache/index3", 3, "Unified", "32768K", sharers)
    assert cpu.cache_bytes("Linux", write(tmp_path, files)) == 2 * 32 * 2**20


def test_without_a_third_level_the_second_is_the_last(tmp_path: Path) -> None:
    files = cache("cpu0/cache/index0", 1, "Data", "64K", "0")
    files |= cache("cpu0/cache/index2", 2, "Unified", "2M", "0-3")
    assert cpu.cache_bytes("Linux", write(tmp_path, files)) == 2 * 2**20


def test_caches_that_nobody_lists_are_unknown(tmp_path: Path) -> None:
    assert cpu.cache_bytes("Linux", tmp_path) is None
    assert cpu.cache_bytes("Windows", tmp_path) is None


def test_all_governors_in_use_are_named(tmp_path: Path) -> None:
    governors = {
        f"sys/devices/system/cpu/cpu{n}/cpufreq/scaling_governor": f"{name}\n"
        for n, name in enumerate(("powersave", "performance", "powersave"))
    }
    assert cpu.governor(tmp_path) is None
    assert cpu.governor(write(tmp_path, governors)) == "performance, powersave"


def test_processors_are_counted_by_their_packages(tmp_path: Path) -> None:
    topology = "sys/devices/system/cpu/cpu{}/topology/physical_package_id"
    assert cpu.sockets(tmp_path) is None
    two = {topology.format(n): f"{n // 2}\n" for n in range(4)}
    assert cpu.sockets(write(tmp_path / "two", two)) == 2
    # Some firmware of ARM boards does not know
    assert cpu.sockets(write(tmp_path / "arm", {topology.format(0): "-1\n"})) is None


V2 = {"proc/self/cgroup": "0::/user.slice/job.service\n"}


def test_the_smallest_quota_on_the_way_up_holds(tmp_path: Path) -> None:
    files = V2 | {
        "sys/fs/cgroup/user.slice/job.service/cpu.max": "max 100000\n",
        "sys/fs/cgroup/user.slice/cpu.max": "150000 100000\n",
        "sys/fs/cgroup/cpu.max": "400000 100000\n",
    }
    assert cgroup.quota_cores(write(tmp_path, files)) == 1.5


def test_inside_a_container_the_quota_stands_at_the_root_of_the_tree(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/docker/abc\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}
    assert cgroup.quota_cores(write(tmp_path, files)) == 2.0


@pytest.mark.parametrize(("quota", "cores"), [("250000", 2.5), ("-1", None)])
def test_version_1_keeps_the_quota_in_two_files(
    tmp_path: Path, quota: str, cores: float | None
) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/m\n4:cpu,cpuacct:/job\n",
        "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": f"{quota}\n",
        "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
    }
    assert cgroup.quota_cores(write(tmp_path, files)) == cores


def test_no_control_group_means_no_limit(tmp_path: Path) -> None:
    assert cgroup.quota_cores(tmp_path) is None
    assert cgroup.memory_limit_bytes(tmp_path) is None
    assert cgroup.memory_left_bytes(tmp_path) is None


def test_file_cache_is_not_counted_as_memory_in_use(tmp_path: Path) -> None:
    files = V2 | {
        "sys/fs/cgroup/user.slice/job.service/memory.max": "4000000000\n",
        "sys/fs/cgroup/user.slice/job.service/memory.current": "3900000000\n",
        "sys/fs/cgroup/user.slice/job.service/memory.stat": "anon 9\ninactive_file 2000000000\n"
        "active_file 1000000000\n",
        "sys/fs/cgroup/user.slice/memory.max": "max\n",
    }
    write(tmp_path, files)
    assert cgroup.memory_limit_bytes(tmp_path) == 4_000_000_000
    # 4.0 - (3.9 - 2.0 - 1.0) GB
    assert cgroup.memory_left_bytes(tmp_path) == 3_100_000_000


def test_version_1_writes_no_limit_as_a_huge_number(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/m\n",
        "sys/fs/cgroup/memory/m/memory.limit_in_bytes": "9223372036854771712\n",
    }
    assert cgroup.memory_limit_bytes(write(tmp_path, files)) is None


def test_an_ancestors_memory_limit_holds(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/m\n",
        "sys/fs/cgroup/memory/m/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "500000000\n",
        "sys/fs/cgroup/memory/memory.stat": "cache 1\nactive_file 7\n"
        "total_inactive_file 60000000\ntotal_active_file 40000000\n",
    }
    write(tmp_path, files)
    assert cgroup.memory_limit_bytes(tmp_path) == 2_000_000_000
    assert cgroup.memory_left_bytes(tmp_path) == 1_600_000_000


@pytest.mark.parametrize(
    ("affinity", "quota", "cores"),
    [(16, None, 16), (16, 4.0, 4), (16, 1.5, 1), (16, 0.5, 1), (2, 8.0, 2), (None, 2.0, None)],
)
def test_usable_cores_are_whole_cores_within_affinity_and_quota(
    affinity: int | None, quota: float | None, cores: int | None
) -> None:
    assert usable_cores(affinity, quota) == cores


def test_a_container_s_memory_is_what_it_may_use(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": "50000000\n",
        "sys/fs/cgroup/memory.current": "20000000\n",
    }
    machine = this_machine(write(tmp_path, files), "Linux")
    assert machine.memory_total_bytes == 50_000_000
    assert machine.memory_available_bytes == 30_000_000


def test_this_machine_agrees_with_what_the_system_says() -> None:
    machine = this_machine()
    assert machine.memory_total_bytes is not None
    assert machine.memory_total_bytes <= psutil.virtual_memory().total
    assert machine.logical_cores == psutil.cpu_count()
    assert machine.usable_cores is not None
    assert 1 <= machine.usable_cores <= (machine.logical_cores or 0)


def test_a_machine_that_tells_nothing_is_a_record_of_unknowns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    for name in ("virtual_memory", "cpu_count", "sensors_battery", "Process"):
        monkeypatch.setattr(psutil, name, refuse, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    monkeypatch.setattr("platform.release", lambda: "")
    monkeypatch.setattr("platform.freedesktop_os_release", refuse)
    assert this_machine(tmp_path, "Linux") == Machine()


@pytest.mark.parametrize(("plugged", "on_battery"), [(True, False), (False, True), (None, None)])
def test_a_laptop_is_on_battery_when_it_is_not_plugged_in(
    monkeypatch: pytest.MonkeyPatch, plugged: bool | None, on_battery: bool | None
) -> None:
    battery = SimpleNamespace(percent=80, secsleft=1, power_plugged=plugged)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)
    assert this_machine().on_battery is on_battery
