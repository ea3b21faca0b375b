"""The output projection, and the embeddings of tokens."""

from __future__ import annotations

from tokenroof.gguf import TENSOR_TYPES_BY_NAME
from tokenroof.recipes.quantise.situation import Case

_OUTPUT_Q5_K = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ3_XXS"})

_EMBEDDING = {
    **dict.fromkeys(("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS"), "Q2_K"),
    **dict.fromkeys(("IQ2_S", "IQ2_M", "IQ3_XXS"), "IQ3_S"),
    **dict.fromkeys(("TQ1_0", "TQ2_0", "Q2_0"), "Q4_K"),
}


def output(case: Case) -> str:
    """The output projection, or the embedding that takes its place, keeps more bits."""
    does_not_fit = case.row % TENSOR_TYPES_BY_NAME[case.base].block_elements
    if case.file_type == "MXFP4_MOE" or case.is_falcon or does_not_fit:
        return "Q8_0"
    if case.file_type in _OUTPUT_Q5_K:
        return "Q5_K"
    return case.base if case.base == "Q8_0" else "Q6_K"


def embedding(case: Case) -> str:
    """An embedding of which single rows are looked up."""
    return _EMBEDDING.get(case.file_type, case.base)
