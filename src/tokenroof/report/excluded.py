"""The runs that do not count, each with its reason."""

from __future__ import annotations

from tokenroof import units
from tokenroof.analysis import Analysis, ExcludedRun
from tokenroof.analysis.reasons import EXCLUSION_MESSAGES
from tokenroof.report.tables import NOTHING, Table, Text, or_nothing, text_in
from tokenroof.safetext import printable

DETAIL = 300
"""Characters of what an engine said of a failure; the record has all of it."""


def _why(run: ExcludedRun, text: Text) -> str:
    """The reason, and of a failure what the engine said."""
    reason = text(EXCLUSION_MESSAGES[run.reason])
    if run.detail is None:
        return reason
    return text("report.cell_failed", reason=reason, detail=printable(run.detail, DETAIL))


def excluded_table(analysis: Analysis, language: str) -> Table | None:
    """Every run that does not count, and why."""
    text = text_in(language)
    rows = tuple(
        (
            printable(run.id, 40),
            printable(run.started or NOTHING),
            printable(run.series),
            NOTHING if run.prompt_tokens is None else units.count(run.prompt_tokens),
            _why(run, text),
            or_nothing(units.rate, run.prefill_tokens_per_second),
            or_nothing(units.rate, run.decode_tokens_per_second),
        )
        for run in analysis.excluded
    )
    columns = tuple(
        map(
            text,
            (
                "report.col_run",
                "report.started",
                "report.model",
                "report.input",
                "report.col_reason",
                "report.phase_prefill",
                "report.phase_decode",
            ),
        )
    )
    return Table(text("report.table_excluded"), columns, rows, numbers=False) if rows else None
