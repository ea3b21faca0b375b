"""`tokenroof import`: figures that were measured elsewhere."""

from __future__ import annotations

import sys

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import InputError
from tokenroof.safetext import printable

PASTE = "-"


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    positive = options.positive(language)
    return Command(
        "import",
        language,
        (
            "tokenroof import bench.jsonl old-results/",
            "ollama run qwen3:8b --verbose 2>&1 | tee chat.txt; tokenroof import chat.txt",
            "tokenroof import - --json < paste.txt",
        ),
        help=words.text("importing.about", language),
        params=[
            click.Argument(
                ["files"], metavar="FILE...|-", nargs=-1, required=True, type=candidates.FILE
            ),
            options.option(
                language, "--bandwidth", "importing.bandwidth", kind=positive, metavar="GB/S"
            ),
            *options.common(language),
        ],
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation, /, *, files: tuple[str, ...], bandwidth: float | None, json: bool
) -> int | None:
    """Read everything; print it, or keep it and show what it was."""
    from tokenroof import api

    paste = sys.stdin.buffer if PASTE in files else None
    sources = [each for each in files if each != PASTE]
    imported = api.import_figures(sources, paste=paste, bandwidth=bandwidth)
    source = _source(sources, call.screen)
    nothing = InputError("importing.nothing", source=source)
    if json:
        streams.write_json(imported.to_dict(call.document))
        if not imported.runs:
            streams.say(nothing.text(call.screen))
            return nothing.exit_code
        return None
    from tokenroof.cli import imported as shown

    if not imported.runs:
        shown.say_refused(imported, call.screen)
        raise nothing
    kept, new = api.keep(imported)
    shown.show(kept, new, source, call.screen)
    return None


def _source(sources: list[str], language: str) -> str:
    if not sources:
        return words.text("importing.paste", language)
    if len(sources) == 1:
        return printable(sources[0])
    return words.text("importing.files", language, count=len(sources))
