"""A name -> the model that is meant, wherever it lives, and its header.

A name is a path, or begins with one of `resolve.PREFIXES`. Each place that models live in is a
file of this room; all of them end in a `Location`, whose header is the one `Header`.
"""

from tokenroof.library.location import Companion, Installed, LocalModel, Location
from tokenroof.library.resolve import locate, open_blueprint, open_header, resolve

__all__ = [
    "Companion",
    "Installed",
    "LocalModel",
    "Location",
    "locate",
    "open_blueprint",
    "open_header",
    "resolve",
]
