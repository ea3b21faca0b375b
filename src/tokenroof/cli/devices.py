"""`tokenroof devices`: what is known of devices, and from where."""

from __future__ import annotations

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    params: list[click.Parameter] = [
        click.Argument(["query"], metavar="[QUERY]...", nargs=-1, type=candidates.KNOWN_DEVICE),
        *options.common(language),
    ]
    examples = (
        "tokenroof devices rtx 3090",
        "tokenroof devices m4 max",
        "tokenroof devices epyc ddr5 --json",
    )
    return Command(
        "devices",
        language,
        examples,
        help=words.text("devices.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(call: Invocation, /, *, query: tuple[str, ...], json: bool) -> None:
    """Show what the words mean."""
    from tokenroof import api

    found = api.search_devices(" ".join(query) or None)
    if json:
        streams.write_json(found.to_dict())
        return
    from tokenroof.cli import device_pages

    device_pages.show(found, call.screen)
