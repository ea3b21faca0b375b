"""click's usage errors in our words: one sentence that ends with the way out."""

from __future__ import annotations

import difflib
from functools import singledispatch

import click

from tokenroof import words
from tokenroof.cli.help import VERBS, UnknownVerb
from tokenroof.safetext import printable


def sentence(error: click.ClickException, language: str) -> str:
    """What is wrong with the command as it was typed, and where to look."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "tokenroof"
    way_out = words.text("cli.see_help", language, path=path)
    return words.text("cli.usage_error", language, what=_what(error, language), way_out=way_out)


@singledispatch
def _what(error: click.ClickException, language: str) -> str:
    reason = printable(error.format_message()).rstrip(".")
    return words.text("cli.usage", language, reason=reason)


@_what.register
def _(error: UnknownVerb, language: str) -> str:
    verb = printable(error.verb)
    closest = difflib.get_close_matches(error.verb, VERBS, n=1)
    if closest:
        return words.text("cli.unknown_verb_but", language, verb=verb, closest=closest[0])
    return words.text("cli.unknown_verb", language, verb=verb, verbs=", ".join(VERBS))


@_what.register
def _(error: click.NoSuchOption, language: str) -> str:
    option = printable(error.option_name)
    if error.possibilities:
        closest = error.possibilities[0]
        return words.text("cli.unknown_option_but", language, option=option, closest=closest)
    return words.text("cli.unknown_option", language, option=option)


@_what.register
def _(error: click.BadOptionUsage, language: str) -> str:
    return words.text("cli.option_needs_value", language, option=error.option_name)


@_what.register
def _(error: click.MissingParameter, language: str) -> str:
    return words.text("cli.missing", language, name=_name(error.param))


@_what.register
def _(error: click.BadParameter, language: str) -> str:
    name = _name(error.param)
    if error.param is not None and isinstance(error.param.type, click.Choice):
        choices = ", ".join(map(str, error.param.type.choices))
        return words.text("cli.not_a_choice", language, name=name, choices=choices)
    reason = printable(error.message).rstrip(".")
    return words.text("cli.bad_value", language, name=name, reason=reason)


def _name(parameter: click.Parameter | None) -> str:
    if parameter is None:
        return "?"
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name
    return max(parameter.opts, key=len)
