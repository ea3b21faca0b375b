"""What models this machine has, wherever they lie, and what one token of each costs.

The library finds names and files; here each file is read once, told in a row, and the row is kept
until the file changes. One file that several names mean is one row.
"""

from tokenroof.inventory.listing import list_models
from tokenroof.inventory.records import Listing, ModelRow

__all__ = ["Listing", "ModelRow", "list_models"]
