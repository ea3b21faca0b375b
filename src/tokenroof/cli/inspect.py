"""`tokenroof inspect`: what is in a model file, and what one token costs."""

from __future__ import annotations

import click

from tokenroof import words
from tokenroof.cli import options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    counts = options.counts(language)
    params: list[click.Parameter] = [
        options.model(),
        options.option(language, "--depth", "cli.inspect_depth", kind=counts, metavar="N[,N]"),
        options.option(
            language,
            "--context",
            "cli.inspect_context",
            kind=options.counts(language, 1),
            metavar="N[,N]",
        ),
        options.option(
            language,
            "--ubatch",
            "cli.ubatch",
            kind=options.count(language, 1),
            metavar="N",
            default="512",
        ),
        options.option(
            language,
            "--kv-type",
            "cli.kv_type",
            kind=options.cache_types(language),
            metavar="T|K,V",
            default="f16",
        ),
        options.flag(language, "--tensors", "cli.inspect_tensors"),
        *options.common(language),
    ]
    examples = (
        "tokenroof inspect model.gguf",
        "tokenroof inspect model.gguf --depth 470,31600 --context 32k",
        "tokenroof inspect model.gguf --kv-type q8_0 --json",
    )
    return Command(
        "inspect",
        language,
        examples,
        help=words.text("cli.inspect_about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    model: str,
    depth: tuple[int, ...] | None,
    context: tuple[int, ...] | None,
    ubatch: int,
    kv_type: tuple[str, str],
    tensors: bool,
    json: bool,
) -> None:
    """Read the header and show what follows from it."""
    from tokenroof import api

    found = api.inspect(
        model,
        depth=depth or (),
        context=context or (),
        ubatch=ubatch,
        kv_type=kv_type,
        tensors=tensors,
    )
    if json:
        streams.write_json(found.to_dict(call.document))
        return
    from tokenroof.cli.inspection import show

    show(found, call.screen)
