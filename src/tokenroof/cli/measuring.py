"""The options of the verbs that measure, `bench` and `lab`."""

from __future__ import annotations

import click

from tokenroof.cli import options


def params(language: str) -> list[click.Parameter]:
    """How to measure; what is not given is chosen by the protocol."""
    option, flag = options.option, options.flag
    count, span = options.count(language, 1), options.span(language)
    return [
        option(
            language,
            "--lengths",
            "cli.measure_lengths",
            kind=options.counts(language, 1),
            metavar="N[,N]",
        ),
        option(language, "--output", "cli.measure_output", kind=count, metavar="N"),
        option(language, "--rounds", "cli.measure_rounds", kind=count, metavar="N"),
        option(
            language,
            "--precision",
            "cli.measure_precision",
            kind=options.percent(language),
            metavar="PERCENT",
        ),
        option(language, "--budget", "cli.measure_budget", kind=span, metavar="TIME"),
        option(language, "--context", "cli.measure_context", kind=count, metavar="N"),
        option(
            language,
            "--kv-type",
            "cli.kv_type",
            kind=options.cache_types(language),
            metavar="T|K,V",
        ),
        option(language, "--threads", "cli.measure_threads", kind=count, metavar="N"),
        option(
            language,
            "--flash-attention",
            "cli.measure_flash_attention",
            kind=click.Choice(["on", "off"]),
        ),
        option(language, "--engine", "cli.measure_engine", metavar="NAME"),
        option(language, "--watch-queue", "cli.measure_watch_queue", metavar="URL"),
        option(language, "--wait-quiet", "cli.measure_wait_quiet", kind=span, metavar="TIME"),
        flag(language, "--strict", "cli.measure_strict"),
        option(language, "--resume", "cli.measure_resume", metavar="CAMPAIGN"),
    ]
