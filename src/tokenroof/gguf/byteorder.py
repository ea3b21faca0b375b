"""The two ways in which a file may write its numbers."""

from __future__ import annotations

from typing import Final, Literal

ByteOrder = Literal["little", "big"]

MARKS: Final[dict[ByteOrder, str]] = {"little": "<", "big": ">"}
"""How the module `struct` writes them."""
