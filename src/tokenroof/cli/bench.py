"""`tokenroof bench`: measure, and nothing else."""

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
        "bench",
        language,
        (
            "tokenroof bench model.gguf",
            "tokenroof bench model.gguf --lengths 512,4k --output 128 --budget 10m",
            "tokenroof bench --resume 0192f3",
        ),
        help=words.text("cli.bench_about", language),
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
    """Measure, or go on measuring, and show the figures."""
    asked = measuring.asked_for(typed)
    measuring.check(model, resume, asked)
    from tokenroof import api
    from tokenroof.cli import progress

    with progress.shown(call.screen) as observer:
        if resume is not None:
            result = api.resume_bench(
                resume,
                watch_queue=watch_queue,
                device=measuring.device_of(bandwidth),
                observer=observer,
                command=call.command,
            )
        else:
            result = api.bench(
                model or "",
                watch_queue=watch_queue,
                device=measuring.device_of(bandwidth),
                observer=observer,
                command=call.command,
                **asked,
            )
    if json:
        streams.write_json(result.to_dict(call.document))
        return
    from tokenroof.cli import results

    reported = api.report_of(result.campaign, result.runs)
    results.show(reported.analysis, call.screen, with_notices=False)
    results.say_where(result.campaign.id, call.screen)
