"""`tokenroof lab`: the whole job in one command."""

from __future__ import annotations

from typing import Any

import click

from tokenroof import words
from tokenroof.cli import measuring, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    return Command(
        "lab",
        language,
        (
            "tokenroof lab model.gguf",
            "tokenroof lab model.gguf --lengths 512,2k --budget 3m --lang ja",
            "tokenroof lab model.gguf --bandwidth 256",
        ),
        help=words.text("cli.lab_about", language),
        params=[*measuring.params(language), *options.common(language)],
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    model: str | None,
    resume: str | None,
    watch_queue: str | None,
    bandwidth: float | None,
    json: bool,
    **typed: Any,
) -> None:
    """Measure, write the report, and say what it says."""
    asked = measuring.asked_for(typed)
    measuring.check(model, resume, asked)
    from tokenroof import api
    from tokenroof.cli import keeping, progress, results

    kept = keeping.of_campaign("lab")
    with keeping.stoppable(kept):
        with progress.shown(call.screen, kept) as observer:
            result = api.lab(
                model,
                resume=resume,
                language=call.screen,
                watch_queue=watch_queue,
                device=measuring.device_of(bandwidth),
                observer=observer,
                command=call.command,
                **asked,
            )
        if json:
            streams.write_json(result.to_dict(call.document))
            return
        results.show(result.report, call.screen, with_notices=False)
        results.say_files(result.folder, result.files, call.screen)
