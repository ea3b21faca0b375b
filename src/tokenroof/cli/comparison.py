"""A comparison on the screen: what differs first, then length by length, then the answer."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof import words
from tokenroof.cli.screen import Screen
from tokenroof.comparing import Comparison, Difference, Gate, History, Source
from tokenroof.comparing.answers import PHASES, share
from tokenroof.report.comparison import (
    cells_table,
    difference_lines,
    history_title,
    sessions_table,
)
from tokenroof.report.tables import Table, text_in
from tokenroof.safetext import printable
from tokenroof.units import count

_ONLY_SHOWN = 8
_COLUMNS_OF_ONE_PAIR = 6
_GATES = {
    "pass": "comparing.gate_pass",
    "fail": "comparing.gate_fail",
    "cannot_tell": "comparing.gate_cannot_tell",
}


def show(compared: Comparison, language: str) -> None:
    """Print a comparison; where it is refused, only what differs."""
    screen = Screen()
    for letter, source in (("A", compared.a), ("B", compared.b)):
        screen.line(_side(letter, source, language))
    _list(screen, compared.differences, "comparing.differs", language)
    _list(screen, compared.not_stated, "comparing.unknown", language)
    if not compared.cells:
        return
    for phase in PHASES:
        cells = [cell for cell in compared.cells if cell.phase == phase]
        if cells:
            screen.heading(phase)
            _table(screen, cells_table(compared, language, cells))
    screen.say(words.text("comparing.note_change", language), indent=2)
    for source, lengths in ((compared.a, compared.only_a), (compared.b, compared.only_b)):
        if lengths:
            shown = ", ".join(lengths[:_ONLY_SHOWN]) + ("…" if len(lengths) > _ONLY_SHOWN else "")
            values = {"name": source.name, "lengths": shown}
            screen.say(words.text("comparing.only_in", language, **values), indent=2)
    screen.gap()
    for sentence in compared.headline:
        screen.say(sentence.text(language))
    if compared.gate is not None:
        screen.say(_gate(compared.gate, language))
    if compared.notices:
        screen.gap()
        screen.notices(compared.notices, language)


def show_history(history: History, language: str) -> None:
    """Print a history."""
    screen = Screen()
    screen.say(history_title(history, text_in(language)))
    screen.gap()
    table = sessions_table(history, language)
    screen.table(table.columns, table.rows, left=(0, 1))
    screen.say(table.note, indent=2)
    if history.others:
        others = count(history.others)
        screen.say(words.text("comparing.more_conditions", language, count=others), indent=2)
    if history.notices:
        screen.gap()
        screen.notices(history.notices, language)


def say_files(files: Sequence[str], language: str) -> None:
    """Which files were written."""
    screen = Screen()
    screen.gap()
    screen.say(words.text("cli.written", language, count=len(files)))
    for file in files:
        screen.command(printable(file))


def _side(letter: str, source: Source, language: str) -> str:
    values = {"letter": letter, "name": source.name, "runs": count(source.runs)}
    if source.excluded:
        excluded = count(source.excluded)
        return words.text("comparing.side_excluded", language, **values, excluded=excluded)
    return words.text("comparing.side", language, **values)


def _list(screen: Screen, differences: Sequence[Difference], title: str, language: str) -> None:
    if differences:
        screen.gap()
        screen.say(words.text(title, language))
        for line in difference_lines(differences, language):
            screen.say(line, indent=2)


def _table(screen: Screen, table: Table) -> None:
    """A table whose last column is text; its first one too, where it tells pairs apart."""
    last = len(table.columns) - 1
    left = (0, last) if len(table.columns) > _COLUMNS_OF_ONE_PAIR else (last,)
    screen.table(table.columns, table.rows, left=left)


def _gate(gate: Gate, language: str) -> str:
    return words.text(_GATES[gate.result], language, limit=share(gate.limit))
