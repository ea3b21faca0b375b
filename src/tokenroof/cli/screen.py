"""What a person sees on standard output: paragraphs and tables, at the width of the terminal.

rich lays them out, since it knows that Japanese takes two cells a character, what NO_COLOR and
a dumb terminal mean, and how to draw lines where only ASCII can be written. Nothing that comes
from a file or a name is read as markup.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokenroof.cli import wide
from tokenroof.notices import Notice
from tokenroof.safetext import printable

_NARROWEST = 40

_PARTS = " ▏▎▍▌▋▊▉"
"""A cell filled from the left in eighths."""


class Screen:
    """Standard output for a person."""

    def __init__(self) -> None:
        self.console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
        self.console.width = max(self.console.width, _NARROWEST)

    def title(self, text: str) -> None:
        """The first line of a page."""
        self.console.print(Text(text, style="bold"))

    def heading(self, text: str) -> None:
        """A line that begins a part."""
        self.console.print()
        self.console.print(Text(text, style="bold"))

    def gap(self) -> None:
        """An empty line."""
        self._write("")

    def say(self, text: str, indent: int = 0) -> None:
        """A paragraph."""
        lines = wide.wrap(text, self.console.width - indent)
        self._write(*(" " * indent + line for line in lines))

    def line(self, text: str) -> None:
        """A line as it is: laid out already, or to be copied whole."""
        self._write(text)

    def command(self, text: str) -> None:
        """Something to copy: never broken into lines."""
        self._write(f"  {text}")

    def table(
        self, titles: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
    ) -> None:
        """A table; its columns are aligned right and never broken, but for those in `left`."""
        # No styles: what is captured below is written as plain text.
        grid = Table(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style=""
        )
        for number, title in enumerate(titles):
            if number in left:
                grid.add_column(Text(title), overflow="fold")
            else:
                grid.add_column(Text(title), justify="right", no_wrap=True)
        for row in rows:
            grid.add_row(*(Text(cell) for cell in row))
        self._draw(grid)

    def facts(self, rows: Sequence[tuple[str, str]]) -> None:
        """Names and what they are."""
        first = max(wide.width(name) for name, _ in rows) + 2
        for name, meaning in rows:
            lines = wide.wrap(meaning, max(self.console.width - first - 2, 10))
            self._write(f"  {wide.pad(name, first)}{lines[0]}")
            self._write(*(" " * (first + 2) + line for line in lines[1:]))

    def notices(self, notices: Sequence[Notice], language: str) -> None:
        """Warnings, each with the place that it is about."""
        for notice in notices:
            place = "" if notice.where is None else f"{printable(notice.where)}: "
            self.say(f"{place}{notice.text(language)}", indent=2)

    def _draw(self, grid: Table) -> None:
        with self.console.capture() as drawn:
            self.console.print(Padding(grid, (0, 0, 0, 2), expand=False))
        self._write(*drawn.get().splitlines())

    def _write(self, *lines: str) -> None:
        # Without the blanks that fill a cell, so that what is copied is what is seen.
        self.console.file.writelines(line.rstrip() + "\n" for line in lines)

    def bar(self, share: float, cells: int = 20) -> str:
        """A bar that shows a share of one."""
        share = min(max(share, 0.0), 1.0)
        if not _can_encode(_PARTS + "█"):
            return "#" * round(share * cells)
        full, part = divmod(round(share * cells * 8), 8)
        return "█" * full + (_PARTS[part] if part else "")


def _can_encode(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
