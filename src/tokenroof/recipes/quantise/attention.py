"""The tensors of attention: V is the most sensitive, K and Q can do with less."""

from __future__ import annotations

from tokenroof.recipes.quantise.situation import Case

_V = {"Q2_K": "Q3_K", "IQ3_M": "Q4_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K"}
_V_FIRST = {"Q3_K_M": 2, "Q4_K_S": 4}
"""So many of the first become Q5_K."""
_V_SHARED = {
    **dict.fromkeys(("Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S"), "Q4_K"),
    **dict.fromkeys(("IQ4_NL", "IQ4_XS"), "Q5_K"),
}

_QK = {"IQ3_XS": "IQ3_XXS", "IQ3_XXS": "IQ2_S"}

_OUTPUT = {"Q2_K": "Q3_K", "IQ3_XXS": "IQ3_S", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K", "IQ3_M": "Q4_K"}
_OUTPUT_8_EXPERTS = frozenset(
    {
        "Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_S", "Q4_K_M", "IQ3_XXS", "IQ3_XS", "IQ3_S", "IQ3_M",
        "IQ4_NL", "IQ4_XS",
    }
)  # fmt: skip


def v(case: Case) -> str:
    """V, alone or fused with Q and K."""
    if case.has_8_experts:
        return "Q8_0"
    chosen = _v(case)
    return "Q5_K" if case.traits.is_70b and chosen in {"Q3_K", "Q4_K"} else chosen


def _v(case: Case) -> str:
    file_type = case.file_type
    if case.traits.shares_keys and file_type in _V_SHARED:
        return _V_SHARED[file_type]
    if file_type == "IQ3_XXS":
        return "IQ3_XXS" if case.matrix else "IQ3_S"
    if file_type in {"Q4_K_M", "Q5_K_M"} and case.gets_more_bits:
        return "Q6_K"
    if case.index < _V_FIRST.get(file_type, 0):
        return "Q5_K"
    return _V.get(file_type, case.base)


def k(case: Case) -> str:
    """K."""
    return "Q8_0" if case.has_8_experts else q(case)


def q(case: Case) -> str:
    """Q."""
    return _QK.get(case.file_type, case.base)


def output(case: Case) -> str:
    """The projection back from the heads."""
    if case.is_falcon:
        return "Q4_K" if case.file_type == "Q3_K_L" else case.base
    if case.has_8_experts:
        return "Q5_K" if case.file_type in _OUTPUT_8_EXPERTS else case.base
    return _OUTPUT.get(case.file_type, case.base)
