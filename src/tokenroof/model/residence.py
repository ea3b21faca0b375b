"""What of a file llama.cpp never brings into memory."""

from __future__ import annotations

from tokenroof.model.ledger import Entry
from tokenroof.units import GIB

_TABLE_BY_ROWS = "per_layer_token_embd.weight"
_LARGEST_TABLE = 4 * GIB


def is_left_on_disk(entry: Entry, blocks: int) -> bool:
    """Whether a tensor stays in the file.

    Args:
        entry: the tensor.
        blocks: blocks that run; those after them are not loaded (llama_model's `load_mtp`).
    """
    if entry.name == _TABLE_BY_ROWS:
        return entry.tensor.bytes > _LARGEST_TABLE
    return entry.block is not None and entry.block >= blocks > 0
