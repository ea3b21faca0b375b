"""What `bench --against` is told: another model, or settings that are different."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tokenroof.cli import options
from tokenroof.errors import UsageError
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.api.planning import BenchOptions


def changes(texts: Sequence[str], language: str) -> tuple[str | None, BenchOptions]:
    """Another model, if any, and the options that differ.

    Raises:
        UsageError: an option that does not exist, or with a value that it cannot have.
    """
    kinds: dict[str, Callable[[str], object]] = {
        "threads": options.count(language, 1),
        "kv-type": options.cache_types(language),
        "flash-attention": lambda typed: {"on": True, "off": False}[typed],
        "engine": str,
    }
    model: str | None = None
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            model = text
            continue
        if name not in kinds:
            known = ", ".join(f"{each}=..." for each in kinds)
            raise UsageError("comparing.bad_change", change=printable(text, 60), known=known)
        try:
            found[name.replace("-", "_")] = kinds[name](value)
        except (click.BadParameter, KeyError) as problem:
            raise UsageError("comparing.bad_change_value", change=printable(text, 60)) from problem
    return model, found  # type: ignore[return-value]
