"""Text and tables as Markdown, with nothing in them that Markdown would act on."""

from __future__ import annotations

import re

from tokenroof.report.tables import Table
from tokenroof.safetext import printable

_ACTING = re.compile(r"([\\`*_{}\[\]<>|~#])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _ACTING.sub(r"\\\1", printable(text).replace("&", "&amp;"))


def grid(table: Table, *, titled: bool = True) -> str:
    """A table; its title above it, its note below."""
    align = "---:" if table.numbers else "---"
    lines = [
        "| " + " | ".join(escaped(column) or " " for column in table.columns) + " |",
        "| --- |" + f" {align} |" * (len(table.columns) - 1),
        *("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in table.rows),
    ]
    drawn = "\n".join(lines)
    if table.note:
        drawn += f"\n\n{escaped(table.note)}"
    return f"**{escaped(table.title)}**\n\n{drawn}" if titled else drawn
