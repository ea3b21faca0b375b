"""`doctor`: this machine, and what would falsify a measurement on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenroof.doctor import Doctor, Tell


def examine(*, private: bool = False, tell: Tell | None = None) -> Doctor:
    """Look at this machine and measure its memory; takes about 6 seconds.

    Args:
        private: add the names of host and user, and the home folder.
        tell: told the id of the sentence that says what is done next.
    """
    from tokenroof.doctor import examine as examined

    return examined(private=private, tell=tell)
