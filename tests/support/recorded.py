"""What systems print, from files; see tests/hardware/recorded/README.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "hardware" / "recorded"


def recorded(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def programs(answers: dict[str, str]) -> Callable[[Sequence[str]], str]:
    """Runs nothing: what a program would print, by the beginning of its command."""

    def run(command: Sequence[str]) -> str:
        line = " ".join(command)
        return next((text for start, text in answers.items() if line.startswith(start)), "")

    return run


def write(root: Path, files: dict[str, str]) -> Path:
    """A tree of small files, as a kernel keeps them."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root
