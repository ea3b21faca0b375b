"""What a person or the firmware set for the machine's power: it lowers clocks without a word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from tokenroof.hardware.sources.commands import Run, output
from tokenroof.hardware.sources.files import text

Profile = Literal["low", "balanced", "high"]

_LINUX: dict[str, Profile] = {
    "low-power": "low",
    "quiet": "low",
    "cool": "low",
    "balanced": "balanced",
    "balanced-performance": "high",
    "performance": "high",
}
_WINDOWS: dict[str, Profile] = {
    "a1841308-3541-4fab-bc81-f71556f20b4a": "low",
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high",
    "e9a42b02-d5df-448d-aa00-03f14749eb61": "high",
}
"""The plans that every Windows has, by the numbers that no language changes."""


def linux_profile(root: Path = Path("/")) -> Profile | None:
    """The profile of the firmware; None where it has none."""
    return _LINUX.get(text(root / "sys/firmware/acpi/platform_profile") or "")


def linux_boost(root: Path = Path("/")) -> bool | None:
    """Whether the cores may run above their base clock; None where the driver does not say."""
    cpus = root / "sys/devices/system/cpu"
    off = text(cpus / "intel_pstate/no_turbo")
    if off in {"0", "1"}:
        return off == "0"
    on = text(cpus / "cpufreq/boost")
    return on == "1" if on in {"0", "1"} else None


def linux_frequency_driver(root: Path = Path("/")) -> str | None:
    """What sets the cores' clocks, `acpi-cpufreq` or `intel_pstate`; None where nobody tells."""
    return _of_all_cores(root, "scaling_driver")


def linux_energy_preference(root: Path = Path("/")) -> str | None:
    """How far processors that choose their own clocks are to save energy, from `performance` over
    `balance_performance` and `balance_power` to `power`; None where they do not take that."""
    return _of_all_cores(root, "energy_performance_preference")


def _of_all_cores(root: Path, name: str) -> str | None:
    files = (root / "sys/devices/system/cpu").glob(f"cpu[0-9]*/cpufreq/{name}")
    return ", ".join(sorted({told for file in files if (told := text(file))})) or None


def macos_profile(run: Run = output) -> Profile | None:
    """Low-power mode, as `pmset` tells; None where it does not."""
    found = re.search(r"^\s*(?:lowpowermode|powermode)\s+(\d)", run(("pmset", "-g")), re.MULTILINE)
    if found is None:
        return None
    profiles: dict[str, Profile] = {"0": "balanced", "1": "low", "2": "high"}
    return profiles.get(found[1])


def windows_profile(run: Run = output) -> Profile | None:
    """The power plan in force, as `powercfg` tells; None for a plan of the maker's own."""
    found = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", _plan(run), re.IGNORECASE)
    return _WINDOWS.get(found[0].lower()) if found else None


def _plan(run: Run) -> str:
    return run(("powercfg", "/getactivescheme"))
