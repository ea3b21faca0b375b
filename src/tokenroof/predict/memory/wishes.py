"""What a question says about places, as the engine would be told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokenroof.errors import UsageError
from tokenroof.predict.memory.placement import ALL_EXPERTS, HOST, Override, Wish
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.predict.cases import Case

PLACES = ("gpu_layers", "cpu_moe", "override_tensor", "split_mode", "tensor_split", "kv_offload")
"""Keys of a question that say where something lies."""

_CARD = re.compile(r"[A-Za-z]*(\d{1,3})")


def says_places(case: Case) -> bool:
    """Whether a question says where anything lies."""
    return any(getattr(case, key) is not None for key in PLACES)


def wish(case: Case) -> Wish:
    """The placement that a question asks for.

    Raises:
        UsageError: a text of it cannot be read.
    """
    moe = case.cpu_moe
    return Wish(
        gpu_layers=case.gpu_layers,
        cpu_moe=(ALL_EXPERTS if moe else 0) if isinstance(moe, bool) else moe or 0,
        overrides=_overrides(case.override_tensor),
        split=case.split_mode or "layer",
        tensor_split=_proportions(case.tensor_split),
        kv_on_host=case.kv_offload is False,
    )


def _overrides(text: str | None) -> tuple[Override, ...]:
    """`PATTERN=PLACE` with commas between; a comma within a pattern belongs to it."""
    found: list[Override] = []
    pending = ""
    for piece in (text or "").split(","):
        pending = f"{pending},{piece}" if pending else piece
        pattern, equal, place = pending.rpartition("=")
        if not equal:
            continue
        found.append(Override(pattern, _place(place.strip(), pending)))
        pending = ""
    if pending:
        raise UsageError("predict.bad_override", text=printable(pending))
    return tuple(found)


def _place(name: str, text: str) -> int:
    if name.upper() in {"CPU", "HOST"}:
        return HOST
    card = _CARD.fullmatch(name)
    if card is None:
        raise UsageError("predict.bad_override", text=printable(text))
    return int(card[1])


def _proportions(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(each) for each in re.split(r"[,/]", text))
    except ValueError as error:
        raise UsageError("predict.bad_split", text=printable(text)) from error
