"""`tokenroof bench`: measure, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokenroof import words
from tokenroof.cli import measuring, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import UsageError

if TYPE_CHECKING:
    from tokenroof.api.planning import BenchOptions


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    file = click.Path(path_type=Path, dir_okay=False)
    return Command(
        "bench",
        language,
        (
            "tokenroof bench model.gguf",
            "tokenroof bench model.gguf --lengths 512-8k*2 --output 128 --budget 10m",
            "tokenroof bench model.gguf --engine llama-server --plan",
            "tokenroof bench model.gguf --against threads=4",
            "tokenroof bench --campaign campaign.toml",
            "tokenroof bench --resume 0192f3",
        ),
        help=words.text("cli.bench_about", language),
        params=[
            *measuring.params(language),
            click.Option(
                ["--campaign"],
                help=words.text("batch.option", language),
                type=file,
                metavar="FILE",
            ),
            options.option(
                language,
                "--against",
                "comparing.option_against",
                metavar="NAME=VALUE|MODEL",
                multiple=True,
            ),
            options.flag(language, "--plan", "planning.option"),
            *options.common(language),
        ],
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    model: str | None,
    resume: str | None,
    campaign: Path | None,
    watch_queue: str | None,
    bandwidth: float | None,
    against: tuple[str, ...],
    plan: bool,
    json: bool,
    **typed: Any,
) -> None:
    """Measure, or go on measuring, and show the figures; or only show what would be measured."""
    asked = measuring.asked_for(typed)
    if against and (model is None or resume is not None or plan):
        raise UsageError("comparing.against_alone")
    if campaign is not None:
        if model is not None or resume is not None or asked:
            raise UsageError("batch.alone")
        _batch(call, campaign, watch_queue, bandwidth, plan=plan, json=json)
        return
    measuring.check(model, resume, asked)
    if against:
        _against(call, model or "", against, watch_queue, bandwidth, asked, json=json)
        return
    if plan and resume is None:
        _plan(call, model or "", bandwidth, asked, json=json)
        return
    from tokenroof import api
    from tokenroof.cli import keeping, progress, results

    kept = keeping.of_campaign("bench")
    with keeping.stoppable(kept):
        with progress.shown(call.screen, kept) as observer:
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
        reported = api.report_of(result.campaign, result.runs)
        results.show(reported.analysis, call.screen, with_notices=False)
        results.say_where(result.campaign.id, call.screen)


def _against(  # noqa: PLR0917 - what was typed, handed on
    call: Invocation,
    model: str,
    against: tuple[str, ...],
    watch_queue: str | None,
    bandwidth: float | None,
    asked: BenchOptions,
    *,
    json: bool,
) -> None:
    from tokenroof import api
    from tokenroof.cli import comparison, keeping, progress
    from tokenroof.cli.against import changes

    other, different = changes(against, call.screen)
    kept = keeping.of_two()
    with keeping.stoppable(kept):
        with progress.shown(call.screen, kept) as observer:
            compared = api.bench_against(
                model,
                other,
                different,
                watch_queue=watch_queue,
                device=measuring.device_of(bandwidth),
                observer=observer,
                command=call.command,
                options=asked,
            )
        if json:
            streams.write_json(compared.to_dict(call.document))
        else:
            comparison.show(compared, call.screen)


def _plan(
    call: Invocation, model: str, bandwidth: float | None, asked: BenchOptions, *, json: bool
) -> None:
    from tokenroof import api
    from tokenroof.cli import plans

    result = api.plan_bench(model, device=measuring.device_of(bandwidth), **asked)
    if json:
        streams.write_json(result.to_dict(call.document))
    else:
        plans.show(result, call.screen)


def _batch(
    call: Invocation,
    file: Path,
    watch_queue: str | None,
    bandwidth: float | None,
    *,
    plan: bool,
    json: bool,
) -> None:
    from tokenroof import api
    from tokenroof.cli import batches, keeping, progress

    device = measuring.device_of(bandwidth)
    if plan:
        planned = api.plan_batch(file, device=device)
        if json:
            streams.write_json(planned.to_dict(call.document))
        else:
            batches.show_plan(planned, call.screen)
        return
    kept = keeping.of_file(str(file))
    with keeping.stoppable(kept):
        with progress.shown(call.screen, kept) as observer:
            record = api.run_batch(
                file,
                watch_queue=watch_queue,
                device=device,
                observer=observer,
                begun=lambda number, total, combination: batches.say_begun(
                    number, total, combination, call.screen
                ),
                command=call.command,
            )
        if json:
            streams.write_json(record.to_dict())
        else:
            batches.show(record, call.screen)
