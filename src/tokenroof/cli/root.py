"""The command `tokenroof` itself: its options, and the group of the verbs."""

from __future__ import annotations

import click

from tokenroof import __version__, words
from tokenroof.cli.help import VerbGroup
from tokenroof.cli.options import spoken


def command(language: str) -> click.Group:
    """The whole command, its help in `language`."""
    version = click.Option(
        ["--version"],
        help=words.text("cli.version", language),
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
    )
    return VerbGroup(
        language,
        name="tokenroof",
        help=words.text("cli.about", language),
        params=[spoken(language), version],
    )


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"tokenroof {__version__}")
        ctx.exit()
