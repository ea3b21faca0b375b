"""Types that are some publisher's own: named as such, never taken for a plain one.

Which tensors such a file stores in which type is in no rule, and changes from model to model and
from month to month. What can be said is between which plain types its size lies.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tokenroof.recipes.quantise.file_types import FILE_TYPES_BY_NAME

_BITS = re.compile(r"(?:I|T)?Q(\d)")
_LARGE = re.compile(r"Q(?!3)\d_K_L")
"""Plain but for embedding and output. Q3_K_L is one of llama.cpp's own."""

_NAMED_AFTER = re.compile(r"(?:UD-|I1-)?(I?Q\d(?:_[A-Z0-9]+)*?)(?:_XL|_L|_P)?(?:-[\d.]+BPW|_R8)?")
_PLAIN = {"Q8_K": "Q8_0", "Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M", "IQ3_K": "IQ3_S"}

_LADDER = {
    1: ("IQ1_S", "IQ3_XXS"),
    2: ("IQ1_M", "Q4_K_S"),
    3: ("Q2_K", "Q5_K_S"),
    4: ("Q3_K_S", "Q6_K"),
    5: ("Q4_K_S", "Q8_0"),
    6: ("Q5_K_S", "F16"),
    8: ("Q6_K", "F16"),
}
"""By the bits in a mix's name: the plain types that bound it. Files of Unsloth's were found to be
up to a fifth smaller and a half larger than the plain type of their name."""


class Mix(NamedTuple):
    """A publisher's own way to quantise.

    Attributes:
        name: as it was typed, in capitals.
        publisher: whose it is.
        low: the plain type that it is no smaller than.
        high: the plain type that it is no larger than.
    """

    name: str
    publisher: str
    low: str
    high: str


def mix(name: str) -> Mix | None:
    """The publisher's mix that a name means; None where it means none."""
    wanted = name.strip().upper()
    if wanted.startswith("I1-"):
        plain = wanted[3:]
        return Mix(f"i1-{plain}", "mradermacher", plain, plain)
    found = _BITS.search(wanted)
    low, high = _LADDER.get(int(found[1]) if found else 0, ("", ""))
    if low and (wanted.startswith("UD-") or wanted.endswith("_XL")):
        return Mix(wanted, "Unsloth", low, high)
    if low and _LARGE.fullmatch(wanted):
        return Mix(wanted, "bartowski", low, high)
    return None


def nearest_plain(name: str) -> str | None:
    """The plain type that a publisher's own is named after: of `UD-Q4_K_XL` it is Q4_K_M.

    None where its name says none. Its files may be far smaller or larger; who takes this has to
    know how large.
    """
    wanted = name.strip().upper()
    match = _NAMED_AFTER.fullmatch(wanted)
    if match is None:
        return None
    base = match[1]
    made = (base, _PLAIN.get(base, ""), f"{base}_M")
    return next((each for each in made if each in FILE_TYPES_BY_NAME), None)
