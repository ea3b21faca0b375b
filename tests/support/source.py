"""The source of tokenroof as trees, for the tests that read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tokenroof"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    return {_name(path): ast.parse(path.read_bytes(), str(path)) for path in PACKAGE.rglob("*.py")}


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
