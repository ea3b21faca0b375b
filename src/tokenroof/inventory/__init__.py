"""What models this machine has, wherever they lie, and what one token of each costs.

The library finds names and files; here each file is read once, told in a row, and the row is kept
until the file changes. One file that several names mean is one row. Models of the catalogue are
told in the same rows, and one of them in a row for each type that it could be made in.
"""

from tokenroof.inventory.catalogue import search_catalogue
from tokenroof.inventory.listing import list_models
from tokenroof.inventory.records import Listing, ModelRow
from tokenroof.inventory.type_records import TypeRow, TypeTable
from tokenroof.inventory.type_table import type_table

__all__ = [
    "Listing",
    "ModelRow",
    "TypeRow",
    "TypeTable",
    "list_models",
    "search_catalogue",
    "type_table",
]
