"""The names nearest to one that means nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tokenroof.safetext import printable

SUGGESTIONS = 3
_LIKENESS = 0.5


def closest(wanted: str, names: Iterable[str]) -> list[str]:
    """At most three of the names, the nearest first, whatever their case; fit to be shown.

    A name is near if all of it is, or what follows its prefix, or its last part: people remember
    `qwen3`, not `ollama:qwen3:8b`.
    """
    meaning: dict[str, str] = {}
    for name in names:
        folded = name.lower()
        bare = folded.partition(":")[2]
        for key in (folded, bare, folded.replace("\\", "/").rpartition("/")[2]):
            if key:
                meaning.setdefault(key, name)
    near = difflib.get_close_matches(wanted.lower(), meaning, n=3 * SUGGESTIONS, cutoff=_LIKENESS)
    found = dict.fromkeys(printable(meaning[key]) for key in near)
    return list(found)[:SUGGESTIONS]
