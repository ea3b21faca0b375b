"""What a sentence may hold that is shown to a person."""

from __future__ import annotations

import unicodedata


def is_safe(text: str) -> bool:
    """Whether text is one line that does nothing to a terminal. Joiners of scripts may be in it."""
    return all(
        unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} or c in "\u200c\u200d"
        for c in text
    )
