"""The options of prompts and answers, which `wait` and `estimate` share."""

from __future__ import annotations

from typing import Any

import click

from tokenroof.cli import options


def of_prompts(language: str) -> list[click.Parameter]:
    """What is in a cache, what is thought, how often, and where it is counted and measured."""
    option, count = options.option, options.count
    return [
        option(language, "--prompt-file", "waiting.prompt_file", metavar="FILE"),
        option(language, "--cached", "waiting.cached", kind=count(language), metavar="N"),
        option(language, "--thinking", "waiting.thinking", kind=count(language), metavar="N"),
        options.flag(language, "--cold", "waiting.cold"),
        option(language, "--turns", "waiting.turns", kind=count(language, 1), metavar="N"),
        option(language, "--agent", "waiting.agent", kind=count(language, 1), metavar="N"),
        option(language, "--runs", "waiting.runs", metavar="FILE"),
        option(language, "--profile", "waiting.profile", metavar="FILE"),
        options.flag(language, "--keep", "waiting.keep"),
    ]


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """What was given, as keys of a question; a flag that is not there says nothing."""
    return {**given, "cold": given.get("cold") or None}
