"""What of a file llama.cpp brings into memory, and with which of its layers.

The engine places whole layers: the blocks, an input layer that looks embeddings up, and an output
layer. Every tensor belongs to one of them (llama-arch's LLM_TENSOR_INFOS); a few that all blocks
share are held once wherever there are blocks. Where the output projection is tied to the input
embedding, the output layer has a copy of it, unless both lie in the same memory.
"""

from __future__ import annotations

from typing import Literal

from tokenroof.model.blocks import place
from tokenroof.model.ledger import Entry
from tokenroof.units import GIB

Side = int | Literal["input", "output", "all"]
"""A block's number, or the input or output layer, or everywhere where there are blocks."""

_TABLE_BY_ROWS = "per_layer_token_embd.weight"
_LARGEST_TABLE = 4 * GIB
_ALIGNMENT = 32

_INPUT = frozenset({"token_embd", "position_embd", "token_types", "per_layer_token_embd"})
_FIRST_BLOCK = frozenset(
    {"token_embd_norm", "per_layer_model_proj", "per_layer_proj_norm", "hrm.z_l_init"}
)
_EVERYWHERE = ("rope_freqs", "rope_factors_")
_NORM_OF_OUTPUT = ("lfm2", "lfm2moe")
"""Their output norm bears the name of the embedding's."""

_OUTPUT_FIRST = frozenset({"gemma3n", "gemma4"})
"""They ask for the output projection before the embedding: they get it twice even in one place."""


def is_left_on_disk(entry: Entry, blocks: int) -> bool:
    """Whether a tensor stays in the file.

    Args:
        entry: the tensor.
        blocks: blocks that run; those after them are not loaded (llama_model's `load_mtp`).
    """
    if entry.name == _TABLE_BY_ROWS:
        return entry.tensor.bytes > _LARGEST_TABLE
    return entry.block is not None and entry.block >= blocks > 0


def side(entry: Entry, architecture: str | None) -> Side:
    """Which layer a tensor belongs to."""
    block = entry.block
    if block is None and entry.name.startswith("enc."):
        block = place(entry.name.removeprefix("enc."))[0]
    if block is not None:
        return block
    name = entry.name.rpartition(".")[0] or entry.name
    if name in _INPUT:
        return "input"
    if name.startswith(_EVERYWHERE):
        return "all"
    if name in _FIRST_BLOCK and not (name == "token_embd_norm" and architecture in _NORM_OF_OUTPUT):
        return 0
    return "output"


def is_twice_in_one_place(architecture: str | None) -> bool:
    """Whether a tied embedding takes its bytes twice in the memory of one device.

    So it does where the file is read into buffers; mapped, both are the same pages.
    """
    return architecture in _OUTPUT_FIRST


def padded_bytes(entry: Entry) -> int:
    """What a tensor takes of a buffer: its bytes up to the next 32."""
    return -(-entry.tensor.bytes // _ALIGNMENT) * _ALIGNMENT
