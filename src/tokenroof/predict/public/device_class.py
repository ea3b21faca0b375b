"""What a device has in common with others: the classes whose habits a prediction borrows.

A processor that nobody has measured behaves like its kin: first those of its generation driven by
the same backend, then those of its generation, then its vendor's. The classes come from a device's
name and figures, never from a measurement, so a device that was never seen has them as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenroof.hardware.device_table import KnownDevice

_NVIDIA = (
    ("maxwell", r"Jetson (Nano|TX)"),
    ("blackwell", r"\bB[23]00\b|\bGB[23]00|\bGB10\b|\bN1X\b|RTX 50[5-9]0|RTX PRO|RTX 6000D"),
    ("blackwell", r"Blackwell|Jetson AGX Thor|Jetson T4000"),
    ("hopper", r"\b(H100|H200|H20|H800|GH200)\b"),
    ("ada", r"\bAda\b|RTX 40[5-9]0|\bL(4|40|40S|20|2)\b"),
    ("ampere_hbm", r"\b(A100|A30|A800)\b|170HX"),
    ("ampere", r"RTX 30[5-9]0|RTX A\d|\bA(2|10|10G|16|40)\b|90HX|Jetson .*Orin"),
    ("volta", r"V100|TITAN V\b|GV100|100-210|Xavier"),
    ("turing", r"RTX 20[6-8]0|Quadro RTX|\bT4\b|TITAN RTX|\bT10\b"),
    ("turing_plain", r"GTX 16|\bT\d{3,4}\b|MX550|\b[45]0HX"),
    ("pascal_hbm", r"P100\b|GP100"),
    ("pascal", r"GTX 10|TITAN Xp|\bP\d{1,4}\b|P10[246]|GT 1030"),
)
_AMD = (
    ("cdna", r"MI(100|2[15]\d|3)"),
    ("vega", r"MI(25|50|60)|Vega|Radeon VII|Pro VII|WX 9100"),
    ("strix", r"\bMax\b"),
    ("rdna4", r"RX 90|R9[67]00"),
    ("rdna3", r"RX 7\d|W7[5-9]|V710"),
    ("rdna2", r"RX 6\d|W6[4-9]|V620"),
    ("rdna1", r"RX 5[5-7]00|Pro 5[5-7]00|5[56]00M"),
)

_VENDORS = {"NVIDIA": "nv", "AMD": "amd", "Apple": "apple", "Intel": "intel"}

OLD_BEFORE = 2018
"""Desktop processors of at most four cores, which bound them more than their memory."""

_SERVER = re.compile(r"EPYC|Xeon|Threadripper")


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """The classes of a processor.

    Attributes:
        vendor: `nv`, `amd`, `apple`, `intel`, `cpu` or `other`.
        architecture: its generation, the vendor in front.
    """

    vendor: str
    architecture: str


def device_class(known: KnownDevice, *, on_cpu: bool) -> DeviceClass:
    """The classes of a device, or of the processor cores of a chip that has a GPU as well."""
    vendor = _VENDORS.get(known.vendor or "", "other")
    if on_cpu or known.kind == "cpu" or (known.kind == "soc" and vendor not in ("nv", "apple")):
        return DeviceClass("cpu", _processor(known))
    return DeviceClass(vendor, f"{vendor}-{_generation(known, vendor)}")


def _generation(known: KnownDevice, vendor: str) -> str:
    name = known.name
    found = ""
    if vendor == "nv":
        found = _first(_NVIDIA, name) or _by_year(known.year)
    elif vendor == "amd":
        found = _first(_AMD, name) or "gcn"
        if known.kind == "apu" and found != "strix":
            found = "vega_apu" if found == "vega" else "apu"
    elif vendor == "apple":
        chip = re.search(r"Apple ([MA]\d+)", name)
        found = chip[1].lower() if chip else ""
    elif vendor == "intel" and known.kind == "gpu":
        found = "xe2" if re.search(r"Arc (Pro )?B\d", name) else "xe1"
    elif vendor == "intel":
        found = "igpu"
    return found or "device"


def backend_of(said: str | None, vendor: str, *, on_cpu: bool) -> str:
    """The backend by the words of engines and people: `CUDA`, `MTL,BLAS`, `Vulkan (RADV)`."""
    if on_cpu:
        return "cpu"
    text = (said or "").lower()
    if vendor == "nv" and "cuda" in text:
        return "cuda"
    for backend, words in (
        ("vulkan", ("vulkan",)),
        ("rocm", ("rocm", "hip")),
        ("metal", ("metal", "mtl")),
        ("sycl", ("sycl", "ipex")),
        ("opencl", ("opencl",)),
        ("mlx", ("mlx",)),
        ("cuda", ("cuda",)),
    ):
        if any(word in text for word in words):
            return "rocm" if backend == "cuda" and vendor == "amd" else backend
    return {"nv": "cuda", "apple": "metal"}.get(vendor, "vulkan")


def says_cpu(backend: str | None) -> bool:
    """Whether a backend's name means the processor's cores."""
    return (backend or "").strip().lower().startswith("cpu")


def _first(rules: tuple[tuple[str, str], ...], name: str) -> str | None:
    return next((generation for generation, rule in rules if re.search(rule, name)), None)


def _by_year(year: int | None) -> str:
    if year is None or year < 2017:
        return "maxwell"
    return "ada" if year < 2025 else "blackwell"


def _processor(known: KnownDevice) -> str:
    """Of processors: what limits their cores."""
    if known.vendor == "Apple" or (known.kind == "apu" and known.bus_width_bits > 128):
        return "cpu-unified"  # more bandwidth than cores can draw
    if known.vendor in ("Ampere", "AWS"):
        return "cpu-server_arm"
    if known.kind == "soc":
        return "cpu-arm_soc"
    if _SERVER.search(known.name) or known.bus_width_bits > 256:
        return "cpu-server"
    return "cpu-old" if known.year is not None and known.year < OLD_BEFORE else "cpu-desktop"
