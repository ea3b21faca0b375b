"""AMD's GPUs, by `rocm-smi`, where the kernel's files do not name them."""

from __future__ import annotations

import json
from typing import Any

from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.sources.commands import Run, output

COMMAND = (
    "rocm-smi",
    "--showproductname",
    "--showmeminfo",
    "vram",
    "gtt",
    "--showdriverversion",
    "--json",
)


def rocm_smi_gpus(run: Run = output) -> tuple[Gpu, ...]:
    """Every card that it lists; none where there is no such program."""
    # Warnings may stand before the document.
    _, brace, rest = run(COMMAND).partition("{")
    try:
        found = json.loads(brace + rest)
    except ValueError:
        return ()
    if not isinstance(found, dict):
        return ()
    system = _lowered(found.get("system"))
    cards = [(key, _lowered(value)) for key, value in found.items() if key.startswith("card")]
    return tuple(_gpu(card, system.get("driver version")) for _, card in sorted(cards) if card)


def _gpu(card: dict[str, str], driver: str | None) -> Gpu:
    total = _whole(card.get("vram total memory (b)"))
    shared = _whole(card.get("gtt total memory (b)"))
    chip = card.get("gfx version")
    # The series is a name, the model often only a number; some versions say N/A.
    names = [card.get("card series"), card.get("card model")]
    name = next((each for each in names if each and not each.startswith(("0x", "N/A"))), None)
    return Gpu(
        name=name or f"AMD GPU ({chip or '?'})",
        vendor="AMD",
        source="rocm-smi",
        memory_total_bytes=total,
        memory_free_bytes=_left(total, _whole(card.get("vram total used memory (b)"))),
        shared_total_bytes=shared,
        shared_free_bytes=_left(shared, _whole(card.get("gtt total used memory (b)"))),
        driver=driver,
        chip=chip if chip and chip.startswith("gfx") else None,
        api=("ROCm",),
    )


def _lowered(entry: Any) -> dict[str, str]:
    """Keys in small letters: versions differ in how they write them."""
    if not isinstance(entry, dict):
        return {}
    return {str(key).lower(): str(value).strip() for key, value in entry.items()}


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None


def _left(total: int | None, used: int | None) -> int | None:
    return None if total is None or used is None else max(total - used, 0)
