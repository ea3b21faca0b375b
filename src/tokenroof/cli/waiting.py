"""A wait as a person reads it: the answer in one line, its parts drawn, then what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof import words
from tokenroof.cli import wide
from tokenroof.cli.screen import Screen
from tokenroof.predict.records import Estimate, Row, Wait
from tokenroof.safetext import printable
from tokenroof.units import count, duration, percent, significant

BAR_CELLS = 10
"""Beside a line of figures."""

PARTS = {
    "load": "waiting.part_load",
    "prefill": "waiting.part_prefill",
    "thinking": "waiting.part_thinking",
    "answer": "waiting.part_answer",
}
BASES = {
    "measured": "waiting.basis_measured",
    "calibrated": "waiting.basis_calibrated",
    "public": "waiting.basis_public",
    "spec": "waiting.basis_spec",
}


def show(estimate: Estimate, language: str, *, is_answered: bool) -> None:
    """Print the waits of an estimate.

    Args:
        estimate: its rows differ in their devices.
        language: of the screen.
        is_answered: whether an answer was asked about, and not the first token alone.
    """
    screen = Screen()
    rows = estimate.rows
    for row in rows:
        screen.say(_answer(row, language, is_answered=is_answered))
    known = [(row, row.wait) for row in rows if row.wait is not None]
    if len(rows) == 1 and known:
        _one(screen, known[0][1], language)
    elif len(known) > 1:
        screen.gap()
        _devices(screen, known, language)
    _notes(screen, rows, language)


def _one(screen: Screen, wait: Wait, language: str) -> None:
    screen.gap()
    _parts(screen, wait, language)
    if wait.turns:
        screen.gap()
        _turns(screen, wait, language)
    if wait.unreused_seconds is not None:
        screen.gap()
        total = duration(wait.unreused_seconds)
        screen.say(words.text("waiting.unreused", language, total=total))
    if wait.japanese is not None:
        screen.gap()
        speed = wait.japanese
        low, high = significant(speed.low, 2), significant(speed.high, 2)
        screen.say(words.text("waiting.characters", language, low=low, high=high))


def _answer(row: Row, language: str, *, is_answered: bool) -> str:
    wait = row.wait
    values = {"model": printable(row.model or ""), "device": printable(row.device or "")}
    if wait is None:
        if row.fits is not None and row.fits.verdict == "does_not_fit":
            return words.text("waiting.answer_does_not_fit", language, **values)
        return words.text("waiting.not_known", language, **values)
    figures = {
        "prompt": count(wait.prompt_tokens or 0),
        "output": count(wait.output_tokens or 0),
        "turns": count(len(wait.turns)),
        "total": duration(wait.total_seconds or 0.0),
        "ttft": duration(wait.ttft_seconds or 0.0),
        "low": duration(wait.low or 0.0),
        "high": duration(wait.high or 0.0),
    }
    message = "waiting.answer_turns" if wait.turns else "waiting.answer"
    if not (is_answered or wait.turns or wait.thinking_tokens):
        message = "waiting.answer_first"
    return words.text(message, language, **values, **figures)


def _parts(screen: Screen, wait: Wait, language: str) -> None:
    """A line a part; then the same drawn, each bar beginning where the one above ends."""
    titles = (
        "waiting.column_part",
        "waiting.column_tokens",
        "waiting.column_seconds",
        "waiting.column_range",
        "waiting.column_share",
        "waiting.column_basis",
    )
    total = wait.total_seconds or 1.0
    names = [words.text(PARTS[part.name], language) for part in wait.parts]
    cells = [
        [
            name,
            "–" if part.tokens is None else count(part.tokens),
            duration(part.seconds),
            f"{duration(part.low)} – {duration(part.high)}",
            percent(part.seconds / total),
            words.text(BASES[part.basis], language),
        ]
        for name, part in zip(names, wait.parts, strict=True)
    ]
    screen.table([words.text(each, language) for each in titles], cells, left=(0, 5))
    if len(wait.parts) > 1:
        screen.gap()
        done = 0.0
        bars = []
        for part in wait.parts:
            bars.append((done / total, part.seconds / total))
            done += part.seconds
        _bars(screen, names, bars)


def _bars(screen: Screen, names: Sequence[str], bars: Sequence[tuple[float, float]]) -> None:
    """Bars beside their names: where each begins, and how long it is, as shares of the line."""
    first = max(wide.width(name) for name in names) + 2
    cells = min(max(screen.console.width - first - 3, 10), 60)
    for name, (begin, share) in zip(names, bars, strict=True):
        blank = " " * round(begin * cells)
        screen.line(f"  {wide.pad(name, first)}{blank}{screen.bar(share, cells)}")


def _turns(screen: Screen, wait: Wait, language: str) -> None:
    titles = (
        "waiting.column_turn",
        "waiting.column_cached",
        "waiting.column_read",
        "waiting.column_first",
        "waiting.column_total",
        "waiting.column_range",
    )
    most = max(turn.total_seconds for turn in wait.turns)
    cells = [
        [
            count(turn.number),
            count(turn.cached_tokens),
            count(turn.read_tokens),
            duration(turn.ttft_seconds),
            duration(turn.total_seconds),
            f"{duration(turn.low)} – {duration(turn.high)}",
            screen.bar(turn.total_seconds / most, BAR_CELLS),
        ]
        for turn in wait.turns
    ]
    named = [words.text(each, language) for each in titles]
    screen.table([*named, ""], cells, left=(6,))


def _devices(screen: Screen, known: Sequence[tuple[Row, Wait]], language: str) -> None:
    titles = (
        "cli.column_device",
        "waiting.column_first",
        "waiting.column_total",
        "waiting.column_range",
        "waiting.column_basis",
    )
    most = max(wait.total_seconds or 0.0 for _, wait in known)
    cells = [
        [
            printable(row.device or ""),
            duration(wait.ttft_seconds or 0.0),
            duration(wait.total_seconds or 0.0),
            f"{duration(wait.low or 0.0)} – {duration(wait.high or 0.0)}",
            words.text(BASES[wait.basis], language),
        ]
        for row, wait in known
    ]
    named = [words.text(each, language) for each in titles]
    screen.table(named, cells, left=(0, 4))
    screen.gap()
    bars = [(0.0, (wait.total_seconds or 0.0) / most) for _, wait in known]
    _bars(screen, [printable(row.device or "", 30) for row, _ in known], bars)


def _notes(screen: Screen, rows: Sequence[Row], language: str) -> None:
    """What all rest on, what each device does besides, and how to measure."""
    told = [(row.device or "", [each.text(language) for each in row.assumes]) for row in rows]
    common = [note for note in told[0][1] if all(note in notes for _, notes in told)]
    if common:
        screen.gap()
        screen.say(words.text("cli.assumes", language, notes="; ".join(common)))
    for device, notes in told:
        own = "; ".join(note for note in notes if note not in common)
        if own:
            values = {"device": printable(device), "notes": own}
            screen.say(words.text("cli.assumes_of", language, **values))
    for verify in dict.fromkeys(row.verify for row in rows if row.verify is not None):
        screen.gap()
        message = "cli.verify_fit" if verify.endswith("--fit") else "cli.verify"
        screen.say(words.text(message, language))
        screen.command(printable(verify))
