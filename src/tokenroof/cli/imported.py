"""What was imported, on the screen: a line for each series, what to know, what was refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenroof import words
from tokenroof.analysis.grouping import labels, series_of
from tokenroof.cli.screen import Screen
from tokenroof.importing import Imported, Refused
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.safetext import printable
from tokenroof.units import count, significant

_SERIES_SHOWN = 20
_SENTENCES_SHOWN = 10
_IDS_SHOWN = 5
_NOTHING = "–"
_COLUMNS = (
    "importing.column_source",
    "importing.column_model",
    "importing.column_runs",
    "importing.column_prefill",
    "importing.column_decode",
)
_LABEL = 120
"""Characters of a label, of which the last ones may be what tells two series apart."""


def show(imported: Imported, new: int, source: str, language: str) -> None:
    """Print a summary of what is kept now."""
    screen = Screen()
    values = {"runs": count(len(imported.runs)), "new": count(new), "source": source}
    screen.say(words.text("importing.summary", language, **values))
    screen.gap()
    _table(screen, imported, language)
    if imported.notices:
        screen.heading(words.text("importing.heading_flags", language))
        for sentence in _alike(imported, language):
            screen.say(sentence, indent=2)
    say_refused(imported, language)
    screen.gap()
    if imported.campaign is not None:
        screen.say(words.text("importing.kept", language, campaign=imported.campaign))
        screen.command(f"tokenroof compare {imported.campaign[:8]} OTHER")
        return
    ids = list(dict.fromkeys((run.campaign or "")[:8] for run in imported.runs))
    shown = ", ".join(ids[:_IDS_SHOWN]) + (", …" if len(ids) > _IDS_SHOWN else "")
    screen.say(words.text("importing.kept_apart", language, count=count(len(ids)), ids=shown))
    screen.command("tokenroof compare FILE OTHER")


def say_refused(imported: Imported, language: str) -> None:
    """Print what was not understood, with its lines."""
    if not imported.refused:
        return
    screen = Screen()
    screen.heading(words.text("importing.heading_refused", language))
    for each in imported.refused[:_SENTENCES_SHOWN]:
        screen.say(_place(each, language), indent=2)
    _rest(screen, len(imported.refused) - _SENTENCES_SHOWN, language)


def _alike(imported: Imported, language: str) -> Iterator[str]:
    """Each kind of finding once, by its first example, and how many more there are of it."""
    kinds: dict[str, list[Notice]] = {}
    for notice in imported.notices:
        kinds.setdefault(notice.message, []).append(notice)
    for alike in kinds.values():
        first = alike[0]
        place = _at(first.where or "", first.text(language), language)
        if len(alike) == 1:
            yield place
        else:
            more = count(len(alike) - 1)
            yield words.text("importing.more_alike", language, sentence=place, count=more)


def _place(refused: Refused, language: str) -> str:
    line = str(refused.line)
    where = line if refused.file is None else f"{refused.file}:{line}"
    return _at(where, refused.reason.text(language), language)


def _at(where: str, reason: str, language: str) -> str:
    if where.isdecimal():
        return words.text("importing.at_line", language, line=where, reason=reason)
    return f"{printable(where)}: {reason}"


def _table(screen: Screen, imported: Imported, language: str) -> None:
    groups = series_of(imported.runs)
    rows = []
    for group, label in list(zip(groups, labels(groups), strict=True))[:_SERIES_SHOWN]:
        counted = [run for run in group if run.excluded is None]
        rows.append(
            [
                printable(group[0].source, 20),
                printable(_named(label, group[0]), _LABEL),
                count(len(group)),
                _span(run.prefill_tokens_per_second for run in counted),
                _span(run.decode_tokens_per_second for run in counted),
            ]
        )
    titles = [words.text(column, language) for column in _COLUMNS]
    screen.table(titles, rows, left=(0, 1))
    _rest(screen, len(groups) - len(rows), language)


def _named(label: str, run: Run) -> str:
    """A series' label, which has the program's name where nobody named the model."""
    return label if run.model.name else _NOTHING + label.removeprefix(run.source)


def _span(rates: Iterable[float | None]) -> str:
    known = [rate for rate in rates if rate is not None]
    if not known:
        return _NOTHING
    low, high = significant(min(known)), significant(max(known))
    return low if low == high else f"{low}–{high}"


def _rest(screen: Screen, number: int, language: str) -> None:
    if number > 0:
        more = words.text("importing.more_series", language, count=count(number))
        screen.say(more, indent=2)
