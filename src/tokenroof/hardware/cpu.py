"""The processor's name, its last-level cache and its governor, as each system tells them.

Every function reads one source and takes that source as an argument, so recorded output of
systems that are not at hand can be read in the tests.
"""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

ROOT = Path("/")

Sysctl = Callable[[str], str]


def cpu_name(system: str, root: Path = ROOT, sysctl: Sysctl | None = None) -> str | None:
    """What the processor is called. `system` is a name that `platform.system` gives."""
    if system == "Linux":
        name = name_from_cpuinfo(_text(root / "proc/cpuinfo"))
        # ARM boards have no model name there, but the board's own name in the device tree.
        name = name or _text(root / "sys/firmware/devicetree/base/model").strip("\0\n ")
    elif system == "Darwin":
        name = (sysctl or macos_sysctl)("machdep.cpu.brand_string").strip()
    elif system == "Windows":
        name = _windows_registry_name()
    else:
        name = platform.processor()
    return " ".join(name.split()) or None


def name_from_cpuinfo(text: str) -> str:
    """The model name of the first processor in `/proc/cpuinfo`; empty where it has none."""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def cache_bytes(system: str, root: Path = ROOT, sysctl: Sysctl | None = None) -> int | None:
    """Size of all last-level caches together; None where the system does not tell.

    Apple's chips have a further cache beside the memory controller that no call reports, so there
    the answer is None although the smaller caches are known.
    """
    if system == "Linux":
        return _linux_cache_bytes(root / "sys/devices/system/cpu")
    if system == "Darwin":
        text = (sysctl or macos_sysctl)("hw.l3cachesize").strip()
        return int(text) or None if text.isdecimal() else None
    return None


def _linux_cache_bytes(cpus: Path) -> int | None:
    # One cache is listed under each core that shares it: the list of sharers tells them apart.
    caches: dict[tuple[int, str], int] = {}
    for folder in cpus.glob("cpu[0-9]*/cache/index[0-9]*"):
        level = _text(folder / "level").strip()
        size = re.fullmatch(r"(\d+)([KMG]?)", _text(folder / "size").strip())
        if not level.isdecimal() or size is None:
            continue
        scale = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[size.group(2)]
        sharers = _text(folder / "shared_cpu_list").strip() or folder.parent.parent.name
        caches[int(level), sharers] = int(size.group(1)) * scale
    if not caches:
        return None
    last = max(level for level, _ in caches)
    return sum(size for (level, _), size in caches.items() if level == last)


def governor(root: Path = ROOT) -> str | None:
    """The frequency governor of the cores, `performance` or `powersave, performance`."""
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    names = {_text(file).strip() for file in files} - {""}
    return ", ".join(sorted(names)) or None


def sockets(root: Path = ROOT) -> int | None:
    """How many processors stand in a Linux machine; None where it does not tell."""
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/topology/physical_package_id")
    packages = {_text(file).strip() for file in files}
    return len([each for each in packages if each.isdecimal()]) or None


def macos_sysctl(key: str) -> str:
    """One value of macOS's `sysctl`; empty where it has none."""
    done = subprocess.run(
        ["sysctl", "-n", key], capture_output=True, text=True, timeout=5, check=False
    )
    return done.stdout


def _windows_registry_name() -> str:
    # Loaded by name: the module exists on Windows only.
    registry = import_module("winreg")
    path = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, path) as key:
        return str(registry.QueryValueEx(key, "ProcessorNameString")[0])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
