"""`tokenroof completion`: what makes a shell complete."""

from __future__ import annotations

import click

from tokenroof import words
from tokenroof.cli import options
from tokenroof.cli.help import Command
from tokenroof.cli.shells import SHELLS, script


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    params: list[click.Parameter] = [
        click.Argument(["shell"], metavar="|".join(SHELLS), type=click.Choice(tuple(SHELLS))),
        options.spoken(language),
    ]
    examples = (
        "tokenroof completion bash >> ~/.bash_completion",
        "tokenroof completion zsh > ~/.zfunc/_tokenroof",
        "tokenroof completion fish > ~/.config/fish/completions/tokenroof.fish",
    )
    return Command(
        "completion",
        language,
        examples,
        help=words.text("completion.about", language),
        params=params,
        callback=run,
    )


def run(shell: str) -> None:
    """Print the script."""
    click.echo(script(shell))
