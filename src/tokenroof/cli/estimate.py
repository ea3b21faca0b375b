"""`tokenroof estimate`: how fast at most, and does it fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams, wait_options
from tokenroof.cli.devices_typed import devices
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import UsageError
from tokenroof.safetext import printable

_ALL = "all"


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    option, positive, count = options.option, options.positive(language), options.count
    params: list[click.Parameter] = [
        click.Argument(
            ["models"], metavar="[MODEL]...", nargs=-1, required=False, type=candidates.ANY_MODEL
        ),
        option(language, "--types", "lists.types", metavar="T[,T]"),
        option(language, "--on", "cli.estimate_on", metavar="DEVICE", multiple=True),
        option(language, "--bandwidth", "cli.estimate_bandwidth", kind=positive, metavar="GB/S"),
        option(language, "--memory", "cli.estimate_memory", kind=positive, metavar="GB"),
        option(language, "--tflops", "cli.estimate_tflops", kind=positive, metavar="T"),
        option(
            language,
            "--depth",
            "cli.estimate_depth",
            kind=options.counts(language),
            metavar="N[,N]",
        ),
        option(language, "--prompt", "cli.estimate_prompt", kind=count(language, 1), metavar="N"),
        option(language, "--output", "cli.estimate_output", kind=count(language, 1), metavar="N"),
        option(language, "--context", "cli.context", kind=count(language, 1), metavar="N"),
        option(language, "--ubatch", "cli.ubatch", kind=count(language, 1), metavar="N"),
        option(language, "--batch", "cli.estimate_batch", kind=count(language, 1), metavar="N"),
        option(language, "--kv-type", "cli.kv_type", metavar="T|K,V"),
        option(
            language, "--parallel", "cli.estimate_parallel", kind=count(language, 1), metavar="N"
        ),
        option(language, "--engine", "cli.estimate_engine", metavar="NAME"),
        option(language, "--projector", "cli.estimate_projector", metavar="FILE"),
        option(language, "--host", "cli.estimate_host", metavar="HOST"),
        *_places(language),
        options.flag(language, "--fit", "cli.estimate_fit"),
        option(language, "--cases", "cli.estimate_cases", metavar="FILE"),
        *wait_options.of_prompts(language),
        *_lists(language),
        *options.common(language),
    ]
    examples = (
        "tokenroof estimate model.gguf --bandwidth 256 --depth 470",
        "tokenroof estimate model.gguf --bandwidth 936 --memory 24 --context 32k",
        "tokenroof estimate model.gguf --on 'RTX 3090' --on '2x RTX 3090'",
        "tokenroof estimate model.gguf --on 'EPYC 9654 + ddr5-4800 x12'",
        "tokenroof estimate qwen3-8b@Q4_K_M --on 'RTX 3090'",
        "tokenroof estimate gpt-oss-20b --on 'RTX 3070 + ddr4-3200 x2' --fit",
        "tokenroof estimate gpt-oss-20b --on 'RTX 3070' --cpu-moe 12",
        "tokenroof estimate qwen3-8b gpt-oss-20b --on 'RTX 3090' --sort decode",
        "tokenroof estimate qwen3-8b --types Q4_K_M,Q8_0 --bandwidth 256 --chart a.png",
        "tokenroof estimate llama-2-7b@Q4_0 --measured figures.csv --size 3.8",
        "tokenroof estimate model.gguf --on here --json",
    )
    return Command(
        "estimate",
        language,
        examples,
        help=words.text("cli.estimate_about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    models: tuple[str, ...],
    types: str | None,
    on: tuple[str, ...],
    depth: tuple[int, ...] | None,
    cases: str | None,
    measured: str | None,
    size: float | str | None,
    sort: str | None,
    table: str | None,
    chart: str | None,
    prompt_file: str | None,
    runs: str | None,
    profile: str | None,
    keep: bool,
    fit: bool,
    no_kv_offload: bool,
    cpu_moe: int | str | None,
    json: bool,
    **asked: Any,
) -> None:
    """Answer every device at every depth, or every line of a file."""
    from tokenroof import api
    from tokenroof.api import many
    from tokenroof.predict.cases import Case

    asked["cpu_moe"] = True if cpu_moe == _ALL else cpu_moe
    asked["kv_offload"] = False if no_kv_offload else None
    asked = wait_options.asked(asked) | {"fit": fit or None}
    names = many.in_types(models, types.split(",") if types is not None else ())
    questions = [
        Case(model=model, device=device, depth=each, **asked)
        for model in names or (None,)
        for device in devices(on) or (None,)
        for each in depth or (None,)
    ]
    if chart is not None:
        from tokenroof.report.estimate_charts import check_ending

        check_ending(Path(chart))
    of_lists = not (measured is None and size is None)
    if prompt_file is not None and (of_lists or cases is not None or chart is not None):
        raise UsageError("waiting.prompt_file_and_lists")
    if cases is None and of_lists:
        answers = many.estimate_lists(
            questions, measured=measured, size=size, runs=runs, profile=profile
        )
    elif cases is None:
        answers = api.estimate_prompts(
            questions,
            prompt_file=prompt_file,
            runs=runs,
            profile=profile,
            keep=True if keep else None,
        )
    elif len(questions) > 1 or of_lists or chart is not None:
        raise UsageError("cli.cases_and_lists")
    else:
        answers = api.estimate_file(cases, questions[0], runs, profile)
    if chart is not None:
        from tokenroof.api.estimate_drawing import draw

        asked_of = many.cases_of(questions, measured)
        draw(chart, asked_of, answers, call.screen)
        streams.say(words.text("lists.chart_written", call.screen, path=printable(chart)))
    if sort is not None:
        from tokenroof.cli.estimate_order import ordered

        answers = ordered(answers, sort)
    if json:
        streams.write_json(answers.to_dict(call.document))
        return
    if table is not None:
        from tokenroof.cli.estimate_table import write

        write(answers.rows, table, call.screen)
        return
    from tokenroof.cli.estimation import show

    show(answers, call.screen)


def _lists(language: str) -> list[click.Parameter]:
    """The options of many answers at once."""
    from tokenroof.cli.estimate_order import COLUMNS

    option = options.option
    return [
        option(language, "--measured", "lists.measured", metavar="FILE"),
        option(language, "--size", "lists.size", kind=_size(language), metavar="GB|file"),
        option(language, "--sort", "lists.sort", kind=click.Choice(COLUMNS), metavar="COLUMN"),
        option(language, "--table", "lists.table", kind=click.Choice(("markdown", "csv"))),
        option(language, "--chart", "lists.chart", metavar="FILE"),
    ]


def _size(language: str) -> Callable[[str], float | str]:
    number = options.positive(language)

    def read(typed: str) -> float | str:
        return typed.lower() if typed.strip().lower() == "file" else number(typed)

    return read


def _places(language: str) -> list[click.Parameter]:
    """The options that say where something lies, by the names that llama.cpp gives them."""
    option, number = options.option, options.count(language)
    return [
        option(language, "--gpu-layers", "cli.estimate_gpu_layers", kind=number, metavar="N"),
        option(
            language,
            "--cpu-moe",
            "cli.estimate_cpu_moe",
            kind=options.count_or(language, 0, _ALL),
            metavar="N|all",
        ),
        option(language, "--override-tensor", "cli.estimate_override", metavar="PATTERN=CPU"),
        option(
            language,
            "--split-mode",
            "cli.estimate_split_mode",
            kind=click.Choice(("layer", "row", "tensor", "none")),
        ),
        option(language, "--tensor-split", "cli.estimate_tensor_split", metavar="N,N"),
        options.flag(language, "--no-kv-offload", "cli.estimate_no_kv_offload"),
    ]
