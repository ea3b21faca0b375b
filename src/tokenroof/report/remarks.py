"""What to know about the figures: one list, each thing once.

What stands before everything else, in a table or under a picture is not said here again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenroof.analysis import Analysis
from tokenroof.analysis.line import NO_LINE
from tokenroof.notices import Notice
from tokenroof.report.charts import Figure
from tokenroof.report.usage import SAID_IN_TABLES
from tokenroof.safetext import printable


@dataclass(frozen=True, slots=True)
class Remarks:
    """Sentences about one series, or about all of them; then `label` is empty."""

    label: str
    sentences: tuple[str, ...]


def remarks(analysis: Analysis, figures: Sequence[Figure], language: str) -> list[Remarks]:
    """The list, in parts where several series need telling apart.

    Args:
        analysis: whose notices are said.
        figures: the pictures beside it, whose captions say some of them.
        language: of the sentences.
    """
    told = set(SAID_IN_TABLES)
    if any(figure.name == "reads" for figure in figures):
        told |= NO_LINE
    if any(each.message == "measure.length_missed" for each in analysis.conditions.notices):
        told.add("analysis.flag_length_missed")  # the campaign tells it length by length
    groups = [("", analysis.conditions.notices)]
    if len(analysis.series) == 1:
        (series,) = analysis.series
        groups = [("", (*analysis.conditions.notices, *series.notices))]
    else:
        groups += [(printable(series.label), series.notices) for series in analysis.series]
    found = []
    for label, notices in groups:
        said = dict.fromkeys(_said(each, language) for each in notices if each.message not in told)
        if said:
            found.append(Remarks(label, tuple(said)))
    return found


def _said(notice: Notice, language: str) -> str:
    said = notice.text(language)
    return said if notice.where is None else f"{printable(notice.where)}: {said}"
