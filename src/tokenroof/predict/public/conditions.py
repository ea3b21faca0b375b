"""Under which conditions something runs, as far as they change its speed, and their classes.

Engines get faster: what counts is the year of a build, or half of it. Where nobody says, an
engine of today is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.predict.public.device_class import DeviceClass, backend_of, device_class

if TYPE_CHECKING:
    from tokenroof.hardware.device_table import KnownDevice

LATEST = "2026"

_ERAS = (("2024", "2023"), ("2025", "2024"), ("2025-07", "2025a"), ("2026", "2025b"))
"""An era ends where the next text begins."""

_BUILDS = ((1750, "2023"), (4400, "2024"), (5790, "2025a"), (7580, "2025b"))
"""The same by the numbers of llama.cpp's builds, which are published at least once a day."""

_FLASH_SINCE = "2025-09"
"""llama.cpp uses flash attention unless told otherwise."""

ENGINES = (
    ("llamafile", ("localscore", "llamafile")),
    ("ollama", ("ollama",)),
    ("ik_llama", ("ik_llama", "ik-llama")),
    ("mlx", ("mlx",)),
    ("lmstudio", ("lm studio", "lmstudio", "lm-studio")),
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """How something runs. None is not said."""

    backend: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    date: str | None = None
    flash_attention: bool | None = None


def levels(known: KnownDevice, conditions: Conditions, *, on_cpu: bool) -> dict[str, str]:
    """Which class of every grouping a device under conditions is of."""
    of = device_class(known, on_cpu=on_cpu)
    on_cpu = of.vendor == "cpu"
    engine = engine_of(conditions.engine)
    said = "mlx" if engine == "mlx" and not on_cpu else conditions.backend
    backend = backend_of(said, of.vendor, on_cpu=on_cpu)
    if engine == "llamafile" and of.vendor == "amd":
        backend = "rocm"  # the only way in which it uses these
    return levels_of(of, backend, engine, era(conditions), with_flash=flash(conditions))


def levels_of(
    of: DeviceClass, backend: str, engine: str, when: str, *, with_flash: bool
) -> dict[str, str]:
    """The groupings by name."""
    flashed = "flash" if with_flash else "plain"
    return {
        "flash": flashed,
        "vendor": f"{of.vendor} {backend}",
        "architecture": of.architecture,
        "pair": f"{of.architecture} {backend}",
        "era": f"{backend} {when}",
        "vendor_flash": f"{of.vendor} {backend} {flashed}",
        "pair_flash": f"{of.architecture} {backend} {flashed}",
        "engine": engine,
    }


def engine_of(said: str | None) -> str:
    """An engine by its name; nothing for llama.cpp itself, and for what is not known."""
    text = (said or "").lower()
    if "or llama.cpp" in text or "/ llama.cpp" in text:
        return ""
    return next((name for name, words in ENGINES if any(w in text for w in words)), "")


def era(conditions: Conditions) -> str:
    """When its engine was built."""
    return era_said(conditions) or LATEST


def era_said(conditions: Conditions) -> str | None:
    """When its engine was built, by its date or by the number of its build; None if not said."""
    date = (conditions.date or "").strip()
    if re.match(r"\d{4}", date):
        return next((name for end, name in _ERAS if date < end), LATEST)
    build = re.match(r"b?(\d{3,5})\b", (conditions.engine_version or "").strip())
    if build and "llama" in (conditions.engine or "llama"):
        return next((name for end, name in _BUILDS if int(build[1]) < end), LATEST)
    return None


def flash(conditions: Conditions) -> bool:
    """Whether attention is computed by flash attention."""
    if conditions.flash_attention is not None:
        return conditions.flash_attention
    if engine_of(conditions.engine) == "llamafile":
        return False
    return not conditions.date or conditions.date >= _FLASH_SINCE
