"""What an estimate says: `tokenroof.estimate/1`. What is not known is None, never 0."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tokenroof.notices import Notice
from tokenroof.records import Record

Basis = Literal["measured", "calibrated", "public", "spec"]
"""What a figure rests on, strongest first. `spec` knows only a ceiling."""

Verdict = Literal["fits", "tight", "does_not_fit", "unknown"]


class Rate(Record, frozen=True, kw_only=True):
    """A speed and the interval that it lies in; on basis `spec` only `high` is known."""

    tokens_per_s: float | None
    low: float | None
    high: float | None
    basis: Basis


class Wait(Record, frozen=True, kw_only=True):
    """How long a person waits; `low` and `high` bound `total_seconds`."""

    load_seconds: float | None
    ttft_seconds: float | None
    total_seconds: float | None
    low: float | None
    high: float | None
    basis: Basis


class Share(Record, frozen=True, kw_only=True):
    """What one device holds of the whole."""

    device: str
    resident_bytes: int
    capacity_bytes: int | None


class Fits(Record, frozen=True, kw_only=True):
    """Whether the memory holds what has to lie in it."""

    resident_bytes: int
    capacity_bytes: int | None
    verdict: Verdict
    devices: tuple[Share, ...] = ()


class Row(Record, frozen=True, kw_only=True):
    """One answer. A question that cannot be answered has `error` and null elsewhere.

    Attributes:
        depth: tokens already in the context.
        context: tokens that memory is set aside for.
        read_bytes: what the next token reads, weights and cache together.
        ceiling_tokens_per_s: bandwidth / `read_bytes`.
        assumes: what the figures rest on; sentences from the catalogue.
        verify: the command that would measure it.
    """

    model: str | None
    device: str | None
    depth: int | None
    context: int | None = None
    read_bytes: int | None = None
    ceiling_tokens_per_s: float | None = None
    decode: Rate | None = None
    prefill: Rate | None = None
    wait: Wait | None = None
    fits: Fits | None = None
    basis: Basis | None = None
    assumes: tuple[Notice, ...] = ()
    verify: str | None = None
    error: Notice | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The row as the contract shows it; `error` only where there is one."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        plain["assumes"] = [each.text(language) for each in self.assumes]
        if self.error is None:
            del plain["error"]
        else:
            plain["error"] = self.error.text(language)
        return plain


class Estimate(Record, frozen=True, kw_only=True):
    """The answers, in the order of the questions."""

    rows: tuple[Row, ...]
    schema: Literal["tokenroof.estimate/1"] = "tokenroof.estimate/1"

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document of the contract, its sentences in one language."""
        return {"schema": self.schema, "rows": [row.to_dict(language) for row in self.rows]}
