"""A campaign file on the screen: what it would do, how far it is, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenroof import api, words
from tokenroof.cli import plans, streams
from tokenroof.cli.screen import Screen
from tokenroof.safetext import printable
from tokenroof.store.batches import BatchRecord, BatchRow
from tokenroof.store.journal import Journal
from tokenroof.units import count, duration, significant

_NOTHING = "–"
_COLUMNS = (
    "batch.column_combination",
    "batch.column_length",
    "batch.column_prefill",
    "batch.column_decode",
    "batch.column_runs",
)


def name_of(combination: Mapping[str, Any]) -> str:
    """A combination in a few words: what tells it from the others."""
    parts = [
        str(value) if key == "model" else f"{key} {_switch(value)}"
        for key, value in combination.items()
    ]
    return printable(", ".join(parts), 120)


def _switch(value: object) -> object:
    """What is true or false in a file is on or off in words."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def say_begun(number: int, total: int, combination: dict[str, Any], language: str) -> None:
    """A combination begins."""
    values = {"number": number, "total": total, "combination": name_of(combination)}
    streams.say(words.text("batch.begun", language, **values))


def show_plan(plan: api.BatchPlan, language: str) -> None:
    """Each combination with its time, and all of them together."""
    screen = Screen()
    known = 0.0
    for row in plan.rows:
        screen.heading(name_of(row.combination))
        if row.plan is None:
            screen.say(str(row.error))
            continue
        known += row.plan.promised_seconds or 0.0
        screen.say(plans.how_long(row.plan, language))
    screen.gap()
    values = {"combinations": len(plan.rows), "duration": duration(known)}
    screen.say(words.text("batch.together", language, **values))


def show(record: BatchRecord, language: str) -> None:
    """A table of all combinations, and why some of them failed."""
    screen = Screen()
    rows = [line for row in record.rows for line in _lines(row)]
    if rows:
        screen.table([words.text(each, language) for each in _COLUMNS], rows)
    for row in record.rows:
        if row.error is not None:
            values = {"combination": name_of(row.combination), "reason": row.error}
            screen.gap()
            screen.say(words.text("batch.failed", language, **values))


def _lines(row: BatchRow) -> list[list[str]]:
    """One line a length; none of a combination that was not measured."""
    if row.state != "finished" or row.campaign is None:
        return []
    journal = Journal()
    reported = api.report_of(journal.campaign(row.campaign), journal.runs(row.campaign))
    lines = []
    for series in reported.analysis.series:
        prefill = {point.prompt_tokens: point for point in series.prefill}
        decode = {point.prompt_tokens: point for point in series.decode}
        for tokens in sorted({*prefill, *decode}, key=lambda each: each or 0.0):
            timings = [
                None if point is None else point.counted
                for point in (prefill.get(tokens), decode.get(tokens))
            ]
            rates = [
                _NOTHING if each is None else significant(each.tokens_per_second)
                for each in timings
            ]
            runs = next((str(each.runs) for each in timings if each and each.runs), _NOTHING)
            lines.append([name_of(row.combination), count(round(tokens or 0)), *rates, runs])
    return lines
