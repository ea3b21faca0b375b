"""The ceiling: how fast decoding could be if nothing but memory took time.

To decode one token, every weight that the token uses and the cache of every token before it must
pass from memory to the processor once. Memory moves at most its bandwidth in a second, so there
are at most bandwidth / bytes tokens in a second. Nothing that computes faster gets past this;
everything else that takes time (arithmetic, launches, waiting) only lies on top of it.

Reading a prompt is bounded by arithmetic instead: its tokens share each weight that is read, so
each byte serves many operations.

All functions take numbers or arrays of them alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers = TypeVar("Numbers", "float", "NDArray[np.float64]")


def decode_ceiling(bandwidth_bytes_per_second: Numbers, read_bytes: Numbers) -> Numbers:
    """The most tokens per second: bandwidth / what one token reads.

    Example:
        256e9 B/s and 2,589,401,844 B a token: at most 98.86 tok/s.
    """
    return bandwidth_bytes_per_second / read_bytes


def prefill_ceiling(
    flop_per_second: Numbers, prompt_flop: Numbers, prompt_tokens: Numbers
) -> Numbers:
    """The most prompt tokens per second: tokens over the time that their arithmetic takes."""
    return prompt_tokens * flop_per_second / prompt_flop
