"""How the help pages are laid out, in both languages, and verbs that load when they are used."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from keyword import iskeyword

import click

from tokenroof import words
from tokenroof.cli import wide

VERBS = {
    "lab": "cli.lab_short",
    "inspect": "cli.inspect_short",
    "estimate": "cli.estimate_short",
    "wait": "waiting.short",
    "bench": "cli.bench_short",
    "report": "cli.report_short",
    "import": "importing.short",
    "compare": "comparing.short",
    "models": "models.short",
    "devices": "devices.short",
    "doctor": "doctor.short",
    "calibrate": "calibrate.short",
    "score": "scoring.short",
    "completion": "completion.short",
}
"""The verbs in the order of the help, each with its line; each is the module of its name."""


class Formatter(click.HelpFormatter):
    """click's formatter, for text whose characters are one or two cells wide."""

    def write_text(self, text: str) -> None:
        """Paragraphs, wrapped; one whose lines are indented is kept as it is."""
        indent = " " * self.current_indent
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.write("\n")
            for line in wide.wrap(paragraph, self.width - self.current_indent):
                self.write(f"{indent}{line}\n")

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        col_max: int = 30,
        col_spacing: int = 2,
    ) -> None:
        """Two columns: a term and what it means."""
        terms = list(rows)
        first = min(max(wide.width(term) for term, _ in terms), col_max) + col_spacing
        indent = " " * self.current_indent
        room = max(self.width - self.current_indent - first, 10)
        for term, meaning in terms:
            lines = wide.wrap(meaning, room)
            if wide.width(term) > first - col_spacing:
                self.write(f"{indent}{term}\n")
            else:
                self.write(f"{indent}{wide.pad(term, first)}{lines.pop(0)}".rstrip() + "\n")
            for line in lines:
                self.write(f"{indent}{' ' * first}{line}\n")


class Context(click.Context):
    """A context whose help is laid out by our formatter."""

    formatter_class = Formatter


class Command(click.Command):
    """A verb: its help in one language, with examples at the end."""

    context_class = Context

    def __init__(self, name: str, language: str, examples: tuple[str, ...], **rest: object) -> None:
        super().__init__(name, **rest)  # type: ignore[arg-type]
        self.language = language
        self.examples = examples

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The line that shows how to call it."""
        _write_usage(self, self.language, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the examples."""
        _write_options(self, self.language, ctx, formatter)
        with formatter.section(words.text("cli.heading_examples", self.language)):
            for example in self.examples:
                formatter.write(f"{' ' * formatter.current_indent}{example}\n")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """`--help`, described in the language of the page."""
        return _described(super().get_help_option(ctx), self.language)


class VerbGroup(click.Group):
    """All verbs. One is imported when it is called, not to list it."""

    context_class = Context

    def __init__(self, language: str, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.language = language

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, imported now."""
        if cmd_name not in VERBS:
            return None
        module = cmd_name + "_" * iskeyword(cmd_name)
        command = import_module(f"tokenroof.cli.{module}").command(self.language)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb and its arguments; an unknown one is answered with the closest name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise UnknownVerb(args[0], ctx)
        return super().resolve_command(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The line that shows how to call it."""
        _write_usage(self, self.language, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the verbs with one line each."""
        _write_options(self, self.language, ctx, formatter)
        rows = [(name, words.text(short, self.language)) for name, short in VERBS.items()]
        with formatter.section(words.text("cli.heading_verbs", self.language)):
            formatter.write_dl(rows)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """`--help`, described in the language of the page."""
        return _described(super().get_help_option(ctx), self.language)


class UnknownVerb(click.UsageError):
    """A verb that does not exist."""

    def __init__(self, verb: str, ctx: click.Context) -> None:
        super().__init__(verb, ctx)
        self.verb = verb


def _write_usage(
    command: click.Command, language: str, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    prefix = words.text("cli.heading_usage", language) + " "
    pieces = " ".join(command.collect_usage_pieces(ctx))
    formatter.write_usage(ctx.command_path, pieces, prefix)


def _write_options(
    command: click.Command, language: str, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    named = (each for each in command.get_params(ctx) if isinstance(each, click.Option))
    rows = [row for each in named if (row := each.get_help_record(ctx))]
    with formatter.section(words.text("cli.heading_options", language)):
        formatter.write_dl(rows)


def _described(option: click.Option | None, language: str) -> click.Option | None:
    if option is not None:
        option.help = words.text("cli.help", language)
    return option
