"""How many models this machine has, by the store that they are in."""

from __future__ import annotations

from tokenroof.doctor.records import FoundModels
from tokenroof.inventory import Listing


def found_models(listing: Listing) -> tuple[FoundModels, ...]:
    """Counts and sizes by store, the largest first; no names, which may be private."""
    totals: dict[str, tuple[int, int]] = {}
    for row in listing.models:
        count, size = totals.get(row.source, (0, 0))
        totals[row.source] = (count + 1, size + (row.file_bytes or 0))
    found = [
        FoundModels(source=source, count=count, bytes=size)
        for source, (count, size) in totals.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.bytes, each.source)))
