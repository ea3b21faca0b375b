"""A model in every file type: how large it would be, what a token reads, how fast at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tokenroof.errors import TokenroofError
from tokenroof.inventory.describe import CONTEXT_TOKENS, notice_of, plain
from tokenroof.inventory.type_records import TypeRow, TypeTable
from tokenroof.model import build_model
from tokenroof.notices import Notice
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.memory.memory import usual_needs
from tokenroof.recipes import file_types

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model
    from tokenroof.predict.records import Row
    from tokenroof.recipes import Blueprint

_OF_ALL = ("recipes.recipe", "recipes.published_in", "recipes.without_mtp")
"""What is to be known of every type alike."""

_NEEDS_MATRIX = "recipes.needs_matrix"
_DEPENDS_ON_MATRIX = ("recipes.matrix_differs", "recipes.matrix_expected")


def type_table(made_of: Blueprint, place: Case | None, *, here: Callable[[], Device]) -> TypeTable:
    """The table of a model.

    Args:
        made_of: the model.
        place: a question to the estimator that says where; no ceilings without one.
        here: measures this machine's CPU, for a place that is this machine.

    Raises:
        UsageError: the device cannot be.
    """
    models: dict[str, Model] = {}
    refused: dict[str, TokenroofError] = {}
    for kind in file_types():
        try:
            models[kind.name] = build_model(made_of.header(kind))
        except TokenroofError as error:
            refused[kind.name] = error
    some = next(iter(models.values()))
    context = min(CONTEXT_TOKENS, some.context_length or CONTEXT_TOKENS)
    rows = [_row(made_of, name, model, context) for name, model in models.items()]
    rows.sort(key=lambda row: row.tensor_bytes or 0)
    rows += [TypeRow(type=name, reason=notice_of(error)) for name, error in refused.items()]
    device = None
    if place is not None:
        place = msgspec.structs.replace(place, depth=0, context=context)
        asker = Asker(models.__getitem__, here)
        answers = asker.estimate(
            msgspec.structs.replace(place, model=row.type) for row in rows if _is_known(row)
        ).rows
        device = next((answer.device for answer in answers), None)
        rows = _placed(rows, answers)
    problems = [each for model in models.values() for each in model.header.problems]
    shared = {each.message: each for each in problems if each.message in _OF_ALL}
    return TypeTable(
        model=made_of.name,
        recipe=made_of.id,
        architecture=made_of.sketch.architecture,
        parameters=some.parameters,
        default_type=made_of.default_type.name,
        device=device,
        context=context,
        types=tuple(rows),
        warnings=(*shared.values(), Notice("inventory.below_four_bits")),
    )


def _row(made_of: Blueprint, kind: str, model: Model, context: int) -> TypeRow:
    notices = [each for each in model.header.problems if each.message not in _OF_ALL]
    messages = {each.message for each in notices}
    bits = model.bits_per_weight
    depends = not messages.isdisjoint(_DEPENDS_ON_MATRIX)
    return TypeRow(
        type=kind,
        tensor_bytes=model.tensor_bytes,
        tensor_bytes_with_matrix=made_of.tensor_bytes(kind, matrix=True) if depends else None,
        bits_per_weight=None if bits is None else round(bits, 2),
        weight_bytes=plain(model.decode_weight_bytes),
        read_bytes=plain(model.read_bytes(0)),
        resident_bytes=usual_needs(model, context)[0] if model.caches is not None else None,
        needs_matrix=_NEEDS_MATRIX in messages,
        warnings=tuple(notices),
    )


def _is_known(row: TypeRow) -> bool:
    return row.read_bytes is not None and row.resident_bytes is not None


def _placed(rows: list[TypeRow], answers: Sequence[Row]) -> list[TypeRow]:
    """The rows with what the device makes of those of which enough is known, in their order."""
    told = iter(answers)
    return [_of(row, next(told)) if _is_known(row) else row for row in rows]


def _of(row: TypeRow, answer: Row) -> TypeRow:
    ceiling = answer.ceiling_tokens_per_s
    return msgspec.structs.replace(
        row,
        ceiling_tokens_per_s=None if ceiling is None else round(ceiling, 2),
        verdict="unknown" if answer.fits is None else answer.fits.verdict,
    )
