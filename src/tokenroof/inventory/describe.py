"""One file -> one row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from tokenroof.errors import TokenroofError
from tokenroof.gguf import file_type_name, read_header
from tokenroof.inventory.records import CompanionBytes, ModelRow, Role, TypeShare
from tokenroof.model import build_model
from tokenroof.notices import Notice
from tokenroof.predict.memory.memory import usual_needs
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from pathlib import Path

    from tokenroof.gguf import Header
    from tokenroof.library import Companion, Installed
    from tokenroof.model import Model

CONTEXT_TOKENS = 4096
"""What `resident_bytes` sets memory aside for: Ollama's context on most machines."""


def bare(found: Installed) -> ModelRow:
    """The row without anything that is read from the file."""
    return ModelRow(
        name=_text(found.name),
        source=found.source,
        path=None if found.path is None else _text(str(found.path)),
        companions=companions_of(found),
        reason=found.why_not,
    )


def described(found: Installed) -> tuple[ModelRow, tuple[Path, ...]]:
    """The row of what was found, and the files that it was made of; none if it was not readable.

    Never fails: a file that cannot be read is a row that says why.
    """
    row = bare(found)
    if found.path is None:
        return row, ()
    try:
        header = read_header(found.path)
        row = of_header(row, header)
    except TokenroofError as error:
        return _without(row, error), ()
    if row.role == "model":
        try:
            row = of_model(row, build_model(header))
        except TokenroofError as error:
            row = _without(row, error)
    return row, header.paths


def of_header(row: ModelRow, header: Header) -> ModelRow:
    """The row with what a header says."""
    types = Counter[str]()
    for tensor in header.tensors:
        types[tensor.type] += tensor.bytes
    return msgspec.structs.replace(
        row,
        role=_role(header),
        parts=header.parts,
        title=_shown(header.text("general.name")),
        architecture=_shown(header.text("general.architecture")),
        types=tuple(TypeShare(type=name, bytes=count) for name, count in types.most_common()),
        file_type=file_type_name(header.integer("general.file_type")),
        file_bytes=header.file_bytes,
        tensor_bytes=header.tensor_bytes,
        missing_bytes=header.missing_bytes,
    )


def of_model(row: ModelRow, model: Model) -> ModelRow:
    """The row with what a token costs."""
    bits = model.bits_per_weight
    context = min(CONTEXT_TOKENS, model.context_length or CONTEXT_TOKENS)
    known = model.caches is not None
    alone, on_card = usual_needs(model, max(context, 1)) if known else (None, None)
    return msgspec.structs.replace(
        row,
        parameters=model.parameters,
        bits_per_weight=None if bits is None else round(bits, 2),
        weight_bytes=plain(model.decode_weight_bytes),
        read_bytes=plain(model.read_bytes(0)),
        kv_bytes_per_token=model.kv_bytes_per_token(),
        resident_bytes=alone,
        card_bytes=on_card,
        context_length=model.context_length,
    )


def _role(header: Header) -> Role:
    """What a file is for, as it says itself (`general.type`, and "clip" for projectors)."""
    kind = header.text("general.type") or "model"
    if kind in ("mmproj", "projector") or header.text("general.architecture") == "clip":
        return "projector"
    if kind == "adapter":
        return "adapter"
    return "model" if kind == "model" else "other"


def _without(row: ModelRow, error: TokenroofError) -> ModelRow:
    """The row without what the error kept us from knowing."""
    return msgspec.structs.replace(row, reason=notice_of(error))


def notice_of(error: TokenroofError) -> Notice:
    """What an error says, to be kept beside a figure that is not known."""
    values = {key: _value(value) for key, value in error.values.items()}
    return Notice(error.message, values)


def _value(value: object) -> object:
    """A value that survives being written down; numbers stay numbers, for their thousands."""
    return value if isinstance(value, bool | int | float | str) else str(value)


def companions_of(found: Installed) -> tuple[CompanionBytes, ...]:
    """What a name brings along."""
    return tuple(_companion(each, _text(found.name)) for each in found.companions)


def _companion(companion: Companion, name: str) -> CompanionBytes:
    try:
        size = companion.path.stat().st_size
    except OSError:
        size = None
    return CompanionBytes(kind=companion.kind, bytes=size, name=name)


def plain(number: int | Fraction | None) -> int | float | None:
    """A whole number as it is, a fraction as the nearest float."""
    if number is None or isinstance(number, int):
        return number
    return number.numerator if number.denominator == 1 else float(number)


def _shown(text: str | None) -> str | None:
    return None if text is None else printable(text, 200)


def _text(path: str) -> str:
    """A path as it is, if a document can hold it; else with escapes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return printable(path)
    return path
