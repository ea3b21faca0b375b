"""The manual page, from the help of the commands: `man tokenroof`.

One page has all verbs, in the macros of man(7). Text is written so that nothing in it is taken
for a macro: backslashes are doubled by their name, dots and quotes at the head of a line are
guarded, and what is typed keeps hyphens that can be copied.
"""

from __future__ import annotations

import click

from tokenroof import __version__, words
from tokenroof.cli.help import VERBS, Command
from tokenroof.cli.root import command

TITLES = {
    "en": (
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "COMMANDS",
        "EXIT STATUS",
        "ENVIRONMENT",
        "NAMES OF MODELS",
        "NAMES OF DEVICES",
    ),
    "ja": (
        "名前",
        "書式",
        "説明",
        "コマンド",
        "終了ステータス",
        "環境変数",
        "モデルの名前",
        "デバイスの名前",
    ),
}
PURPOSE = {
    "en": "measure, explain and predict the speed of local language models",
    "ja": "手元で動かす言語モデルの速さの計測、説明、予測",
}


def page(opening: str, language: str) -> str:
    """The manual page.

    Args:
        opening: the first part of the reference, whose tables (exit codes, variables, names of
            models and of devices) are shown here too.
        language: of the page.
    """
    root = command(language)
    context = root.context_class(root, info_name="tokenroof")
    name, synopsis, description, commands, *of_tables = TITLES[language]
    lines = [
        f'.TH TOKENROOF 1 "" "tokenroof {__version__}"',
        ".ad l",
        f".SH {name}",
        f"tokenroof \\- {_text(PURPOSE[language])}",
        f".SH {synopsis}",
        ".B tokenroof",
        r"[\-\-lang en|ja] COMMAND [...]",
        f".SH {description}",
        *_paragraphs(root.help or ""),
        f".SH {commands}",
    ]
    for verb in VERBS:
        each = root.get_command(context, verb)
        assert isinstance(each, Command)
        inner = each.context_class(each, info_name=verb, parent=context)
        usage = " ".join([f"tokenroof {verb}", *each.collect_usage_pieces(inner)])
        lines += [f".SS {_text(usage)}", *_paragraphs(each.help or "")]
        for parameter in each.get_params(inner):
            lines += _option(parameter, inner)
        lines += [".P", words.text("cli.heading_examples", language), ".P", ".RS", ".nf"]
        lines += [*map(_text, each.examples), ".fi", ".RE"]
    for title, rows in zip(of_tables, _tables(opening), strict=True):
        lines.append(f".SH {title}")
        for term, meaning in rows:
            lines += [".TP", f".B {_text(term)}", _text(meaning)]
    return "\n".join(lines) + "\n"


def _option(parameter: click.Parameter, context: click.Context) -> list[str]:
    record = parameter.get_help_record(context)
    if record is None or not record[1]:
        return []  # an argument, which the usage shows
    term, meaning = record
    return [".TP", f".B {_text(term)}", _text(click.unstyle(meaning))]


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for paragraph in click.unstyle(text).split("\n\n"):
        lines += [".P", *map(_text, paragraph.splitlines())]
    return lines


def _tables(opening: str) -> list[list[tuple[str, str]]]:
    """The rows of each table."""
    tables: list[list[tuple[str, str]]] = []
    inside = False
    for line in opening.splitlines():
        if line.startswith("|---"):
            tables.append([])
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside:
            first, second = (cell.strip() for cell in line.strip("|").split("|", 1))
            tables[-1].append((first.replace("`", ""), second.replace("`", "")))
    return tables


def _text(text: str) -> str:
    """Text that is shown as it is."""
    safe = text.strip().replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + safe if safe[:1] in (".", "'") else safe
