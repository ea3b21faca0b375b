"""What was measured, on the screen: three sentences and a table for each model."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof import words
from tokenroof.analysis import (
    RUNS_FOR_AN_INTERVAL,
    Analysis,
    DecodePoint,
    PrefillPoint,
    Series,
    Timing,
)
from tokenroof.cli.screen import Screen
from tokenroof.safetext import printable
from tokenroof.units import count, percent, significant

_NOTHING = "–"


def show(analysis: Analysis, language: str, *, with_notices: bool = True) -> None:
    """Print what an analysis shows.

    Without `with_notices` what happened on the way is left out: who measured has just read it.
    """
    screen = Screen()
    for notice in analysis.lead:
        screen.say(notice.text(language))
    for series in analysis.series:
        screen.heading(printable(series.label))
        _table(screen, series, language)
        screen.gap()
        for sentence in series.sentences:
            screen.say(sentence.text(language))
        if series.notices:
            screen.gap()
            screen.notices(series.notices, language)
    if with_notices and analysis.conditions.notices:
        screen.gap()
        screen.notices(analysis.conditions.notices, language)


def say_files(folder: str, files: Sequence[str], language: str) -> None:
    """Where the report lies."""
    screen = Screen()
    screen.gap()
    page = next((each for each in files if each.endswith(".html")), folder)
    screen.say(words.text("cli.written", language, count=len(files)))
    screen.command(printable(folder))
    screen.say(words.text("cli.open_page", language))
    screen.command(printable(page))


def say_where(campaign: str, language: str) -> None:
    """How to come back to what was measured."""
    screen = Screen()
    screen.gap()
    screen.say(words.text("cli.kept", language))
    screen.command(f"tokenroof report {campaign}")


def _table(screen: Screen, series: Series, language: str) -> None:
    """One line a length: both phases, and what the ceiling is."""
    prefill = {_place(point): point for point in series.prefill}
    decode = {_place(point): point for point in series.decode}
    places = sorted({*prefill, *decode})
    rows = []
    for place in places:
        read, written = prefill.get(place), decode.get(place)
        rows.append(
            [
                count(round(sum(place))),
                _rate(read),
                _rate(written),
                _ceiling(written),
                _NOTHING if written is None or written.mbu is None else percent(written.mbu),
                _runs(read, written),
            ]
        )
    columns = ["cli.column_length", "cli.column_prefill", "cli.column_decode"]
    columns += ["cli.column_ceiling", "cli.column_reached", "cli.column_runs"]
    screen.table([words.text(each, language) for each in columns], rows, left=())
    points = [*series.prefill, *series.decode]
    if any(point.counted and point.counted.low_tokens_per_second for point in points):
        screen.say(words.text("cli.intervals", language), indent=2)
    elif points and all(point.aggregate for point in points):
        screen.say(words.text("cli.stated", language), indent=2)
    elif points:
        screen.say(words.text("cli.no_intervals", language, runs=RUNS_FOR_AN_INTERVAL), indent=2)


def _place(point: PrefillPoint | DecodePoint) -> tuple[float, float]:
    return float(point.depth), point.prompt_tokens or 0.0


def _rate(point: PrefillPoint | DecodePoint | None) -> str:
    timing: Timing | None = None if point is None else point.counted
    if timing is None:
        return _NOTHING
    written = significant(timing.tokens_per_second)
    low, high = timing.low_tokens_per_second, timing.high_tokens_per_second
    if low is None or high is None:
        return written
    return f"{written} [{significant(low)}, {significant(high)}]"


def _ceiling(point: DecodePoint | None) -> str:
    if point is None or point.ceiling_tokens_per_second is None:
        return _NOTHING
    return significant(point.ceiling_tokens_per_second)


def _runs(read: PrefillPoint | None, written: DecodePoint | None) -> str:
    point = written or read
    if point is None or point.counted is None or point.counted.runs is None:
        return _NOTHING
    if point.excluded:
        return f"{point.counted.runs} (+{point.excluded})"
    return str(point.counted.runs)
