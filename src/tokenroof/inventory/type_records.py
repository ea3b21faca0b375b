"""One model in every file type as a record: `tokenroof.inspect-types/1`."""

from __future__ import annotations

from typing import Any, Literal

from tokenroof.notices import Notice
from tokenroof.predict.records import Verdict
from tokenroof.records import Record

TYPES_SCHEMA: Literal["tokenroof.inspect-types/1"] = "tokenroof.inspect-types/1"


class TypeRow(Record, frozen=True, kw_only=True):
    """What a model would be in one file type. What is not known is None.

    Attributes:
        type: as llama-quantize is told it.
        tensor_bytes: of all tensors, made without an importance matrix.
        tensor_bytes_with_matrix: of all tensors, made with one; None where that is the same.
        bits_per_weight: over all tensors, from their bytes.
        weight_bytes: weights that one decoded token reads.
        read_bytes: all that the first token reads: weights, and states twice.
        ceiling_tokens_per_s: bandwidth / `read_bytes`, on the device asked for.
        resident_bytes: what lies in memory with a context of `TypeTable.context` tokens.
        verdict: whether that fits the device.
        needs_matrix: whether llama-quantize makes it only with an importance matrix.
        warnings: what else to know of this type.
        reason: why the model cannot be made in it.
    """

    type: str
    tensor_bytes: int | None = None
    tensor_bytes_with_matrix: int | None = None
    bits_per_weight: float | None = None
    weight_bytes: int | float | None = None
    read_bytes: int | float | None = None
    ceiling_tokens_per_s: float | None = None
    resident_bytes: int | None = None
    verdict: Verdict = "unknown"
    needs_matrix: bool = False
    warnings: tuple[Notice, ...] = ()
    reason: Notice | None = None


class TypeTable(Record, frozen=True, kw_only=True):
    """A model in every type that llama-quantize makes, the smallest first.

    Attributes:
        model: as it was published.
        recipe: how it is named in a recipe, before the ``@``.
        default_type: the type that is meant where none is said.
        device: what the ceilings are for; None without one.
        context: tokens that `resident_bytes` sets memory aside for.
        warnings: what to know of all of them.
    """

    schema: Literal["tokenroof.inspect-types/1"] = TYPES_SCHEMA
    model: str
    recipe: str
    architecture: str
    parameters: int
    default_type: str
    device: str | None
    context: int
    types: tuple[TypeRow, ...]
    warnings: tuple[Notice, ...]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in the language asked for."""
        plain = super().to_dict()
        plain["warnings"] = [notice.to_dict(language) for notice in self.warnings]
        for row, written in zip(self.types, plain["types"], strict=True):
            written["warnings"] = [notice.to_dict(language) for notice in row.warnings]
            written["reason"] = row.reason and row.reason.to_dict(language)
        return plain
