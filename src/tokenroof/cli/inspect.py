"""`tokenroof inspect`: what is in a model file, and what one token costs; two side by side."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from tokenroof import words
from tokenroof.cli import candidates, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation

_MOST_MODELS = 2
_HEEDED_BY_TYPES = {"models", "types", "on", "bandwidth", "memory", "json"}


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""

    def several(name: str, help_id: str, least: int = 0) -> click.Option:
        kind = options.counts(language, least)
        return options.option(language, name, help_id, kind=kind, metavar="N[,N]")

    def one(name: str, help_id: str, default: str) -> click.Option:
        kind = options.count(language, 1)
        return options.option(language, name, help_id, kind=kind, metavar="N", default=default)

    positive = options.positive(language)
    params: list[click.Parameter] = [
        click.Argument(
            ["models"], metavar="MODEL [MODEL]", type=candidates.ANY_MODEL, nargs=-1, required=True
        ),
        several("--depth", "inspect.depth"),
        several("--context", "inspect.context", 1),
        several("--prompt", "inspect.prompt", 1),
        one("--ubatch", "cli.ubatch", "512"),
        options.option(
            language,
            "--kv-type",
            "cli.kv_type",
            kind=options.cache_types(language),
            metavar="T|K,V",
            default="f16",
        ),
        one("--parallel", "inspect.parallel", "1"),
        options.flag(language, "--unified", "inspect.unified"),
        options.flag(language, "--swa-full", "inspect.swa_full"),
        options.flag(language, "--tensors", "inspect.tensors"),
        options.flag(language, "--types", "inspect.types"),
        options.option(language, "--on", "inspect.on", metavar="DEVICE"),
        options.option(language, "--bandwidth", "inspect.bandwidth", kind=positive, metavar="GB/S"),
        options.option(language, "--memory", "inspect.memory", kind=positive, metavar="GB"),
        *options.common(language),
    ]
    examples = (
        "tokenroof inspect model.gguf",
        "tokenroof inspect model.gguf --depth 470,31600 --context 32k",
        "tokenroof inspect model.gguf --kv-type q8_0 --json",
        "tokenroof inspect model-q4_k_m.gguf model-q8_0.gguf",
        "tokenroof inspect ollama:qwen3:8b",
        "tokenroof inspect hf:unsloth/Qwen3-8B-GGUF:Q4_K_M",
        "tokenroof inspect qwen3-8b --types --on 'RTX 3090'",
    )
    return Command(
        "inspect",
        language,
        examples,
        help=words.text("inspect.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    models: tuple[str, ...],
    depth: tuple[int, ...] | None,
    context: tuple[int, ...] | None,
    prompt: tuple[int, ...] | None,
    types: bool,
    on: str | None,
    bandwidth: float | None,
    memory: float | None,
    json: bool,
    **rest: Any,
) -> None:
    """Read the headers and show what follows from them."""
    if types:
        _refuse_besides_types(call)
        _types(call, models[0], on, bandwidth, memory, json=json)
        return
    if on is not None or bandwidth is not None or memory is not None:
        raise click.UsageError(words.text("inspect.device_without_types", call.screen))
    from tokenroof import api
    from tokenroof.model import InspectionPair, usual_depths, usual_prompts

    if len(models) > _MOST_MODELS:
        text = words.text("inspect.too_many", call.screen, given=len(models))
        raise click.UsageError(text)
    opened = [api.open_model(each, lenient=True) for each in models]
    if not json:
        depth = depth or usual_depths(*opened)
        prompt = prompt or usual_prompts(*opened)
    found = [
        api.inspect(each, depth=depth or (), context=context or (), prompt=prompt or (), **rest)
        for each in opened
    ]
    pair = InspectionPair(models=(found[0], found[1])) if len(found) == _MOST_MODELS else None
    if json:
        streams.write_json((pair or found[0]).to_dict(call.document))
    elif pair is not None:
        from tokenroof.cli.inspection_pair import show_pair

        show_pair(pair, call.screen)
    else:
        from tokenroof.cli.inspection import show

        show(found[0], call.screen)


def _refuse_besides_types(call: Invocation) -> None:
    """A usage error where something was typed that the table of types does not heed."""
    context = click.get_current_context()
    typed = {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if len(context.params["models"]) > 1 or typed - _HEEDED_BY_TYPES:
        raise click.UsageError(words.text("inspect.types_alone", call.screen))


def _types(
    call: Invocation,
    model: str,
    on: str | None,
    bandwidth: float | None,
    memory: float | None,
    *,
    json: bool,
) -> None:
    from tokenroof import api

    table = api.list_types(model, on, bandwidth=bandwidth, memory=memory)
    if json:
        streams.write_json(table.to_dict(call.document))
        return
    from tokenroof.cli.type_list import show

    show(table, call.screen)
