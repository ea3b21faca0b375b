"""`tokenroof wait`: how long until an answer is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams, wait_options
from tokenroof.cli.devices_typed import devices
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import UsageError


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    option, positive, count = options.option, options.positive(language), options.count
    params: list[click.Parameter] = [
        click.Argument(["model"], metavar="MODEL", type=candidates.ANY_MODEL),
        option(language, "--prompt", "waiting.prompt", kind=count(language, 1), metavar="N"),
        option(language, "--output", "waiting.output", kind=count(language, 1), metavar="N"),
        *wait_options.of_prompts(language),
        option(language, "--on", "waiting.on", metavar="DEVICE", multiple=True),
        option(language, "--bandwidth", "cli.estimate_bandwidth", kind=positive, metavar="GB/S"),
        option(language, "--memory", "cli.estimate_memory", kind=positive, metavar="GB"),
        option(language, "--tflops", "cli.estimate_tflops", kind=positive, metavar="T"),
        option(language, "--depth", "cli.estimate_depth", kind=count(language), metavar="N"),
        option(language, "--context", "cli.context", kind=count(language, 1), metavar="N"),
        option(language, "--kv-type", "cli.kv_type", metavar="T|K,V"),
        option(language, "--engine", "cli.estimate_engine", metavar="NAME"),
        option(language, "--host", "cli.estimate_host", metavar="HOST"),
        option(
            language, "--gpu-layers", "cli.estimate_gpu_layers", kind=count(language), metavar="N"
        ),
        options.flag(language, "--fit", "cli.estimate_fit"),
        option(language, "--chart", "waiting.chart", metavar="FILE"),
        *options.common(language),
    ]
    examples = (
        "tokenroof wait model.gguf --prompt 22600 --output 500",
        "tokenroof wait qwen3-8b --on 'RTX 3090' --prompt 8k --output 500 --thinking 2k",
        "tokenroof wait qwen3-8b --on 'RTX 3090' --on 'RTX 3060 12 GB' --prompt 8k",
        "tokenroof wait gpt-oss-20b --on 'RTX 3090' --prompt 400 --output 300 --turns 9",
        "tokenroof wait gpt-oss-20b --on 'RTX 3090' --prompt 8k --turns 20 --agent 1500",
        "tokenroof wait model.gguf --prompt-file letter.txt --chart wait.png",
    )
    return Command(
        "wait",
        language,
        examples,
        help=words.text("waiting.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    model: str,
    on: tuple[str, ...],
    output: int | None,
    prompt_file: str | None,
    runs: str | None,
    profile: str | None,
    keep: bool,
    fit: bool,
    chart: str | None,
    json: bool,
    **given: Any,
) -> None:
    """Answer for every device."""
    from tokenroof import api
    from tokenroof.predict.ask import HERE
    from tokenroof.predict.cases import Case

    if given["prompt"] is None and prompt_file is None:
        raise UsageError("waiting.no_prompt")
    if chart is not None:
        from tokenroof.report.estimate_charts import check_ending

        check_ending(Path(chart))
    given = wait_options.asked(given)
    default = HERE if given["bandwidth"] is None else None
    cases = [
        Case(model=model, device=device, output=output or 1, fit=fit or None, **given)
        for device in devices(on) or (default,)
    ]
    answers = api.estimate_prompts(
        cases, prompt_file=prompt_file, runs=runs, profile=profile, keep=True if keep else None
    )
    if json:
        streams.write_json(answers.to_dict(call.document))
    else:
        from tokenroof.cli.waiting import show

        show(answers, call.screen, is_answered=output is not None)
    if chart is not None:
        from tokenroof.report.charts.wait import wait_figure
        from tokenroof.report.estimate_charts import write_figure

        made = wait_figure(answers.rows, call.screen)
        if made is None:
            raise UsageError("waiting.nothing_to_draw")
        write_figure(Path(chart), made, call.screen)
        streams.say(words.text("lists.chart_written", call.screen, path=chart))
