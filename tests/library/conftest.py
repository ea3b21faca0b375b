"""Tests of this room look into no store of whoever runs them, and through no proxy."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path, PurePath

import pytest

from simulator.file_server import FileServer, serving
from tokenroof.library import ollama
from tokenroof.library.system import System


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def system(tmp_path: Path) -> System:
    """A computer whose person has nothing yet."""
    return System("linux", {}, PurePath(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, system: System) -> None:
    for module in ("resolve", "installed"):
        # The function `resolve` hides its module from the package's attributes.
        found = import_module(f"tokenroof.library.{module}")
        monkeypatch.setattr(found, "here", lambda: system)
    monkeypatch.setattr(ollama, "_SERVICE_STORES", ())


@pytest.fixture
def server() -> Iterator[FileServer]:
    """A web server on loopback."""
    with serving() as running:
        yield running
