"""`tokenroof report`: what was measured before, as a page, a summary or a document."""

from __future__ import annotations

from pathlib import Path

import click

from tokenroof import words
from tokenroof.cli import candidates, measuring, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    kinds = click.Choice(["html", "md", "json"])
    return Command(
        "report",
        language,
        (
            "tokenroof report",
            "tokenroof report 0192f3 --out my-report",
            "tokenroof report runs.jsonl --format md",
        ),
        help=words.text("cli.report_about", language),
        params=[
            click.Argument(["runs"], metavar="[RUNS]", required=False, type=candidates.FILE),
            options.option(language, "--out", "cli.report_out", metavar="FOLDER"),
            options.option(
                language, "--format", "cli.report_format", kind=kinds, default="html", called="form"
            ),
            measuring.bandwidth(language),
            *options.common(language),
        ],
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    runs: str | None,
    out: str | None,
    form: str,
    bandwidth: float | None,
    json: bool,
) -> None:
    """Read the runs, work out what they show, and write it."""
    from tokenroof import api

    reported = api.report(runs, device=measuring.device_of(bandwidth))
    if json or form == "json":
        streams.write_json(reported.analysis.to_dict(call.document))
        return
    if form == "md":
        from tokenroof.report import summary_markdown

        streams.write(summary_markdown(reported.analysis, call.screen))
        return
    from tokenroof.cli import results

    folder = Path(out) if out is not None else api.new_folder(Path("lab"), reported.name)
    files = api.write_files(folder, reported, call.screen)
    results.show(reported.analysis, call.screen)
    results.say_files(str(folder), [str(each) for each in files], call.screen)
