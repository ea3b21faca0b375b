"""Whether a file is what its label says.

`general.file_type` is a claim of whoever made the file. A mix such as Q4_K_M stores most weights
in one type and some in better ones, so it is held against the types that llama.cpp's quantiser
makes up the bulk of that mix from.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenroof.gguf import Tensor

_BULK = {
    "MXFP4_MOE": ("MXFP4",),
    "Q2_K": ("Q2_K", "Q3_K"),
    "Q2_K_S": ("Q2_K",),
    "Q3_K_S": ("Q3_K",),
    "Q3_K_M": ("Q3_K",),
    "Q3_K_L": ("Q3_K",),
    "Q4_K_S": ("Q4_K",),
    "Q4_K_M": ("Q4_K",),
    "Q5_K_S": ("Q5_K",),
    "Q5_K_M": ("Q5_K",),
    "IQ2_M": ("IQ2_S", "IQ2_XS"),
    "IQ2_S": ("IQ2_XS", "IQ2_S"),
    "IQ3_XS": ("IQ3_XXS", "IQ3_S"),
    "IQ3_M": ("IQ3_S",),
}


def share_as_labelled(label: str | None, tensors: Iterable[Tensor]) -> float | None:
    """The share of the weights that is stored in the label's own types; None where unsaid.

    Norms and biases stay in F32 whatever the label, so only matrices are counted.
    """
    if label is None:
        return None
    types = _BULK.get(label, (label,))
    matrices = [tensor for tensor in tensors if len(tensor.shape) > 1]
    total = sum(tensor.elements for tensor in matrices)
    if total == 0:
        return None
    return sum(tensor.elements for tensor in matrices if tensor.type in types) / total
