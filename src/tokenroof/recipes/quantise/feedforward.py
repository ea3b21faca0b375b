"""The tensors of the feed-forward part: the way down is the sensitive one."""

from __future__ import annotations

from tokenroof.recipes.quantise.situation import Case


def down(case: Case) -> str:
    """The projection down, of a layer or of its experts."""
    chosen = _falcon(case) if case.is_falcon else None
    return chosen or _down(case) or case.base


def _falcon(case: Case) -> str | None:
    first = case.index < case.number // 16
    match case.file_type:
        case "Q3_K_M":
            return "Q5_K" if first else "Q4_K" if case.gets_more_bits else "Q3_K"
        case "Q3_K_L":
            return "Q4_K"
        case "Q4_K_M":
            return "Q6_K" if first else "Q5_K" if case.gets_more_bits else "Q4_K"
        case "Q4_K_S":
            return "Q4_K"
    return None


_DOWN = {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K"}
_EARLY = {"Q2_K_S": "Q4_K", "IQ3_M": "Q4_K", "Q4_K_S": "Q5_K"}
"""What only the first eighth gets."""
_EARLY_WITHOUT_MATRIX = {"IQ3_XXS": "Q4_K", "IQ4_NL": "Q5_K", "IQ4_XS": "Q5_K"}
_EARLY_WITH_MATRIX = {"Q4_0": "Q4_1", "Q5_0": "Q5_1"}


def _down(case: Case) -> str | None:
    file_type = case.file_type
    if file_type == "Q3_K_M" and case.index < case.number // 16:
        return "Q5_K"
    if case.is_early:
        by_matrix = _EARLY_WITH_MATRIX if case.matrix else _EARLY_WITHOUT_MATRIX
        early = _EARLY.get(file_type) or by_matrix.get(file_type)
        if early:
            return early
    if file_type in {"Q4_K_M", "Q5_K_M"} and case.gets_more_bits:
        return "Q6_K"
    if file_type == "IQ3_M" and case.has_8_experts and case.gets_more_bits:
        return "Q4_K"
    return "Q3_K" if file_type == "IQ3_XXS" and not case.matrix else _DOWN.get(file_type)


def gate_or_up(case: Case) -> str:
    """The projections up."""
    is_middle = case.number // 8 <= case.index < 7 * case.number // 8
    return "IQ3_XXS" if case.file_type == "IQ3_XS" and is_middle else case.base
