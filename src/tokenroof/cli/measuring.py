"""The options of the verbs that measure, `bench` and `lab`, and what they become."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from tokenroof.cli import candidates, options
from tokenroof.errors import UsageError
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.api.planning import BenchOptions
    from tokenroof.hardware.device import Device

_NAMES = {
    "output": "output_tokens",
    "budget": "budget_seconds",
    "wait_quiet": "wait_quiet_seconds",
}
"""Options that have a unit in their names once they are not typed by a person."""


def params(language: str) -> list[click.Parameter]:
    """How to measure; what is not given is chosen by the protocol."""
    option, flag = options.option, options.flag
    count, span = options.count(language, 1), options.span(language)
    counts, types = options.counts(language, 1), options.cache_types(language)
    threads = options.count_or(language, 1, "auto")
    queue = options.queue(language)
    share, switch = options.percent(language), click.Choice(["on", "off"])
    return [
        click.Argument(["model"], metavar="[MODEL]", required=False, type=candidates.MODEL),
        option(language, "--lengths", "cli.measure_lengths", kind=counts, metavar="N[,N]"),
        option(language, "--output", "cli.measure_output", kind=count, metavar="N"),
        option(language, "--rounds", "cli.measure_rounds", kind=count, metavar="N"),
        option(language, "--precision", "cli.measure_precision", kind=share, metavar="PERCENT"),
        option(language, "--budget", "cli.measure_budget", kind=span, metavar="TIME"),
        option(language, "--context", "cli.measure_context", kind=count, metavar="N"),
        option(language, "--kv-type", "cli.kv_type", kind=types, metavar="T|K,V"),
        option(language, "--threads", "cli.measure_threads", kind=threads, metavar="N|auto"),
        option(language, "--flash-attention", "cli.measure_flash_attention", kind=switch),
        option(language, "--engine", "cli.measure_engine", metavar="NAME"),
        option(language, "--url", "cli.measure_url", metavar="URL"),
        option(language, "--engine-program", "cli.measure_engine_program", metavar="FILE"),
        option(language, "--engine-flags", "cli.measure_engine_flags", metavar='"FLAGS"'),
        option(language, "--watch-queue", "cli.measure_watch_queue", kind=queue, metavar="URL"),
        option(language, "--wait-quiet", "cli.measure_wait_quiet", kind=span, metavar="TIME"),
        flag(language, "--strict", "cli.measure_strict"),
        flag(language, "--cached", "cli.measure_cached"),
        option(language, "--resume", "cli.measure_resume", metavar="CAMPAIGN"),
        bandwidth(language),
    ]


def bandwidth(language: str) -> click.Option:
    """`--bandwidth`: the ceiling of runs whose device we cannot measure."""
    number = options.positive(language)
    return options.option(
        language, "--bandwidth", "cli.measure_bandwidth", kind=number, metavar="GB/S"
    )


def device_of(gb_per_s: float | None) -> Device | None:
    """The device that a person gave the bandwidth of."""
    from tokenroof.hardware.device import given_device

    return None if gb_per_s is None else given_device(gb_per_s)


def check(model: str | None, resume: str | None, asked: BenchOptions) -> None:
    """A model with its options, or a campaign, which has both already.

    Raises:
        UsageError: neither, or both.
    """
    if resume is None and model is None:
        raise UsageError("cli.no_model")
    if resume is not None and (model is not None or asked):
        raise UsageError("cli.resume_alone")


def asked_for(typed: dict[str, Any]) -> BenchOptions:
    """What was typed, as the API takes it; what was not is left out."""
    asked: dict[str, Any] = {
        _NAMES.get(name, name): value
        for name, value in typed.items()
        if value is not None and value is not False
    }
    program, url = asked.pop("engine_program", None), asked.pop("url", None)
    flags = _words(asked.pop("engine_flags", ""))
    if program or url or flags:
        from tokenroof.engines.options import EngineOptions

        asked["engine_options"] = EngineOptions(program=program, url=url, flags=flags)
    if "flash_attention" in asked:
        asked["flash_attention"] = asked["flash_attention"] == "on"
    return asked  # type: ignore[return-value]


def _words(text: str) -> tuple[str, ...]:
    """What a shell would make of a text: its words, quoted ones whole."""
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise UsageError("cli.not_flags", value=printable(text, 80)) from problem
