"""Models of the catalogue, one row each: those that a search finds, in the type most people run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.inventory.describe import of_header, of_model
from tokenroof.inventory.listing import held_against
from tokenroof.inventory.records import Listing, ModelRow
from tokenroof.model import build_model
from tokenroof.recipes import Entry, blueprint, find, search

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device

SOURCE = "catalogue"


def search_catalogue(query: str, *, device: Device | None = None) -> Listing:
    """The models in whose names every word of a query occurs; all of them for no words.

    Args:
        query: what is looked for.
        device: adds ceilings and verdicts, as far as its figures are known.

    Raises:
        NotFound: there is none; the error lists the closest three.
    """
    rows = [_row(entry) for entry in search(query) or (find(query),)]
    return Listing(models=tuple(rows if device is None else held_against(device, rows)))


def _row(entry: Entry) -> ModelRow:
    header = blueprint(entry).header()
    row = ModelRow(
        name=header.recipe or entry.id,
        names=entry.aliases,
        source=SOURCE,
        path=None,
        config=entry.source,
    )
    return of_model(of_header(row, header), build_model(header))
