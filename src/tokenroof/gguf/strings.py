"""Passing over many strings at once.

A string is its length in eight bytes, then its bytes. Where a string begins is known only from
the one before, so no slicing or searching finds the end of an array of them: each length must be
looked at. A loop in Python takes 65 ns a string for that. The one engine of the standard library
that can loop over it is the regular expressions': with one alternative for each length below 64,

    length byte, seven zeros, that many bytes of any kind

a block of 128 strings is one match, at 35 ns a string. The pattern is exact: the alternatives
begin with different bytes, so there is one way to match or none, and then the loop has the word.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokenroof.gguf.byteorder import ByteOrder

BLOCK_STRINGS = 128
SHORT_BYTES = 64
# Compiling the pattern takes 1.5 ms, which this many strings win back.
MANY_STRINGS = 49_152


@cache
def block_matcher(byte_order: ByteOrder) -> Callable[[bytes, int], re.Match[bytes] | None]:
    """A function of bytes and an offset that matches `BLOCK_STRINGS` short strings, or nothing."""
    alternatives = b"|".join(
        re.escape(size.to_bytes(8, byte_order)) + b".{%d}" % size for size in range(SHORT_BYTES)
    )
    # Possessive: what has matched is not tried again in another way, for there is none.
    return re.compile(b"(?s:(?:%s){%d}+)" % (alternatives, BLOCK_STRINGS)).match
