"""File types of about two bits and less: what is sensitive gets two to five."""

from __future__ import annotations

from tokenroof.recipes.quantise.categories import Category
from tokenroof.recipes.quantise.situation import Case

TINY = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M"})

_LARGER = frozenset({"IQ2_S", "IQ2_M"})


def tiny(case: Case, category: Category) -> str:
    """The type of any tensor but output and embeddings in a tiny file type."""
    traits, larger = case.traits, case.file_type in _LARGER
    step_up = "IQ3_S" if larger else "Q2_K"
    chosen = case.base
    match category:
        case Category.ATTENTION_V:
            chosen = "Q4_K" if traits.shares_keys or traits.experts >= 4 else step_up
        case Category.ATTENTION_K if case.has_8_experts:
            chosen = "Q4_K"
        case Category.FFN_DOWN if case.running < traits.blocks // 8:
            chosen = step_up
        case Category.ATTENTION_OUTPUT if case.has_8_experts:
            chosen = "Q5_K"
        case Category.ATTENTION_OUTPUT if larger:
            chosen = "IQ3_S"
        case Category.ATTENTION_OUTPUT if case.file_type in {"IQ1_S", "IQ1_M"}:
            chosen = "IQ2_XXS"
    return chosen
