"""What a comparison shows: `tokenroof.compare/1`, and what a history shows."""

from __future__ import annotations

from typing import Any, Literal

from tokenroof.notices import Notice
from tokenroof.records import Record

COMPARE_SCHEMA: Literal["tokenroof.compare/1"] = "tokenroof.compare/1"
HISTORY_SCHEMA: Literal["tokenroof.history/1"] = "tokenroof.history/1"

Phase = Literal["prefill", "decode"]

Verdict = Literal["slower", "faster", "no_difference", "cannot_tell"]
"""Of B against A. `cannot_tell`: the interval holds both no difference and one that matters."""


class Source(Record, frozen=True, kw_only=True):
    """One side: what it was called, and how many runs there are of which how many count."""

    name: str
    runs: int
    excluded: int = 0
    contended: int = 0


class Difference(Record, frozen=True, kw_only=True):
    """One condition that is not the same on both sides. None: that side does not say."""

    condition: str
    a: str | None
    b: str | None


class Figure(Record, frozen=True, kw_only=True):
    """One side of a cell. `runs` is None for a record of nobody knows how many."""

    runs: int | None
    seconds_per_token: float
    tokens_per_second: float


class Cell(Record, frozen=True, kw_only=True):
    """One length and phase of one pair of conditions.

    Ratios are of time per token, B over A: above 1 means that B is slower. The interval is
    simultaneous: at most 5 % of comparisons of like with like miss in any of their cells.

    Attributes:
        series: what tells this pair from others of the same comparison; None for the only one.
        prompt_tokens: that were read; for decode all that the context held before the answer.
        depth: tokens in the context before them.
        answer_tokens: that were asked for; None where nobody did, and for prefill.
        aggregate: whether a side is a mean that somebody stated.
        smallest_difference: a difference of time that would have been found four times in five.
        runs_needed: more runs on each side, for a difference that matters to be found so often.
        reason: why there is no interval.
    """

    phase: Phase
    series: str | None
    prompt_tokens: int | None
    depth: int
    answer_tokens: int | None
    a: Figure
    b: Figure
    aggregate: bool
    time_ratio: float
    time_ratio_low: float | None
    time_ratio_high: float | None
    verdict: Verdict
    smallest_difference: float | None
    runs_needed: int | None
    reason: Notice | None = None


class Gate(Record, frozen=True, kw_only=True):
    """The answer to `--fail-slower`: whether B is slower by the limit or more."""

    limit: float
    strict: bool
    result: Literal["pass", "fail", "cannot_tell"]

    @property
    def is_no(self) -> bool:
        """Whether the command's answer is "no"."""
        return self.result == "fail" or (self.strict and self.result == "cannot_tell")


class Comparison(Record, frozen=True, kw_only=True):
    """Two sets of runs side by side.

    Attributes:
        alike: whether nothing differs that has to agree, and something is left to compare.
        allowed: whether the person said to compare unlike sets nevertheless.
        differences: conditions that differ, the four that must agree first.
        not_stated: conditions that one side does not say, or that neither does of the four.
        only_a: lengths and phases that only A has; `only_b` those of B.
        threshold: the difference of time that matters.
        headline: the answer; empty where it is refused.
    """

    schema: Literal["tokenroof.compare/1"] = COMPARE_SCHEMA
    a: Source
    b: Source
    alike: bool
    allowed: bool
    differences: tuple[Difference, ...]
    not_stated: tuple[Difference, ...]
    cells: tuple[Cell, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    threshold: float
    gate: Gate | None = None
    headline: tuple[Notice, ...] = ()
    notices: tuple[Notice, ...] = ()

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in one language."""
        plain = super().to_dict()
        plain["headline"] = [each.to_dict(language) for each in self.headline]
        plain["notices"] = [each.to_dict(language) for each in self.notices]
        for written, cell in zip(plain["cells"], self.cells, strict=True):
            written["reason"] = None if cell.reason is None else cell.reason.text(language)
        return plain


class Session(Record, frozen=True, kw_only=True):
    """What was measured of one condition with one version on one day.

    Attributes:
        step: B over A of the time per token against the session before, where the interval of
            that ratio excludes no change; None where no change was found.
    """

    date: str | None
    version: str | None
    runs: int
    seconds_per_token: float
    low_seconds_per_token: float | None
    high_seconds_per_token: float | None
    tokens_per_second: float
    step: float | None = None
    step_low: float | None = None
    step_high: float | None = None


class History(Record, frozen=True, kw_only=True):
    """One condition over versions and dates, in the order of time."""

    schema: Literal["tokenroof.history/1"] = HISTORY_SCHEMA
    label: str
    phase: Phase
    prompt_tokens: int | None
    depth: int
    sessions: tuple[Session, ...]
    others: int = 0
    notices: tuple[Notice, ...] = ()

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, its sentences in one language."""
        plain = super().to_dict()
        plain["notices"] = [each.to_dict(language) for each in self.notices]
        return plain
