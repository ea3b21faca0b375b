"""What llama-quantize makes of a converted model: each tensor's type, by its rules.

The rules were read in llama.cpp (src/llama-quant.cpp, build 11434) and are held by the tests
against what the program itself says: `llama-quantize --dry-run` and its own snapshots.
"""

from tokenroof.recipes.quantise.file_types import FILE_TYPES_BY_NAME, FileType, file_type
from tokenroof.recipes.quantise.quantiser import Quantised, quantise

__all__ = ["FILE_TYPES_BY_NAME", "FileType", "Quantised", "file_type", "quantise"]
