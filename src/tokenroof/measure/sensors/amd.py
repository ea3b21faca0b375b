"""An AMD GPU, by the files that the Linux driver keeps for it.

`gpu_busy_percent` says how busy the GPU is, whoever it was: while a run of ours may be on it,
others' share is not known.
"""

from __future__ import annotations

from pathlib import Path

from tokenroof.measure.sensors.base import Reading

ROOT = Path("/sys/class/drm")
VENDOR = "0x1002"


class AmdSensor:
    """Watches one GPU.

    Args:
        device: the card's `device` folder.
        engine_on_gpu: False where the engine runs on the CPU, so that all use is others'.
    """

    def __init__(self, device: Path, engine_on_gpu: bool | None = None) -> None:
        self._device = device
        self._engine_on_gpu = engine_on_gpu
        self.name = f"AMD GPU ({device.parent.name})"

    def read(self, *, ours_running: bool) -> Reading:
        """Use by others where that can be told, clock, heat and power now."""
        ours = ours_running and self._engine_on_gpu is not False
        percent = None if ours else _number(self._device / "gpu_busy_percent")
        hertz = self._monitor("freq1_input")
        millidegrees = self._monitor("temp1_input")
        microwatts = self._monitor("power1_average")
        return Reading(
            busy=None if percent is None else min(percent / 100, 1.0),
            clock_mhz=None if hertz is None else hertz / 1e6,
            temperature_celsius=None if millidegrees is None else millidegrees / 1e3,
            power_watts=None if microwatts is None else microwatts / 1e6,
        )

    def _monitor(self, file: str) -> int | None:
        paths = sorted(self._device.glob(f"hwmon/hwmon*/{file}"))
        return _number(paths[0]) if paths else None


def amd_sensors(engine_on_gpu: bool | None = None, root: Path = ROOT) -> list[AmdSensor]:
    """One sensor for each AMD GPU whose driver says how busy it is."""
    # Outputs of a card, `card0-HDMI-A-1` and the like, are listed as well: they have no vendor.
    devices = [card / "device" for card in sorted(root.glob("card*"))]
    return [
        AmdSensor(device, engine_on_gpu)
        for device in devices
        if _text(device / "vendor") == VENDOR and _number(device / "gpu_busy_percent") is not None
    ]


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    # The driver answers some reads with an error while the GPU sleeps.
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
