"""The answer of a comparison in a sentence a phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenroof import units
from tokenroof.comparing.records import Cell, Phase
from tokenroof.notices import Notice

PHASES: tuple[Phase, ...] = ("prefill", "decode")

_Values = dict[str, Any]


def headline(cells: Sequence[Cell], threshold: float) -> tuple[Notice, ...]:
    """What was found: for each phase, a sentence for each verdict that it has."""
    found = []
    for phase in PHASES:
        own = [cell for cell in cells if cell.phase == phase]
        for verdict, sentence in _SENTENCES.items():
            alike = [cell for cell in own if cell.verdict == verdict]
            if alike:
                values = {"phase": phase, "count": len(alike), "lengths": len(own)}
                found.append(sentence(alike, values, threshold))
    # What is missing where runs are too few is said with how many.
    reasons = [cell.reason for cell in cells if cell.reason and cell.runs_needed is None]
    found += {reason.message: reason for reason in reasons}.values()
    return tuple(found)


def change(cell: Cell) -> str:
    """The change of time as a person reads it: `+5.2 %`."""
    return signed(cell.time_ratio - 1)


def interval(cell: Cell) -> str | None:
    """Its interval, where there is one: `[+4.1, +6.3]`."""
    if cell.time_ratio_low is None or cell.time_ratio_high is None:
        return None
    low, high = (signed(end - 1, unit="") for end in (cell.time_ratio_low, cell.time_ratio_high))
    return f"[{low}, {high}]"


def signed(share: float, unit: str = " %") -> str:
    """A share as a signed percentage."""
    return f"{share * 100:+.1f}{unit}"


def share(value: float) -> str:
    """A share as a percentage in two digits or more: `0.8 %`, `12 %`."""
    return f"{units.significant(value * 100, 2)} %"


def _slower(cells: Sequence[Cell], values: _Values, threshold: float) -> Notice:
    del threshold
    return Notice("comparing.slower", values | {"by": _span(c.time_ratio - 1 for c in cells)})


def _faster(cells: Sequence[Cell], values: _Values, threshold: float) -> Notice:
    del threshold
    return Notice("comparing.faster", values | {"by": _span(1 - c.time_ratio for c in cells)})


def _no_difference(cells: Sequence[Cell], values: _Values, threshold: float) -> Notice:
    del threshold
    smallest = [c.smallest_difference for c in cells if c.smallest_difference is not None]
    return Notice("comparing.no_difference", values | {"smallest": share(max(smallest))})


def _cannot_tell(cells: Sequence[Cell], values: _Values, threshold: float) -> Notice:
    needed = [cell.runs_needed for cell in cells]
    known = [each for each in needed if each is not None]
    if len(known) < len(needed):
        return Notice("comparing.cannot_tell", values)
    more = values | {"runs": max(known), "threshold": share(threshold)}
    return Notice("comparing.cannot_tell_yet", more)


_SENTENCES = {
    "slower": _slower,
    "faster": _faster,
    "no_difference": _no_difference,
    "cannot_tell": _cannot_tell,
}


def _span(shares: Iterable[float]) -> str:
    values = list(shares)
    low, high = share(min(values)), share(max(values))
    return low if low == high else f"{low.removesuffix(' %')}–{high}"
