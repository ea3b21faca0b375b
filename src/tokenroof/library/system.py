"""Whose computer this is: its kind, its environment and its home, as values.

Where programs keep their models is a rule for each kind of system. The rules are functions of a
`System`, on paths that are not opened, so that each can be tried on any other kind.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Literal

Kind = Literal["linux", "macos", "windows"]


@dataclass(frozen=True)
class System:
    """A computer as far as paths depend on it.

    Attributes:
        kind: what its rules are; every other Unix goes by those of Linux.
        environment: the variables of the person's shell.
        home: the person's folder.
    """

    kind: Kind
    environment: Mapping[str, str]
    home: PurePath

    def variable(self, name: str) -> str | None:
        """A variable without the spaces and quotes around it; None if it is not set or empty."""
        return self.environment.get(name, "").strip().strip("\"'") or None

    def path(self, text: str) -> PurePath:
        """A path as it was written down, ``~`` being the person's folder."""
        kind = PureWindowsPath if self.kind == "windows" else PurePosixPath
        path = kind(text)
        if path.parts[:1] == ("~",):
            return self.home.joinpath(*path.parts[1:])
        return path

    def folder(self, name: str) -> PurePath | None:
        """The path that a variable holds; None if it is not set."""
        text = self.variable(name)
        return None if text is None else self.path(text)

    @property
    def cache(self) -> PurePath:
        """Where programs keep what they could fetch again, by the system's own rule."""
        if self.kind == "windows":
            return self.folder("LOCALAPPDATA") or self.home / "AppData" / "Local"
        if self.kind == "macos":
            return self.home / "Library" / "Caches"
        return self.folder("XDG_CACHE_HOME") or self.home / ".cache"


def here() -> System:
    """The computer that this runs on."""
    home = PureWindowsPath if os.name == "nt" else PurePosixPath
    return System(_kind(sys.platform), os.environ, home(os.path.expanduser("~")))  # noqa: PTH111


def _kind(platform: str) -> Kind:
    if platform == "win32":
        return "windows"
    return "macos" if platform == "darwin" else "linux"
