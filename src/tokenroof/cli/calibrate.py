"""`tokenroof calibrate`: learn this machine, or show what was learnt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokenroof import words
from tokenroof.cli import options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import NotFound, UsageError
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.predict.learnt.profile import Profile


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    option, flag, number = options.option, options.flag, options.count(language, 1)
    params: list[click.Parameter] = [
        flag(language, "--quick", "calibrate.option_quick"),
        flag(language, "--full", "calibrate.option_full"),
        flag(language, "--show", "calibrate.option_show"),
        flag(language, "--resume", "calibrate.option_resume"),
        option(language, "--chart", "calibrate.option_chart", metavar="FILE"),
        option(language, "--engine", "calibrate.option_engine", metavar="NAME"),
        option(language, "--engine-program", "cli.measure_engine_program", metavar="FILE"),
        option(language, "--threads", "calibrate.option_threads", kind=number, metavar="N"),
        *options.common(language),
    ]
    return Command(
        "calibrate",
        language,
        (
            "tokenroof calibrate",
            "tokenroof calibrate --full",
            "tokenroof calibrate --show --chart profile.png",
            "tokenroof calibrate --engine llama-server --engine-program ./llama-server",
        ),
        help=words.text("calibrate.about", language),
        params=params,
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    quick: bool,
    full: bool,
    show: bool,
    resume: bool,
    chart: str | None,
    engine: str | None,
    engine_program: str | None,
    threads: int | None,
    json: bool,
) -> None:
    """Learn, or look up; then show."""
    if quick and full:
        raise UsageError("calibrate.both_modes")
    if chart is not None:
        from tokenroof.report.estimate_charts import check_ending

        check_ending(Path(chart))
    from tokenroof import api
    from tokenroof.cli import profile_page
    from tokenroof.engines.options import EngineOptions

    if show:
        _check_alone(
            {
                "--quick": quick,
                "--full": full,
                "--resume": resume,
                "--engine-program": engine_program is not None,
                "--threads": threads is not None,
            }
        )
        profile = api.newest_profile(engine)
        if profile is None and engine is not None:
            raise NotFound("calibrate.no_profile_of", engine=engine)
        if profile is None:
            raise NotFound("calibrate.no_profile")
    else:
        with profile_page.progress(call.screen) as observer:
            profile = api.calibrate(
                "full" if full else "quick",
                engine=engine or "embedded",
                engine_options=EngineOptions(program=engine_program),
                threads=threads,
                resume=resume,
                observer=observer,
            )
    if json:
        streams.write_json(profile.to_dict())
    else:
        profile_page.show(profile, call.screen)
    if chart is not None:
        _draw(profile, chart, call.screen)


def _check_alone(given: Mapping[str, bool]) -> None:
    """Refuse options of measuring beside `--show`, which measures nothing.

    Raises:
        UsageError: one of them was given.
    """
    for option, is_given in given.items():
        if is_given:
            raise UsageError("calibrate.show_alone", option=option)


def _draw(profile: Profile, chart: str, language: str) -> None:
    from tokenroof.report.charts.profile import profile_figures
    from tokenroof.report.estimate_charts import write_figures

    figures = profile_figures(profile, language)
    if not figures:
        raise UsageError("calibrate.nothing_to_draw")
    write_figures(Path(chart), figures, language)
    streams.say(words.text("lists.chart_written", language, path=printable(chart)))
