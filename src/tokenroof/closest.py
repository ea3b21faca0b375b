"""The names nearest to one that means nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tokenroof.safetext import printable

SUGGESTIONS = 3
_LIKENESS = 0.5
_BEGINNING = 3
"""Letters; fewer begin too many names."""


def closest(wanted: str, names: Iterable[str]) -> list[str]:
    """At most three of the names, the nearest first, whatever their case; fit to be shown.

    A name is near if all of it is, or what follows its prefix, or its last part: people remember
    `qwen3`, not `ollama:qwen3:8b`. What begins with all that was typed is nearer than what merely
    resembles it, the shortest first: a name that is not finished is the commonest mistake.
    """
    meaning: dict[str, str] = {}
    for name in names:
        folded = name.lower()
        bare = folded.partition(":")[2]
        for key in (folded, bare, folded.replace("\\", "/").rpartition("/")[2]):
            if key:
                meaning.setdefault(key, name)
    typed = wanted.lower()
    begun = [key for key in meaning if len(typed) >= _BEGINNING and key.startswith(typed)]
    near = difflib.get_close_matches(typed, meaning, n=3 * SUGGESTIONS, cutoff=_LIKENESS)
    found = dict.fromkeys(printable(meaning[key]) for key in [*sorted(begun, key=len), *near])
    return list(found)[:SUGGESTIONS]
