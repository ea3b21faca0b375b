"""An estimate as a person reads it: the answer in one line, then the figures behind it."""

from __future__ import annotations

from collections.abc import Iterable

from tokenroof import words
from tokenroof.cli.estimate_columns import interval
from tokenroof.cli.estimate_sizes import show_sizes
from tokenroof.cli.estimate_table import show_table
from tokenroof.cli.placement import said, show_placement
from tokenroof.cli.screen import Screen
from tokenroof.notices import Notice
from tokenroof.predict.records import Estimate, Row
from tokenroof.safetext import printable
from tokenroof.units import count, rate, size

_RECIPE = "predict.assumes_recipe"


def show(estimate: Estimate, language: str) -> None:
    """Print an estimate."""
    screen = Screen()
    rows = estimate.rows
    if not rows:
        screen.say(words.text("cli.no_questions", language))
        return
    answer = _answer(rows, language)
    if answer is not None:
        screen.say(answer)
        screen.gap()
    _table(screen, rows, language)
    if len(rows) == 1:
        show_placement(screen, rows[0], language)
    show_sizes(screen, rows, language)
    _assumptions(screen, rows, language)
    verify = list(dict.fromkeys(row.verify for row in rows if row.verify is not None))
    for message, commands in (
        ("cli.verify", [each for each in verify if not each.endswith("--fit")]),
        ("cli.verify_fit", [each for each in verify if each.endswith("--fit")]),
    ):
        if commands:
            screen.gap()
            screen.say(words.text(message, language))
        for command in commands:
            screen.command(printable(command))


def _answer(rows: tuple[Row, ...], language: str) -> str | None:
    """The answer in one line; for several rows what they have in common, if anything."""
    row = rows[0]
    if row.error is not None:
        return row.error.text(language) if len(rows) == 1 else None
    values = {"model": printable(row.model or ""), "device": row.device}
    if len(rows) > 1:
        if not _is_same(rows, "model"):
            return None
        message = "cli.answer_several" if _is_same(rows, "device") else "cli.answer_model"
        return words.text(message, language, **values)
    if row.decode is None:
        return _answer_too_small(row, values, language)
    if row.ceiling_tokens_per_s is None or row.read_bytes is None:
        return words.text("cli.answer_unknown", language, **values)
    figures = {
        "depth": count(row.depth or 0),
        "rate": rate(row.ceiling_tokens_per_s),
        "read": size(row.read_bytes),
        "layers": "" if row.placement is None else said(row.placement, language),
    }
    is_found = row.placement is not None and row.placement.chosen
    if row.decode.tokens_per_s is not None:
        figures["point"] = rate(row.decode.tokens_per_s)
        figures["range"] = interval(row.decode)
        message = "cli.answer_fits_predicted" if is_found else "cli.answer_predicted"
    else:
        message = "cli.answer_fits" if is_found else "cli.answer"
    return words.text(message, language, **values, **figures)


def _answer_too_small(row: Row, values: dict[str, str | None], language: str) -> str:
    """Where a placement was looked for, all memories together are too small, not one of them."""
    if row.verify is None:
        return words.text("cli.answer_fits_nowhere", language, **values, **_all_memories(row))
    values["device"], sizes = _too_small(row)
    return words.text("cli.answer_does_not_fit", language, **values, **sizes)


def _all_memories(row: Row) -> dict[str, str]:
    """What is needed in all places together, and what of it they could hold."""
    assert row.fits is not None
    host = [row.fits.host] if row.fits.host is not None else []
    shares = [*row.fits.devices, *host]
    return {
        "resident": size(sum(share.resident_bytes for share in shares)),
        "capacity": size(sum(share.capacity_bytes or 0 for share in shares)),
    }


def _too_small(row: Row) -> tuple[str, dict[str, str]]:
    """The place that cannot hold its part, what that is, and what it can."""
    assert row.fits is not None
    shares = [*row.fits.devices, *([row.fits.host] if row.fits.host is not None else [])]
    known = [share for share in shares if share.capacity_bytes is not None]
    worst = min(known, key=lambda each: (each.capacity_bytes or 0) - each.resident_bytes)
    device = row.device or "" if len(row.fits.devices) == 1 else worst.device
    capacity = worst.capacity_bytes or 0
    return printable(device), {"resident": size(worst.resident_bytes), "capacity": size(capacity)}


def _assumptions(screen: Screen, rows: tuple[Row, ...], language: str) -> None:
    """What all rows assume, then what each device assumes besides."""
    by_device: dict[str, dict[str, None]] = {}
    recipes = dict.fromkeys(
        str(each.values["recipe"])
        for row in rows
        for each in row.assumes
        if each.message == _RECIPE
    )
    for row in rows:
        notes = by_device.setdefault(row.device or "", {})
        notes.update(dict.fromkeys(_note(each, recipes).text(language) for each in row.assumes))
    told = [notes for notes in by_device.values() if notes]
    common = [note for note in (told[0] if told else ()) if all(note in each for each in told)]
    if common:
        screen.gap()
        screen.say(words.text("cli.assumes", language, notes="; ".join(common)))
    for device, notes in by_device.items():
        own = "; ".join(note for note in notes if note not in common)
        if own:
            values = {"device": printable(device), "notes": own}
            screen.say(words.text("cli.assumes_of", language, **values))


def _note(notice: Notice, recipes: Iterable[str]) -> Notice:
    """An assumption; of recipes all that there are, so that they are told of once."""
    if notice.message != _RECIPE:
        return notice
    return Notice(_RECIPE, {"recipe": ", ".join(recipes)})


def _is_same(rows: tuple[Row, ...], name: str) -> bool:
    return len({getattr(row, name) for row in rows}) == 1


def _table(screen: Screen, rows: tuple[Row, ...], language: str) -> None:
    """A line a row, then why some have no figures."""
    show_table(screen, rows, language)
    refused = [(n, row.error) for n, row in enumerate(rows, start=1) if row.error is not None]
    if refused and len(rows) > 1:
        screen.gap()
        for number, error in refused:
            reason = error.text(language)
            screen.say(words.text("cli.no_answer", language, row=number, reason=reason), indent=2)
