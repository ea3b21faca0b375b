"""Goes through the tensors in the quantiser's order, and counts what its rules count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tokenroof.recipes.quantise import attention, embeddings, feedforward
from tokenroof.recipes.quantise.categories import Category, category
from tokenroof.recipes.quantise.file_types import FileType
from tokenroof.recipes.quantise.rows import type_for_row
from tokenroof.recipes.quantise.situation import Case, Traits
from tokenroof.recipes.quantise.tiny import TINY, tiny
from tokenroof.recipes.quantise.untouched import is_quantised

_BLOCK = re.compile(r"blk\.(\d+)\.")
_FFN = frozenset({Category.FFN_UP, Category.FFN_GATE, Category.FFN_DOWN})
_UNQUANTISED = frozenset({"F32", "F16", "BF16"})


class Quantised(NamedTuple):
    """A tensor as it will be stored.

    Attributes:
        name: of the tensor.
        shape: ne0 first.
        type: ggml's name of its type.
        instead_of: the type that the rules wanted, where the rows are no whole blocks of it.
    """

    name: str
    shape: tuple[int, ...]
    type: str
    instead_of: str | None = None


def quantise(
    tensors: Iterable[tuple[str, tuple[int, ...], str]],
    traits: Traits,
    file_type: FileType,
    *,
    matrix: bool = False,
) -> tuple[Quantised, ...]:
    """The tensors as llama-quantize writes them, in its order.

    Args:
        tensors: name, shape and type of each as the converter leaves it.
        traits: what of the model decides.
        file_type: what to make.
        matrix: whether there is an importance matrix.

    Raises:
        InputError: the quantiser stops at a tensor.
    """
    ordered = sorted(tensors, key=lambda tensor: (layer_of(tensor[0]), tensor[0]))
    return tuple(_quantised(ordered, traits, file_type, matrix))


def layer_of(name: str) -> int:
    """The layer of a tensor by its name; -1 where it has none."""
    found = _BLOCK.match(name)
    return int(found[1]) if found else -1


def _quantised(
    ordered: Sequence[tuple[str, tuple[int, ...], str]],
    traits: Traits,
    file_type: FileType,
    matrix: bool,
) -> Iterator[Quantised]:
    counts = Counter(category(name) for name, _, _ in ordered)
    tied = not counts[Category.OUTPUT]
    seen = Counter[Category]()
    for name, shape, stored in ordered:
        if not is_quantised(name, shape, traits.architecture):
            yield Quantised(name, shape, stored)
            continue
        if file_type.base in _UNQUANTISED:
            yield Quantised(name, shape, file_type.base)
            continue
        kind = category(name)
        is_ffn = kind in _FFN
        case = Case(
            base=file_type.base,
            file_type=file_type.name,
            traits=traits,
            matrix=matrix,
            row=shape[0],
            is_3d=len(shape) > 2 and shape[2] > 1,
            index=layer_of(name) if is_ffn and traits.experts > 1 else seen[kind],
            number=traits.blocks if is_ffn else counts[kind],
            running=seen[kind],
        )
        seen[kind] += 1
        wanted = _wanted(case, kind, name, tied)
        chosen = type_for_row(wanted, shape[0], name)
        yield Quantised(name, shape, chosen, None if chosen == wanted else wanted)


def _wanted(case: Case, kind: Category, name: str, tied: bool) -> str:
    """The type that the rules want, before rows are looked at."""
    if _is_kept_at_q8(case, name):
        return "Q8_0"
    if kind is Category.OUTPUT or (tied and kind is Category.EMBEDDING):
        return embeddings.output(case)
    if case.file_type == "MXFP4_MOE":
        return _mxfp4(case, kind)
    if kind is Category.EMBEDDING:
        return embeddings.embedding(case)
    if case.file_type in TINY:
        return tiny(case, kind)
    rule = _RULES.get(kind)
    return rule(case) if rule else case.base


_RULES = {
    Category.ATTENTION_V: attention.v,
    Category.ATTENTION_K: attention.k,
    Category.ATTENTION_Q: attention.q,
    Category.ATTENTION_OUTPUT: attention.output,
    Category.FFN_DOWN: feedforward.down,
    Category.FFN_GATE: feedforward.gate_or_up,
    Category.FFN_UP: feedforward.gate_or_up,
}


def _mxfp4(case: Case, kind: Category) -> str:
    """Everything in three dimensions, where bailingmoe3 means its experts only."""
    only_experts = case.traits.architecture == "bailingmoe3"
    return "MXFP4" if case.is_3d and (kind in _FFN or not only_experts) else "Q8_0"


def _is_kept_at_q8(case: Case, name: str) -> bool:
    return case.traits.architecture == "glm5-next" and any(
        part in name for part in ("attn_q_a", "attn_q_b", "nextn.eh_proj")
    )
