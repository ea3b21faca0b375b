"""The file types that llama-quantize writes: names, numbers, and what most tensors become."""

from __future__ import annotations

from typing import NamedTuple

from tokenroof.errors import UsageError
from tokenroof.gguf import FILE_TYPES
from tokenroof.safetext import printable


class FileType(NamedTuple):
    """A way to quantise a whole model.

    Attributes:
        name: as llama-quantize is told it.
        number: `general.file_type`.
        base: ggml's name of the type that a tensor gets where no rule says otherwise.
    """

    name: str
    number: int
    base: str


_BASES = {
    "Q3_K_S": "Q3_K", "Q3_K_M": "Q3_K", "Q3_K_L": "Q3_K", "Q2_K_S": "Q2_K",
    "Q4_K_S": "Q4_K", "Q4_K_M": "Q4_K", "Q5_K_S": "Q5_K", "Q5_K_M": "Q5_K",
    "IQ2_S": "IQ2_XS", "IQ2_M": "IQ2_S", "IQ3_XS": "IQ3_S", "IQ3_M": "IQ3_S",
    "MXFP4_MOE": "MXFP4",
}  # fmt: skip
"""The type that gives a file type its name, where it is another one's."""

_NOT_MADE = "NVFP4"
"""llama-quantize knows the number and makes no such file: it comes from checkpoints in NVFP4."""

FILE_TYPES_BY_NAME = {
    name: FileType(name, number, _BASES.get(name, name))
    for number, name in FILE_TYPES.items()
    if name != _NOT_MADE
}
"""What llama-quantize can write, by its name for it."""

ALIASES = {
    "Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M", "MXFP4": "MXFP4_MOE",
    "FP16": "F16", "FP32": "F32",
}  # fmt: skip
"""Other names that people and llama-quantize have for some."""

NEED_A_MATRIX = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "Q2_K_S"})
"""llama-quantize refuses to make them without an importance matrix, and so it does IQ3_XXS where
any tensor would be stored in it."""

DIFFER_BY_MATRIX = frozenset({"IQ3_XXS", "IQ4_NL", "IQ4_XS", "Q4_0", "Q5_0"})
"""Some tensors get another type when an importance matrix is there."""


def file_type(name: str) -> FileType:
    """The file type of a name, in any case.

    Raises:
        UsageError: llama-quantize makes no such file; the error lists what it makes.
    """
    wanted = name.strip().upper()
    wanted = ALIASES.get(wanted, wanted)
    known = FILE_TYPES_BY_NAME.get(wanted)
    if known is not None:
        return known
    if wanted == _NOT_MADE:
        raise UsageError("recipes.type_not_made", type=wanted)
    types = ", ".join(FILE_TYPES_BY_NAME)
    if not wanted:
        raise UsageError("recipes.type_missing", types=types)
    raise UsageError("recipes.unknown_type", type=printable(name, 60), types=types)
