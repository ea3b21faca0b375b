# ruff: noqa: N802 - the library's own names
from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tokenroof.hardware.nvml import nvidia_devices


class NvmlError(Exception):
    pass


class Library:
    """As much of the management library as is asked for: two GPUs, and one that fell off."""

    NVMLError = NvmlError

    def __init__(self, *, driver: bool = True) -> None:
        self.driver = driver
        self.opened = 0

    def nvmlInit(self) -> None:
        if not self.driver:
            raise NvmlError
        self.opened += 1

    def nvmlShutdown(self) -> None:
        self.opened -= 1

    def nvmlDeviceGetCount(self) -> int:
        return 3

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        if index == 1:
            raise NvmlError
        return index

    def nvmlDeviceGetName(self, handle: int) -> str | bytes:
        return "NVIDIA GeForce RTX 3090" if handle == 0 else b"NVIDIA GB10"

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> SimpleNamespace:
        if handle == 2:
            raise NvmlError
        return SimpleNamespace(total=25_769_803_776)


def test_gpus_have_a_name_and_a_memory_and_no_guessed_bandwidth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = Library()
    monkeypatch.setitem(sys.modules, "pynvml", library)
    first, second = nvidia_devices()
    assert (first.name, first.place, first.memory_bytes) == (
        "NVIDIA GeForce RTX 3090",
        "gpu",
        24 * 2**30,
    )
    assert first.bandwidth_bytes_per_second is None
    assert (second.name, second.memory_bytes) == ("NVIDIA GB10", None)
    assert library.opened == 0


def test_without_a_driver_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", Library(driver=False))
    assert nvidia_devices() == ()


def test_without_the_package_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert nvidia_devices() == ()
