"""`tokenroof models`: what this machine has, and what there is besides."""

from __future__ import annotations

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation

SORTS = ("name", "size", "read", "kv", "bits", "architecture", "source")


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    positive = options.positive(language)
    params: list[click.Parameter] = [
        click.Argument(["folders"], metavar="[FOLDER]...", nargs=-1, type=candidates.FOLDER),
        options.option(language, "--catalogue", "models.catalogue", metavar="QUERY"),
        options.option(language, "--sort", "models.sort", kind=click.Choice(SORTS), metavar="KEY"),
        options.option(language, "--on", "models.on", metavar="DEVICE"),
        options.option(
            language, "--bandwidth", "cli.estimate_bandwidth", kind=positive, metavar="GB/S"
        ),
        options.option(language, "--memory", "cli.estimate_memory", kind=positive, metavar="GB"),
        *options.common(language),
    ]
    examples = (
        "tokenroof models",
        "tokenroof models ~/models --sort read",
        "tokenroof models --on 'RTX 3090'",
        "tokenroof models --bandwidth 256 --memory 96 --json",
        "tokenroof models --catalogue qwen3 --sort size",
    )
    return Command(
        "models",
        language,
        examples,
        help=words.text("models.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    folders: tuple[str, ...],
    catalogue: str | None,
    sort: str | None,
    on: str | None,
    bandwidth: float | None,
    memory: float | None,
    json: bool,
) -> None:
    """List everything, in the order asked for."""
    from tokenroof import api
    from tokenroof.cli import model_list

    with model_list.progress(call.screen) as progress:
        listing = api.list_models(
            folders,
            on=on,
            bandwidth=bandwidth,
            memory=memory,
            catalogue=catalogue,
            progress=progress,
        )
    listing = model_list.ordered(listing, sort or "name")
    if json:
        streams.write_json(listing.to_dict(call.document))
    else:
        there = catalogue is None
        with_device = on is not None or bandwidth is not None
        model_list.show(listing, call.screen, with_device=with_device, there=there)
