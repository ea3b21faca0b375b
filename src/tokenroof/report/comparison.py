"""A comparison as Markdown to paste, and its files: the same table as on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tokenroof import units, words
from tokenroof.comparing import Cell, Comparison, Difference, Figure, History
from tokenroof.comparing.answers import change, interval, share, signed
from tokenroof.notices import Notice
from tokenroof.report import render
from tokenroof.report.charts.figure import Figure as Picture
from tokenroof.report.markdown import escaped, grid
from tokenroof.report.tables import NOTHING, Table, Text, text_in
from tokenroof.safetext import printable
from tokenroof.store.files import make_folder, write_whole_file

_PLAIN = {
    "model": "comparing.condition_model",
    "type": "comparing.condition_type",
    "engine": "comparing.condition_engine",
    "version": "comparing.condition_version",
    "context": "comparing.condition_context",
    "cache_type_k": "comparing.condition_cache_type_k",
    "cache_type_v": "comparing.condition_cache_type_v",
    "flash_attention": "comparing.condition_flash_attention",
    "batch": "comparing.condition_batch",
    "ubatch": "comparing.condition_ubatch",
    "threads": "comparing.condition_threads",
    "gpu_layers": "comparing.condition_gpu_layers",
    "place": "comparing.condition_place",
    "device": "comparing.condition_device",
    "backend": "comparing.condition_backend",
    "prompt_cached": "comparing.condition_prompt_cached",
    "digest": "comparing.condition_digest",
    "offload": "comparing.condition_offload",
    "speculation": "comparing.condition_speculation",
    "power": "comparing.condition_power",
}
_VERDICTS = {
    "slower": "comparing.verdict_slower",
    "faster": "comparing.verdict_faster",
    "no_difference": "comparing.verdict_no_difference",
    "cannot_tell": "comparing.verdict_cannot_tell",
}
_SHOWN = 60
_OPTIONS_SHOWN = 3


def condition_name(condition: str, language: str) -> str:
    """A condition as a person calls it; an engine's own option by its own name."""
    message = _PLAIN.get(condition)
    if message is None:
        return printable(condition.removeprefix("flag "), _SHOWN)
    return words.text(message, language)


def difference_text(difference: Difference, language: str) -> str:
    """One difference on a line: ``version: b5163 → b5200``."""
    unknown = words.text("comparing.not_stated", language)
    a, b = (unknown if each is None else each for each in (difference.a, difference.b))
    return f"{condition_name(difference.condition, language)}: {a} → {b}"


def difference_lines(differences: Sequence[Difference], language: str) -> list[str]:
    """Differences as lines; many options that one side does not state are only counted."""
    options = [
        each
        for each in differences
        if each.condition not in _PLAIN and (each.a is None or each.b is None)
    ]
    if len(options) <= _OPTIONS_SHOWN:
        options = []
    lines = [difference_text(each, language) for each in differences if each not in options]
    if options:
        lines.append(words.text("comparing.further_options", language, count=len(options)))
    return lines


def cells_table(
    comparison: Comparison, language: str, cells: Sequence[Cell] | None = None
) -> Table:
    """A row for each cell.

    Args:
        comparison: what is shown.
        language: of the words.
        cells: those of one phase, whose table needs no column for it; None for all.
    """
    text = text_in(language)
    shown = comparison.cells if cells is None else cells
    columns: dict[str, Callable[[Cell], str]] = {}
    if any(cell.series is not None for cell in shown):
        columns["comparing.column_series"] = lambda cell: printable(cell.series or "", _SHOWN)
    if cells is None:
        columns["comparing.column_phase"] = lambda cell: cell.phase
    columns["comparing.column_tokens"] = length_text
    columns["comparing.column_a"] = lambda cell: _rate(cell.a)
    columns["comparing.column_b"] = lambda cell: _rate(cell.b)
    if cells is None:
        columns["comparing.column_runs"] = _runs
    columns["comparing.column_change"] = _change
    columns["comparing.column_finds"] = _finds
    columns["comparing.column_verdict"] = lambda cell: verdict_text(cell, text)
    rows = tuple(tuple(column(cell) for column in columns.values()) for cell in shown)
    titles = tuple(map(text, columns))
    return Table(text("comparing.table"), titles, rows, note=text("comparing.note_change"))


def length_text(cell: Cell) -> str:
    """Tokens of the prompt, and the depth below it: ``512 @ 4,096``."""
    shown = "?" if cell.prompt_tokens is None else units.count(cell.prompt_tokens)
    return f"{shown} @ {units.count(cell.depth)}" if cell.depth else shown


def verdict_text(cell: Cell, text: Text) -> str:
    """The verdict; where nobody can tell, what is missing."""
    plain = text(_VERDICTS[cell.verdict])
    if cell.runs_needed is not None:
        return text("comparing.needs", verdict=plain, runs=cell.runs_needed)
    return plain


def comparison_markdown(comparison: Comparison, language: str = "en") -> str:
    """The comparison to paste into an issue or a page."""
    text = text_in(language)
    a, b = (printable(each.name, _SHOWN) for each in (comparison.a, comparison.b))
    parts = [f"**{escaped(text('comparing.title', a=a, b=b))}**"]
    parts.append(_listed(comparison.headline, language))
    for title, found in (
        ("comparing.differs", comparison.differences),
        ("comparing.unknown", comparison.not_stated),
    ):
        if found:
            lines = [f"- {escaped(line)}" for line in difference_lines(found, language)]
            parts.append("\n".join([escaped(text(title)), "", *lines]))
    if comparison.cells:
        parts.append(grid(cells_table(comparison, language), titled=False))
    parts.append(_listed(comparison.notices, language))
    return "\n\n".join(part for part in parts if part) + "\n"


def sessions_table(history: History, language: str) -> Table:
    """A row for each session, the steps marked."""
    text = text_in(language)
    columns = tuple(
        text(each)
        for each in (
            "comparing.column_date",
            "comparing.column_version",
            "comparing.column_runs",
            "comparing.column_rate",
            "comparing.column_step",
        )
    )
    rows = []
    for session in history.sessions:
        step = NOTHING
        if session.step is not None and session.step_low and session.step_high:
            ends = f"[{signed(session.step_low - 1, '')}, {signed(session.step_high - 1, '')}]"
            step = f"{signed(session.step - 1)} {ends}"
        rows.append(
            (
                session.date or NOTHING,
                printable(session.version or NOTHING, _SHOWN),
                str(session.runs),
                units.significant(session.tokens_per_second),
                step,
            )
        )
    note = text("comparing.note_step")
    return Table(text("comparing.history"), columns, tuple(rows), note=note)


def history_markdown(history: History, language: str = "en") -> str:
    """The history to paste."""
    text = text_in(language)
    parts = [f"**{escaped(history_title(history, text))}**"]
    parts.append(grid(sessions_table(history, language), titled=False))
    parts.append(_listed(history.notices, language))
    return "\n\n".join(part for part in parts if part) + "\n"


def history_title(history: History, text: Text) -> str:
    """What the history is of."""
    tokens = "?" if history.prompt_tokens is None else units.count(history.prompt_tokens)
    return text("comparing.history_of", label=history.label, phase=history.phase, tokens=tokens)


def write_comparison(
    folder: Path, name: str, markdown: str, picture: Picture | None
) -> tuple[Path, ...]:
    """Write ``<name>.md`` and, where there is a picture, ``<name>.svg`` and ``<name>.png``.

    Raises:
        OutputError: a file cannot be written; what was written before is whole.
    """
    make_folder(folder)
    files = {f"{name}.md": markdown.encode()}
    if picture is not None:
        files[f"{name}.svg"] = render.svg(picture.standing_alone()).encode()
        files[f"{name}.png"] = render.png(picture.standing_alone())
    for file, content in files.items():
        write_whole_file(folder / file, content)
    return tuple(folder / file for file in files)


def _rate(figure: Figure) -> str:
    return units.significant(figure.tokens_per_second)


def _runs(cell: Cell) -> str:
    a, b = ("?" if each.runs is None else str(each.runs) for each in (cell.a, cell.b))
    return f"{a}, {b}"


def _change(cell: Cell) -> str:
    ends = interval(cell)
    return change(cell) if ends is None else f"{change(cell)} {ends}"


def _finds(cell: Cell) -> str:
    return NOTHING if cell.smallest_difference is None else share(cell.smallest_difference)


def _listed(notices: Sequence[Notice], language: str) -> str:
    return "\n".join(f"- {escaped(notice.text(language))}" for notice in notices)
