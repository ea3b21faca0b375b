"""The table of all file types of a model as a person reads it, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from tokenroof import words
from tokenroof.cli.model_list import VERDICTS
from tokenroof.cli.screen import Screen
from tokenroof.inventory import TypeRow, TypeTable
from tokenroof.safetext import printable
from tokenroof.units import count, significant, size

_UNKNOWN = "–"
_COLUMNS = ("models.size", "models.bits", "models.read", "models.ceiling", "models.fits")


def show(table: TypeTable, language: str) -> None:
    """Print the table."""
    screen = Screen()
    title = words.text("inspect.types_title", language, model=printable(table.model))
    screen.title(title)
    screen.gap()
    made = [row for row in table.types if row.reason is None]
    shown = _shown(table)
    titles = [words.text(each, language) for each in ("inspect.column_type", *_COLUMNS[:shown])]
    lines = [[row.type, _marks(row), *_figures(row, language)[:shown]] for row in made]
    screen.table([titles[0], "", *titles[1:]], lines, left=(0, 1))
    screen.heading(words.text("inspect.heading_warnings", language))
    for remark in _remarks(table, made, language):
        screen.say(remark, indent=2)
    screen.notices(table.warnings, language)


def _shown(table: TypeTable) -> int:
    """How many of the columns say something: a device may be known with its memory or without."""
    if table.device is None:
        return len(_COLUMNS) - 2
    fits = any(row.verdict != "unknown" for row in table.types)
    return len(_COLUMNS) if fits else len(_COLUMNS) - 1


def _figures(row: TypeRow, language: str) -> list[str]:
    ceiling, verdict = row.ceiling_tokens_per_s, VERDICTS.get(row.verdict)
    return [
        _size(row.tensor_bytes),
        _UNKNOWN if row.bits_per_weight is None else f"{row.bits_per_weight:.2f}",
        _size(row.read_bytes),
        _UNKNOWN if ceiling is None else significant(ceiling),
        _UNKNOWN if verdict is None else words.text(verdict, language),
    ]


def _marks(row: TypeRow) -> str:
    return "*" * row.needs_matrix + "+" * _falls_back(row)


def _falls_back(row: TypeRow) -> bool:
    return any(each.message == "recipes.fallback" for each in row.warnings)


def _remarks(table: TypeTable, made: list[TypeRow], language: str) -> Iterator[str]:
    """What the marks mean, and what the columns leave out."""
    if table.device is not None:
        yield words.text("inspect.types_device", language, device=printable(table.device))
    if _shown(table) == len(_COLUMNS):
        yield words.text("inspect.types_fits", language, context=count(table.context))
    if any(row.needs_matrix for row in made):
        yield words.text("inspect.types_need_matrix", language)
    other = [
        f"{row.type} {size(row.tensor_bytes_with_matrix)}"
        for row in made
        if row.tensor_bytes_with_matrix is not None
    ]
    if other:
        yield words.text("inspect.types_with_matrix", language, sizes=", ".join(other))
    if any(map(_falls_back, made)):
        yield words.text("inspect.types_fall_back", language)
    impossible = [row for row in table.types if row.reason is not None]
    if impossible:
        names = ", ".join(row.type for row in impossible)
        yield words.text("inspect.types_impossible", language, types=names)
        yield next(row.reason for row in impossible if row.reason).text(language)


def _size(value: float | None) -> str:
    return _UNKNOWN if value is None else size(value)
