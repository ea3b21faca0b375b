"""Options that several verbs share, and the kinds of values that they take.

A kind is a function from what was typed to its value. One that refuses raises
`click.BadParameter` with the reason; click adds which option it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import click

from tokenroof import sweeps, words
from tokenroof.cli import candidates
from tokenroof.errors import UsageError
from tokenroof.safetext import printable


def option(
    language: str,
    name: str,
    help_id: str,
    *,
    kind: Callable[[str], object] | click.Choice[str] | None = None,
    metavar: str | None = None,
    default: str | None = None,
    multiple: bool = False,
    called: str | None = None,
) -> click.Option:
    """An option with a value; `kind` makes the value of what was typed.

    `called` is its name in Python, where the usual one is taken.
    """
    return click.Option(
        [name] if called is None else [name, called],
        help=words.text(help_id, language),
        type=kind or candidates.BY_METAVAR.get(metavar),
        metavar=metavar,
        default=default,
        multiple=multiple,
    )


def flag(language: str, name: str, help_id: str) -> click.Option:
    """An option that is there or not."""
    return click.Option([name], help=words.text(help_id, language), is_flag=True)


def common(language: str) -> list[click.Parameter]:
    """What every verb understands."""
    return [flag(language, "--json", "cli.json"), spoken(language)]


def spoken(language: str) -> click.Option:
    """`--lang`. It was looked for before the arguments were parsed; here it is only checked."""
    return click.Option(
        ["--lang"],
        help=words.text("cli.lang", language),
        type=click.Choice(words.LANGUAGES),
        expose_value=False,
    )


def model() -> click.Argument:
    """The argument MODEL."""
    return click.Argument(["model"], metavar="MODEL", type=candidates.MODEL)


def count(language: str, least: int = 0) -> Callable[[str], int]:
    """Whole numbers from `least` on; `4k` is 4,096, as contexts are counted."""

    def read(typed: str) -> int:
        try:
            number = sweeps.count(typed)
        except UsageError as problem:
            raise click.BadParameter(problem.text(language)) from problem
        if number is None or number < least:
            _refuse("cli.not_a_count", language, typed, least=least)
        return number

    return read


def count_or(language: str, least: int, word: str) -> Callable[[str], int | str]:
    """Whole numbers from `least` on, or one word."""
    number = count(language, least)

    def read(typed: str) -> int | str:
        return word if typed.strip().lower() == word else number(typed)

    return read


def counts(language: str, least: int = 0) -> Callable[[str], tuple[int, ...]]:
    """Whole numbers and sweeps with commas between them, in their order, each once."""

    def read(typed: str) -> tuple[int, ...]:
        try:
            return sweeps.sweep(typed, least)
        except UsageError as problem:
            raise click.BadParameter(problem.text(language)) from problem

    return read


def positive(language: str) -> Callable[[str], float]:
    """Numbers above zero."""

    def read(typed: str) -> float:
        try:
            number = float(typed)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            _refuse("cli.not_positive", language, typed)
        return number

    return read


def percent(language: str) -> Callable[[str], float]:
    """Shares, typed as percentages: `2` and `2%` are 0.02."""
    number = positive(language)

    def read(typed: str) -> float:
        return number(typed.strip().removesuffix("%")) / 100

    return read


def span(language: str) -> Callable[[str], float]:
    """Spans of time in seconds, typed as `90`, `90s`, `10m` or `1h`."""

    def read(typed: str) -> float:
        seconds = sweeps.seconds(typed)
        if seconds is None:
            _refuse("cli.not_a_span", language, typed)
        return seconds

    return read


def queue(language: str) -> Callable[[str], str]:
    """The address of another program's queue."""

    def read(typed: str) -> str:
        from tokenroof.measure.sensors.queue import QueueSensor

        try:
            QueueSensor(typed)
        except UsageError:
            _refuse("cli.not_a_queue", language, typed)
        return typed

    return read


def cache_types(language: str) -> Callable[[str], tuple[str, str]]:
    """The types of the key and the value cache: `T` for both, or `K,V`; in small letters."""

    def read(typed: str) -> tuple[str, str]:
        names = [each.strip().lower() for each in typed.split(",")]
        if len(names) > 2 or not all(names):
            _refuse("cli.not_cache_types", language, typed)
        return names[0], names[-1]

    return read


def _refuse(message: str, language: str, typed: str, **values: Any) -> NoReturn:
    raise click.BadParameter(words.text(message, language, value=printable(typed), **values))
