"""Rows that are not whole blocks of the type wanted get another type.

A type stores a row in blocks of 32, 64, 128 or 256 weights. A row that is no multiple of that gets
the nearest type with blocks of 32, or F16 where that does not fit either.
"""

from __future__ import annotations

from tokenroof.errors import InputError
from tokenroof.gguf import TENSOR_TYPES_BY_NAME
from tokenroof.units import count

_FALLBACKS = {
    **dict.fromkeys(
        ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS"), "IQ4_NL"
    ),
    **dict.fromkeys(("Q2_0", "Q2_K", "Q3_K", "TQ1_0", "TQ2_0"), "Q4_0"),
    "Q4_K": "Q5_0",
    "Q5_K": "Q5_1",
    "Q6_K": "Q8_0",
}

_SMALLEST_BLOCK = 32


def type_for_row(wanted: str, row: int, name: str) -> str:
    """The type wanted, or what the quantiser takes instead for a row of so many weights.

    Raises:
        InputError: the quantiser has nothing to take instead, and stops.
    """
    if _fits(wanted, row):
        return wanted
    block = TENSOR_TYPES_BY_NAME[wanted].block_elements
    instead = _FALLBACKS.get(wanted)
    if instead is None:
        if block > _SMALLEST_BLOCK:
            raise InputError(
                "recipes.row_refused", type=wanted, name=name, row=count(row), block=block
            )
        return "F16"
    return instead if _fits(instead, row) else "F16"


def _fits(type_name: str, row: int) -> bool:
    return row % TENSOR_TYPES_BY_NAME[type_name].block_elements == 0
