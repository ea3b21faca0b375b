"""What no honest file exceeds, and what is kept in memory."""

from __future__ import annotations

from typing import Final

DEADLINE_SECONDS: Final = 1.0

MIN_HEADER_BYTES: Final = 24
# An empty key, a type, one byte; an empty name, a number of dimensions, a type, an offset.
MIN_PAIR_BYTES: Final = 8 + 4 + 1
MIN_TENSOR_BYTES: Final = 8 + 4 + 4 + 8
# An element type and a length.
ARRAY_HEAD_BYTES: Final = 4 + 8

# Real models have under 100 pairs, and 50,000 tensors where each expert is one of its own.
MAX_PAIRS: Final = 65_536
MAX_TENSORS: Final = 65_536
MAX_NAME_BYTES: Final = 65_535  # the format's own limit for keys
MAX_DIMENSIONS: Final = 8
MAX_NESTING: Final = 8
# llama.cpp counts in 64-bit integers with a sign.
MAX_COUNT: Final = 2**63 - 1
# No disk holds 2^50 bytes; beyond it a number is damage, not a download that has not ended.
MAX_EXTENT_BYTES: Final = 2**50

LLAMA_CPP_NAME_BYTES: Final = 63
LLAMA_CPP_DIMENSIONS: Final = 4

# Longer strings and arrays stay in the file until they are asked for; so does what comes after
# the kept ones have used up their budget.
KEPT_VALUE_BYTES: Final = 65_536
VALUES_BUDGET_BYTES: Final = 8 * 2**20
NAMES_BUDGET_BYTES: Final = 8 * 2**20
