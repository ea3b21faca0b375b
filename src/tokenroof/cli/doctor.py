"""`tokenroof doctor`: this machine, and what would falsify a measurement on it."""

from __future__ import annotations

import click

from tokenroof import words
from tokenroof.cli import options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    params: list[click.Parameter] = [
        options.flag(language, "--private", "doctor.private_option"),
        *options.common(language),
    ]
    return Command(
        "doctor",
        language,
        ("tokenroof doctor", "tokenroof doctor --json"),
        help=words.text("doctor.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(call: Invocation, /, *, private: bool, json: bool) -> None:
    """Examine, then show."""
    from tokenroof import api
    from tokenroof.cli import doctor_page

    with doctor_page.progress(call.screen) as tell:
        found = api.examine(private=private, tell=tell)
    if json:
        streams.write_json(found.to_dict(call.document))
    else:
        doctor_page.show(found, call.screen)
