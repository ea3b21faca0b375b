"""The memory with the least room left, which decides whether all of it fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenroof.predict.memory.placement import HOST

if TYPE_CHECKING:
    from tokenroof.predict.memory.memory import Need
    from tokenroof.predict.memory.processors import Processors


def tightest(needs: Sequence[Need], places: Processors) -> tuple[int, int | None]:
    """What the place with the least room left has to hold, and what it can.

    A host behind cards decides only where somebody said how much it has. Where a place's memory is
    not known, all that has to be held, and None.
    """
    held = [
        (need.high_bytes, processor.memory_bytes)
        for need, processor in zip(needs, places.all, strict=True)
        if need.high_bytes
        and (need.place != HOST or not places.has_cards or processor.memory_bytes is not None)
    ]
    if any(capacity is None for _, capacity in held):
        return sum(need for need, _ in held), None
    return min(held, key=lambda each: (each[1] or 0) - each[0], default=(0, None))
