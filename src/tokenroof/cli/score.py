"""`tokenroof score`: how good predictions were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tokenroof import words
from tokenroof.cli import options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation

if TYPE_CHECKING:
    from tokenroof.cli.screen import Screen
    from tokenroof.predict.scoring import Score, Scored

MOST_ROWS = 20
"""The newest; `--json` has all."""

_WHAT = {
    "decode": "scoring.what_decode",
    "prefill": "scoring.what_prefill",
    "wait": "scoring.what_wait",
}


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    return Command(
        "score",
        language,
        ("tokenroof score", "tokenroof score --runs runs.jsonl --json"),
        help=words.text("scoring.about", language),
        params=[
            options.option(language, "--runs", "scoring.runs", metavar="FILE"),
            *options.common(language),
        ],
        callback=run,
    )


@click.pass_obj
def run(call: Invocation, /, *, runs: str | None, json: bool) -> None:
    """Hold what was said against what came."""
    from tokenroof import api

    found = api.score(runs)
    if json:
        streams.write_json(found.to_dict())
        return
    from tokenroof.cli.screen import Screen

    _show(Screen(), found, call.screen)


def _show(screen: Screen, found: Score, language: str) -> None:
    from tokenroof.safetext import printable
    from tokenroof.units import count

    if not found.kept:
        screen.say(words.text("scoring.none", language))
        return
    kept = count(found.kept)
    if found.rows:
        figures = {"inside": count(sum(each.inside for each in found.tallies))}
        figures["figures"] = count(len(found.rows))
        scored = count(found.scored)
        screen.say(words.text("scoring.answer", language, kept=kept, scored=scored, **figures))
        screen.gap()
        _tallies(screen, found, language)
        _rows(screen, found.rows[-MOST_ROWS:], language)
    else:
        screen.say(words.text("scoring.none_measured", language, kept=kept))
    if found.waiting:
        screen.gap()
        screen.say(words.text("scoring.measure", language))
        for each in found.waiting:
            screen.command(printable(each))


def _tallies(screen: Screen, found: Score, language: str) -> None:
    from tokenroof.cli.waiting import BASES
    from tokenroof.units import count, percent

    titles = (
        "waiting.column_basis",
        "scoring.column_what",
        "scoring.column_count",
        "scoring.column_inside",
        "scoring.column_ratio",
        "scoring.column_error",
        "scoring.column_worst",
    )
    cells = [
        [
            words.text(BASES[each.basis], language),
            words.text(_WHAT[each.what], language),
            count(each.count),
            count(each.inside),
            f"{each.median_ratio:.2f}",
            percent(each.median_error),
            percent(each.worst_error),
        ]
        for each in found.tallies
    ]
    screen.table([words.text(each, language) for each in titles], cells, left=(0, 1))


def _rows(screen: Screen, rows: Sequence[Scored], language: str) -> None:
    """A table for each model on each device, under their names."""
    from tokenroof.safetext import printable

    titles = (
        "scoring.column_what",
        "scoring.column_at",
        "scoring.column_predicted",
        "waiting.column_range",
        "scoring.column_measured",
        "scoring.column_ratio",
    )
    groups: dict[tuple[str, str], list[Scored]] = {}
    for each in rows:
        groups.setdefault((each.model or "–", each.device), []).append(each)
    for (model, device), group in groups.items():
        names = {"model": printable(model), "device": printable(device)}
        screen.gap()
        screen.say(words.text("scoring.of", language, **names))
        cells = [
            [
                words.text(_WHAT[each.what], language),
                _at(each, language),
                _time(each.predicted_seconds, each),
                f"{_time(each.low_seconds, each)} – {_time(each.high_seconds, each)}",
                _time(each.measured_seconds, each),
                f"{each.ratio:.2f}",
            ]
            for each in group
        ]
        screen.table([words.text(each, language) for each in titles], cells, left=(0, 1))


def _at(each: Scored, language: str) -> str:
    from tokenroof.units import count

    if each.what == "decode":
        return words.text("scoring.at_depth", language, depth=count(each.depth))
    prompt = count(each.prompt or 0)
    if each.what == "prefill":
        return words.text("scoring.at_prompt", language, prompt=prompt)
    return words.text("scoring.at_wait", language, prompt=prompt, output=count(each.output or 0))


def _time(seconds: float, each: Scored) -> str:
    from tokenroof.units import duration, milliseconds

    return milliseconds(seconds) if each.what == "decode" else duration(seconds)
