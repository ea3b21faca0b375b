"""The headers of GGUF model files: bytes -> `Header`, safely, and without the weights."""

from tokenroof.gguf.header import Header
from tokenroof.gguf.split import read_header
from tokenroof.gguf.tensors import Tensor
from tokenroof.gguf.types import (
    FILE_TYPES,
    TENSOR_TYPES,
    TENSOR_TYPES_BY_NAME,
    TensorType,
    file_type_name,
)
from tokenroof.gguf.values import GGUFArray, Metadata

__all__ = [
    "FILE_TYPES",
    "TENSOR_TYPES",
    "TENSOR_TYPES_BY_NAME",
    "GGUFArray",
    "Header",
    "Metadata",
    "Tensor",
    "TensorType",
    "file_type_name",
    "read_header",
]
