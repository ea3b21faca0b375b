"""Devices as a person reads them: a list to choose from, or all that is known of one."""

from __future__ import annotations

import shlex

from tokenroof import words
from tokenroof.cli.screen import Screen
from tokenroof.hardware.device_search import Devices, further_names
from tokenroof.hardware.device_table import Figure, Kind, KnownDevice
from tokenroof.units import count

_NAMES_SHOWN = 12

_COLUMNS = (
    "devices.device",
    "devices.bandwidth_column",
    "devices.memory_column",
    "devices.fp16_column",
    "devices.year_column",
)
_KINDS: dict[Kind, str] = {
    "gpu": "devices.kind_gpu",
    "apu": "devices.kind_apu",
    "soc": "devices.kind_soc",
    "cpu": "devices.kind_cpu",
    "accelerator": "devices.kind_accelerator",
    "memory": "devices.kind_memory",
}
_FIGURES: dict[Figure, str] = {
    "memory_type": "devices.memory_type",
    "bus_width_bits": "devices.bus_width_bits",
    "data_rate_mtps": "devices.data_rate_mtps",
    "bandwidth_gb_s": "devices.bandwidth_gb_s",
    "memory_gb": "devices.memory_gb",
    "fp16_tflops": "devices.fp16_tflops",
    "fp32_tflops": "devices.fp32_tflops",
    "int8_tops": "devices.int8_tops",
    "power_w": "devices.power_w",
    "link_gb_s": "devices.link_gb_s",
    "year": "devices.year",
}


def show(found: Devices, language: str) -> None:
    """Print what was found."""
    if len(found.devices) == 1:
        _Page(found.devices[0], language).show()
    else:
        _list(found.devices, language)


def _list(devices: tuple[KnownDevice, ...], language: str) -> None:
    screen = Screen()
    titles = [words.text(each, language) for each in _COLUMNS]
    rows = [
        [
            each.name,
            _marked(each, "bandwidth_gb_s"),
            "/".join(f"{size:g}" for size in each.memory_gb) or "–",
            _marked(each, "fp16_tflops"),
            _marked(each, "year"),
        ]
        for each in devices
    ]
    screen.table(titles, rows)
    screen.gap()
    screen.say(words.text("devices.list_notes", language, count=count(len(devices))))


def _marked(device: KnownDevice, figure: Figure) -> str:
    value = getattr(device, figure)
    if value is None:
        return "–"
    return f"{value:g}" + ("?" if figure in device.unverified else "")


class _Page:
    """All that is known of one device."""

    def __init__(self, device: KnownDevice, language: str) -> None:
        self.device = device
        self.language = language
        self.screen = Screen()

    def show(self) -> None:
        """Print the page."""
        device = self.device
        self.screen.title(device.name)
        self.screen.facts(self._facts())
        if device.sources:
            self.screen.heading(self._text("devices.heading_sources"))
        for source in device.sources:
            figures = self._comma().join(self._text(_FIGURES[figure]) for figure in source.figures)
            self.screen.say(f"{figures}:", indent=2)
            self.screen.say(source.text, indent=4)
        if device.note is not None:
            self.screen.heading(self._text("devices.heading_note"))
            self.screen.say(device.note, indent=2)
        names = further_names(device)[:_NAMES_SHOWN]
        if names:
            self.screen.heading(self._text("devices.heading_names"))
            self.screen.say(", ".join(names), indent=2)
        self.screen.heading(self._text("devices.heading_use"))
        self.screen.command(f"tokenroof estimate MODEL --on {shlex.quote(device.name)}")

    def _facts(self) -> list[tuple[str, str]]:
        device = self.device
        kind = self._text(_KINDS[device.kind])
        if device.vendor is not None:
            kind = self._comma().join([kind, device.vendor])
        published = device.published_gb_s
        computed = self._text(
            "devices.computed",
            bits=f"{device.bus_width_bits:g}",
            rate=f"{device.data_rate_mtps:g}",
            bandwidth=_gb_s(round(device.computed_gb_s, 1)),
        )
        return [
            (self._text("devices.kind"), kind),
            (self._text("devices.year"), self._figure("year", "")),
            (self._text("devices.bandwidth_gb_s"), self._figure("bandwidth_gb_s", " GB/s")),
            ("  " + self._text("devices.published"), self._or_nobody(published)),
            ("  " + self._text("devices.bus"), computed),
            (self._text("devices.memory_gb"), self._memory()),
            (self._text("devices.fp16_tflops"), self._figure("fp16_tflops", " TFLOP/s")),
            (self._text("devices.fp32_tflops"), self._figure("fp32_tflops", " TFLOP/s")),
            (self._text("devices.int8_tops"), self._figure("int8_tops", " TOP/s")),
            (self._text("devices.power_w"), self._figure("power_w", " W")),
            (self._text("devices.link_gb_s"), self._figure("link_gb_s", " GB/s")),
        ]

    def _memory(self) -> str:
        device = self.device
        if not device.memory_gb:
            return self._text("devices.memory_of_owner", type=device.memory_type)
        sizes = ", ".join(f"{size:g}" for size in device.memory_gb)
        return self._verified("memory_gb", f"{sizes} GB {device.memory_type}")

    def _figure(self, figure: Figure, unit: str) -> str:
        value = getattr(self.device, figure)
        if value is None:
            return self._text("devices.unknown")
        return self._verified(figure, f"{value:g}{unit}")

    def _verified(self, figure: Figure, value: str) -> str:
        if figure in self.device.unverified:
            return self._text("devices.unverified", value=value)
        return value

    def _or_nobody(self, published: float | None) -> str:
        return self._text("devices.nobody") if published is None else _gb_s(published)

    def _comma(self) -> str:
        return words.text("cli.comma", self.language)

    def _text(self, name: str, **values: object) -> str:
        return words.text(name, self.language, **values)


def _gb_s(value: float) -> str:
    return f"{value:g} GB/s"
