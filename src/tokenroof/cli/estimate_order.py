"""In what order rows of an estimate stand: `--sort`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenroof.predict.records import Estimate, Row

Key = Callable[["Row"], Any]


def _decode(row: Row) -> float | None:
    if row.decode is None:
        return None
    return row.decode.high if row.decode.tokens_per_s is None else row.decode.tokens_per_s


def _prefill(row: Row) -> float | None:
    if row.prefill is None:
        return None
    return row.prefill.high if row.prefill.tokens_per_s is None else row.prefill.tokens_per_s


_FASTEST_FIRST: dict[str, Key] = {
    "ceiling": lambda row: row.ceiling_tokens_per_s,
    "decode": _decode,
    "prefill": _prefill,
    "measured": lambda row: None if row.measured is None else row.measured.tokens_per_s,
    "share": lambda row: None if row.measured is None else row.measured.share,
}
_LEAST_FIRST: dict[str, Key] = {
    "model": lambda row: None if row.model is None else row.model.lower(),
    "device": lambda row: None if row.device is None else row.device.lower(),
    "depth": lambda row: row.depth,
    "read": lambda row: row.read_bytes,
    "memory": lambda row: None if row.fits is None else row.fits.resident_bytes,
    "wait": lambda row: None if row.wait is None else row.wait.total_seconds,
}

COLUMNS = (*_LEAST_FIRST, *_FASTEST_FIRST)


def ordered(estimate: Estimate, column: str) -> Estimate:
    """The rows in another order: speeds fall, all else rises, and what is not known comes last."""
    import msgspec

    key = _LEAST_FIRST.get(column) or _FASTEST_FIRST[column]
    known = [row for row in estimate.rows if key(row) is not None]
    unknown = [row for row in estimate.rows if key(row) is None]
    # Stable: rows that are alike in this keep their order.
    known.sort(key=key, reverse=column in _FASTEST_FIRST)
    return msgspec.structs.replace(estimate, rows=(*known, *unknown))
