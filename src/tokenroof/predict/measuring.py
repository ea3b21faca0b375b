"""The command that measures what was estimated, and before it the one that fetches the model."""

from __future__ import annotations

import re
import shlex

from tokenroof.gguf import Header

_FIRST_PART = re.compile(r"-\d{5}-of-(\d{5}\.gguf)$", re.IGNORECASE)
_WEB = ("https://", "http://")


def measuring(name: str, header: Header, length: int | None) -> str | None:
    """What measures a model here, to be typed as it is.

    Args:
        name: the model, as it was asked for.
        header: its header.
        length: of the prompt, in tokens; None for the usual ones.

    Returns:
        None for a recipe: there is nothing to measure yet.
    """
    if header.recipe is not None:
        return None
    fetch: list[str] = []
    if not header.paths and name.startswith(_WEB):
        fetch = ["curl", "-fLO", name]
        name = name.split("?", maxsplit=1)[0].rpartition("/")[2]
    elif not header.paths:
        fetch = _from_hub(name)
    words = ["tokenroof", "bench", name]
    if length:
        words += ["--lengths", str(length)]
    return " && ".join(shlex.join(each) for each in (fetch, words) if each)


def _from_hub(name: str) -> list[str]:
    """The Hub's own command: it keeps the file where ``hf:`` finds it."""
    from tokenroof.library.hub_names import PREFIX, parse

    if not name.startswith(PREFIX):
        return []
    asked = parse(name.removeprefix(PREFIX))
    words = ["hf", "download", asked.repo]
    if asked.file is None:
        words += ["--include", f"*{asked.tag}*.gguf" if asked.tag else "*.gguf"]
    elif _FIRST_PART.search(asked.file):
        words += ["--include", _FIRST_PART.sub(r"-*-of-\1", asked.file)]
    else:
        words.append(asked.file)
    return [*words, "--revision", asked.revision] if asked.revision else words
