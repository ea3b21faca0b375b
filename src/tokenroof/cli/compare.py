"""`tokenroof compare`: may two results be compared, and what differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tokenroof import words
from tokenroof.cli import candidates, options, streams
from tokenroof.cli.help import Command
from tokenroof.cli.invocation import Invocation
from tokenroof.errors import AnswerIsNo, InputError, UsageError

if TYPE_CHECKING:
    from tokenroof.comparing import Comparison, History


def command(language: str) -> click.Command:
    """The verb, its help in `language`."""
    option, flag = options.option, options.flag
    share, count = options.percent(language), options.count(language, 1)
    phases = click.Choice(["prefill", "decode"])
    return Command(
        "compare",
        language,
        (
            "tokenroof compare before.jsonl after.jsonl",
            "tokenroof compare 0192f3 0192f9 --allow --out comparison",
            "tokenroof compare old.md new.md --fail-slower 5% --strict",
            "tokenroof compare --history --model qwen3",
        ),
        help=words.text("comparing.about", language),
        params=[
            click.Argument(["sides"], metavar="[A] [B]", nargs=-1, type=candidates.FILE),
            flag(language, "--allow", "comparing.option_allow"),
            option(
                language,
                "--fail-slower",
                "comparing.option_fail_slower",
                kind=share,
                metavar="PERCENT",
            ),
            flag(language, "--strict", "comparing.option_strict"),
            flag(language, "--history", "comparing.option_history"),
            option(language, "--model", "comparing.option_model", metavar="TEXT"),
            option(language, "--length", "comparing.option_length", kind=count, metavar="N"),
            option(language, "--phase", "comparing.option_phase", kind=phases),
            flag(language, "--markdown", "comparing.option_markdown"),
            option(language, "--out", "comparing.option_out", metavar="FOLDER"),
            *options.common(language),
        ],
        callback=run,
    )


@click.pass_obj
def run(
    call: Invocation,
    /,
    *,
    sides: tuple[str, ...],
    allow: bool,
    fail_slower: float | None,
    strict: bool,
    history: bool,
    model: str | None,
    length: int | None,
    phase: Literal["prefill", "decode"] | None,
    markdown: bool,
    out: str | None,
    json: bool,
) -> int | None:
    """Compare two sides, or follow one condition."""
    from tokenroof import api

    if history:
        if len(sides) > 1:
            raise UsageError("comparing.two_sides")
        if allow or strict or fail_slower is not None:
            raise UsageError("comparing.only_without_history")
        source = sides[0] if sides else None
        found = api.history(source, model=model, tokens=length, phase=phase or "decode")
        _tell_history(call, found, markdown=markdown, out=out, json=json)
        return None
    if len(sides) != 2:
        raise UsageError("comparing.two_sides")
    if model is not None or length is not None or phase is not None:
        raise UsageError("comparing.only_with_history")
    compared = api.compare(*sides, allow=allow, fail_slower=fail_slower, strict=strict)
    return _tell(call, compared, markdown=markdown, out=out, json=json)


def _tell(
    call: Invocation, compared: Comparison, *, markdown: bool, out: str | None, json: bool
) -> int | None:
    """Print it; the exit code says whether it was refused, or the answer is "no"."""
    if json:
        streams.write_json(compared.to_dict(call.document))
    elif markdown:
        from tokenroof.report.comparison import comparison_markdown

        streams.write(comparison_markdown(compared, call.document))
    else:
        from tokenroof.cli import comparison

        comparison.show(compared, call.screen)
    refused = _refusal(compared, call.screen)
    if refused is not None:
        raise refused
    if out is not None:
        from tokenroof.report.charts.comparison import comparison_figure
        from tokenroof.report.comparison import comparison_markdown, write_comparison

        language = call.screen
        picture = comparison_figure(compared, language)
        text = comparison_markdown(compared, language)
        _say_files(write_comparison(Path(out), "comparison", text, picture), call, json or markdown)
    return AnswerIsNo.exit_code if compared.gate is not None and compared.gate.is_no else None


def _refusal(compared: Comparison, language: str) -> InputError | None:
    """Why there is no answer."""
    from tokenroof.report.comparison import difference_text

    if compared.cells:
        return None
    if compared.differences:
        what = "; ".join(difference_text(each, language) for each in compared.differences)
        return InputError("comparing.unlike", what=what)
    return InputError(
        "comparing.nothing_shared",
        a=compared.a.name,
        b=compared.b.name,
        only_a=", ".join(compared.only_a) or "–",
        only_b=", ".join(compared.only_b) or "–",
    )


def _tell_history(
    call: Invocation, found: History, *, markdown: bool, out: str | None, json: bool
) -> None:
    from tokenroof.report.comparison import history_markdown

    if json:
        streams.write_json(found.to_dict(call.document))
    elif markdown:
        streams.write(history_markdown(found, call.document))
    else:
        from tokenroof.cli import comparison

        comparison.show_history(found, call.screen)
    if out is not None:
        from tokenroof.report.charts.history import history_figure
        from tokenroof.report.comparison import history_title, write_comparison
        from tokenroof.report.tables import text_in

        title = history_title(found, text_in(call.screen))
        picture = history_figure(found, title, call.screen)
        text = history_markdown(found, call.screen)
        _say_files(write_comparison(Path(out), "history", text, picture), call, json or markdown)


def _say_files(files: tuple[Path, ...], call: Invocation, is_quiet: bool) -> None:
    if is_quiet:
        return
    from tokenroof.cli import comparison

    comparison.say_files([str(each) for each in files], call.screen)
