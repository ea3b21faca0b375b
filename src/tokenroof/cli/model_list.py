"""The list of models as a person reads it, in 80 columns: a name, and its figures below it.

Names stand on lines of their own because they are there to be copied, and are long; figures stand
in columns because they are there to be compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from tokenroof import words
from tokenroof.cli import streams, wide
from tokenroof.cli.screen import Screen
from tokenroof.inventory import Listing, ModelRow
from tokenroof.safetext import printable
from tokenroof.units import count, significant, size

if TYPE_CHECKING:
    from tokenroof.inventory.listing import Progress

_TYPES_SHOWN = 2
_WIDEST_NAME = 12
_WIDEST_TYPE = 8
_UNKNOWN = "–"

_COLUMNS = (
    "models.architecture",
    "models.types",
    "models.bits",
    "models.size",
    "models.read",
    "models.kv",
)
_DEVICE_COLUMNS = ("models.ceiling", "models.fits")
_ROLES = {
    "projector": "models.projector",
    "adapter": "models.adapter",
    "draft": "models.draft",
    "other": "models.other",
}
VERDICTS = {
    "fits": "models.verdict_fits",
    "tight": "models.verdict_tight",
    "does_not_fit": "models.verdict_does_not_fit",
}

_SUMMARIES = {
    (True, False): "models.summary",
    (True, True): "models.summary_fits",
    (False, False): "models.catalogue_summary",
    (False, True): "models.catalogue_summary_fits",
}
"""By whether the models are here, and whether they are held against a device."""

_ORDERS: dict[str, Callable[[ModelRow], tuple[object, ...]]] = {
    "name": lambda row: (),
    "size": lambda row: _largest_first(_bytes(row)),
    "read": lambda row: _largest_first(row.read_bytes),
    "kv": lambda row: _largest_first(row.kv_bytes_per_token),
    "bits": lambda row: _largest_first(row.bits_per_weight),
    "architecture": lambda row: (row.architecture is None, row.architecture or ""),
    "source": lambda row: (row.source,),
}
"""By what the rows are sorted; equal ones by their names."""


def ordered(listing: Listing, sort: str) -> Listing:
    """The list in another order; what is not known comes last."""
    key = _ORDERS[sort]
    rows = sorted(listing.models, key=lambda row: (*key(row), row.name.lower(), row.name))
    return msgspec.structs.replace(listing, models=tuple(rows))


def show(listing: Listing, language: str, *, with_device: bool, there: bool = True) -> None:
    """Print the list: of what is there, or of what there is in the catalogue."""
    screen = Screen()
    if not listing.models:
        screen.say(words.text("models.none", language))
        return
    titles = _COLUMNS + (_DEVICE_COLUMNS if with_device else ())
    head = [words.text(title, language) for title in titles]
    lines = [_figures(row, language, with_device) for row in listing.models]
    widths = [max(map(wide.width, column)) for column in zip(head, *lines, strict=True)]
    screen.line(_laid_out(head, widths))
    for row, line in zip(listing.models, lines, strict=True):
        screen.line(printable(row.name))
        if row.tensor_bytes is not None:
            screen.line(_laid_out(line, widths))
        for remark in _remarks(row, language):
            screen.say(remark, indent=2)
    screen.gap()
    values = {"count": count(len(listing.models))}
    if there:
        values["size"] = size(sum(row.file_bytes or 0 for row in listing.models))
    screen.say(words.text(_SUMMARIES[there, with_device], language, **values))


@contextmanager
def progress(language: str) -> Iterator[Progress]:
    """Shows how far the reading is: a bar on a terminal, one line elsewhere, nothing for none."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda done, total: None if done else streams.say(_reading(total, language))
        return
    columns = (
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int) -> None:
            text = _reading(total, language)
            bar.update(task, completed=done, total=total, description=text)

        yield tell


def _reading(total: int, language: str) -> str:
    return words.text("models.reading", language, total=count(total))


def _largest_first(number: float | None) -> tuple[object, ...]:
    return (number is None, -(number or 0))


def _figures(row: ModelRow, language: str, with_device: bool) -> list[str]:
    architecture = _or_unknown(row.architecture)
    if row.role != "model":
        architecture = words.text(_ROLES[row.role], language)
    cells = [
        architecture[:_WIDEST_NAME],
        _types(row, with_shares=not with_device),
        _UNKNOWN if row.bits_per_weight is None else f"{row.bits_per_weight:.2f}",
        _size(_bytes(row)),
        _size(row.read_bytes),
        _size(row.kv_bytes_per_token),
    ]
    if with_device:
        ceiling = row.ceiling_tokens_per_s
        cells.append(_UNKNOWN if ceiling is None else significant(ceiling))
        verdict = VERDICTS.get(row.verdict)
        cells.append(_UNKNOWN if verdict is None else words.text(verdict, language))
    return cells


def _types(row: ModelRow, *, with_shares: bool) -> str:
    """What most of the model is stored in, and how much of it."""
    parts = []
    for each in row.types[:_TYPES_SHOWN]:
        share = each.bytes / row.tensor_bytes if row.tensor_bytes else 0.0
        name = printable(each.type)[:_WIDEST_TYPE]
        parts.append(f"{name} {_share(share)}" if with_shares else name)
    return " ".join(parts) or _UNKNOWN


def _share(share: float) -> str:
    """A share in whole percent; what is there is never nothing, nor all beside something."""
    percent = round(100 * share)
    if percent == 0 and share > 0:
        return "<1%"
    return ">99%" if percent == 100 and share < 1 else f"{percent}%"


def _remarks(row: ModelRow, language: str) -> Iterator[str]:
    if row.names:
        names = ", ".join(map(printable, row.names))
        yield words.text("models.also", language, names=names)
    for each in row.companions:
        kind = words.text(_ROLES[each.kind], language)
        values = {"kind": kind, "size": _size(each.bytes)}
        if row.names:
            yield words.text("models.with_by", language, name=printable(each.name), **values)
        else:
            yield words.text("models.with", language, **values)
    if row.missing_bytes:
        yield words.text("models.missing", language, size=size(row.missing_bytes))
    if row.reason is not None:
        yield row.reason.text(language)


def _laid_out(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells in columns: the first two begin at the left, figures end at the right."""
    padded = [
        wide.pad(cell, width) if number < 2 else " " * (width - wide.width(cell)) + cell
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  " + "  ".join(padded)


def _bytes(row: ModelRow) -> int | None:
    """What lies on the disk, or would."""
    return row.tensor_bytes if row.path is None else row.file_bytes


def _size(value: float | None) -> str:
    return _UNKNOWN if value is None else size(value)


def _or_unknown(text: str | None) -> str:
    return _UNKNOWN if text is None else printable(text)
