"""What an analysis says, as frozen records: `tokenroof.report/1`.

Times are the data: every rate here is the inverse of a median time per token, never a mean of
rates. What is not known is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from tokenroof.notices import Notice
from tokenroof.records import (
    Aggregate,
    BandwidthMeasured,
    Exclusion,
    Record,
    RunEngine,
    RunModel,
    Settings,
)

REPORT_SCHEMA: Literal["tokenroof.report/1"] = "tokenroof.report/1"

Basis = Literal["given", "measured", "public", "spec"]
"""Where a peak comes from: said by the person, measured here, published, or a data sheet."""

Spread = Literal["interval", "range", "fit"]
"""What ends of a curve stand for: 95 % intervals, the runs seen, or only the curve's misfit."""


class Peak(Record, frozen=True, kw_only=True):
    """What a device could do at most. `device` None: it holds for whatever the runs ran on.

    It is for the caller to give only peaks of the device that held the layers: what a CPU can
    read says nothing about a run on a GPU. `bandwidth_measured` holds every measurement behind
    the figure; `notices` say why a figure is missing.
    """

    device: str | None = None
    bandwidth_bytes_per_second: float | None = None
    bandwidth_basis: Basis = "given"
    bandwidth_source: str | None = None
    bandwidth_measured: tuple[BandwidthMeasured, ...] = ()
    flop_per_second: float | None = None
    flop_basis: Basis = "given"
    flop_source: str | None = None
    notices: tuple[Notice, ...] = ()


class Conditions(Record, frozen=True, kw_only=True):
    """What surrounded the runs and is not written in them.

    `machine` is what is known of the machine, by the names of `hardware.Machine`; `notices` tell
    what happened on the way; `remarks` are the words of whoever made the record.
    """

    command: tuple[str, ...] = ()
    machine: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    notices: tuple[Notice, ...] = ()
    remarks: tuple[str, ...] = ()


class Ask(Record, frozen=True, kw_only=True):
    """A question about waiting: a prompt of so many tokens, an answer of so many."""

    prompt_tokens: int
    output_tokens: int


class Timing(Record, frozen=True, kw_only=True):
    """The median time per token over the runs of one condition, and what is known around it.

    `runs` is None where one record stands for several and does not say how many. The interval
    is there from six runs on; `needs_runs` says so where it is not. `least` and `most` are the
    fastest and the slowest run. Rates are 1 / time, so the low rate belongs to the high time.
    """

    runs: int | None
    seconds_per_token: float
    low_seconds_per_token: float | None = None
    high_seconds_per_token: float | None = None
    least_seconds_per_token: float | None = None
    most_seconds_per_token: float | None = None
    tokens_per_second: float
    low_tokens_per_second: float | None = None
    high_tokens_per_second: float | None = None
    needs_runs: int | None = None


class Point(Record, frozen=True, kw_only=True):
    """One phase at one length. `counted` leaves the excluded runs out, `with_excluded` does not.

    `context_tokens` is depth + prompt. `aggregate` is set where the point is one record that
    stands for several runs: such a record is a point of its own.
    """

    prompt_tokens: float | None
    depth: int
    context_tokens: float | None
    counted: Timing | None
    with_excluded: Timing | None
    excluded: int
    aggregate: Aggregate | None = None
    run_ids: tuple[str, ...] = ()
    flop: float | None = None
    flop_per_second: float | None = None
    mfu: float | None = None


class PrefillPoint(Point, frozen=True, kw_only=True):
    """Reading one prompt. `seconds` is the median over the counted runs."""

    seconds: float | None = None


class DecodePoint(Point, frozen=True, kw_only=True):
    """Writing on top of one context. `mean_depth` is the depth that the figure belongs to.

    `mbu` is the achieved bandwidth over the peak: the share of the ceiling that was reached.
    """

    mean_depth: float | None = None
    read_bytes: float | None = None
    achieved_bytes_per_second: float | None = None
    ceiling_tokens_per_second: float | None = None
    mbu: float | None = None


class UsedPoint(Record, frozen=True, kw_only=True):
    """What the counted runs of one length took of the machine. Peaks are those of all of them,
    energy is the median. None is what the machine does not count."""

    prompt_tokens: float | None
    memory_peak_bytes: int | None = None
    vram_peak_bytes: int | None = None
    prefill_joules_per_token: float | None = None
    decode_joules_per_token: float | None = None
    temperature_celsius_high: float | None = None
    clock_mhz_low: float | None = None
    energy_sources: tuple[str, ...] = ()


class CachedPoint(Record, frozen=True, kw_only=True):
    """Median waits for the first token: of a prompt that is read, and of the same one when it was
    read just before. `cached_share` is how much of it the engine found in its cache."""

    prompt_tokens: float | None
    pairs: int
    read_seconds: float
    cached_seconds: float
    cached_share: float | None = None


class Line(Record, frozen=True, kw_only=True):
    """Seconds per token = zero_bytes_seconds + seconds_per_byte x bytes, over one model's lengths.

    Only the cache grows along it, so `added_bytes_per_second` (1 / slope) is the rate at which
    the *added* bytes were read. `zero_bytes_seconds` is the time at zero bytes on this line and
    stands for nothing that happens: weights and cache are read at different rates.
    """

    lengths: int
    zero_bytes_seconds: float
    seconds_per_byte: float
    added_bytes_per_second: float | None
    worst_misfit: float


class Curve(Record, frozen=True, kw_only=True):
    """Prefill seconds = fixed + linear x n + square x n^2; none is negative.

    `square_seconds` is None where fewer than four lengths could not show one. `low` and `high`
    are the factors around the curve that enclose what every point is known to.
    """

    lengths: int
    fixed_seconds: float
    linear_seconds: float
    square_seconds: float | None
    shortest_tokens: float
    longest_tokens: float
    worst_misfit: float
    low: float
    high: float
    spread: Spread

    def seconds(self, tokens: float) -> float:
        """Seconds to read so many tokens, by this curve."""
        square = self.square_seconds or 0.0
        return self.fixed_seconds + self.linear_seconds * tokens + square * tokens**2


class Wait(Record, frozen=True, kw_only=True):
    """How long a warm, unshared engine keeps one waiting. `outside` names the phases that were
    not measured at such lengths: by `basis` they are predicted, or, where that is `measured`, drawn
    out beyond the measurement. Its ends stand for 95 % intervals, for the runs seen, or, of fewer
    than three, for how far `reports` of one condition differ."""

    prompt_tokens: int
    output_tokens: int
    ttft_seconds: float
    total_seconds: float
    low_seconds: float
    high_seconds: float
    spread: Literal["interval", "range", "reports"]
    outside: tuple[Literal["prefill", "decode"], ...] = ()
    basis: Literal["measured", "calibrated", "public", "spec"] = "measured"


class Series(Record, frozen=True, kw_only=True):
    """One model under one set of conditions, in single runs or in records that stand for several.

    `compute_ratio` is the most that prefill computed per second, over what decode computed per
    second at the shortest length.
    """

    label: str
    model: RunModel
    engine: RunEngine
    device: str | None
    settings: Settings
    sources: tuple[str, ...]
    aggregate: bool
    is_moe: bool | None
    cost_source: str | None
    peak: Peak | None
    first_started: str | None
    last_started: str | None
    runs_total: int
    runs_excluded: int
    runs_contended: int
    prefill: tuple[PrefillPoint, ...]
    decode: tuple[DecodePoint, ...]
    compute_ratio: float | None
    line: Line | None
    curve: Curve | None
    waits: tuple[Wait, ...]
    cached: tuple[CachedPoint, ...]
    used: tuple[UsedPoint, ...]
    sentences: tuple[Notice, ...]
    notices: tuple[Notice, ...]


class ExcludedRun(Record, frozen=True, kw_only=True):
    """A run that does not count, and why; `detail` is what the engine said of a failure."""

    id: str
    started: str | None
    series: str
    prompt_tokens: int | None
    reason: Exclusion
    detail: str | None = None
    prefill_tokens_per_second: float | None
    decode_tokens_per_second: float | None


class Analysis(Record, frozen=True, kw_only=True):
    """Everything that the runs show."""

    schema: Literal["tokenroof.report/1"] = REPORT_SCHEMA
    runs_total: int
    runs_excluded: int
    runs_contended: int
    lead: tuple[Notice, ...]
    series: tuple[Series, ...]
    excluded: tuple[ExcludedRun, ...]
    conditions: Conditions

    @property
    def sentences(self) -> tuple[Notice, ...]:
        """What to say first: whatever puts the figures in doubt, then three for each series."""
        return self.lead + tuple(each for series in self.series for each in series.sentences)

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The JSON document; notices carry their sentence in the language asked for."""
        plain = _plain(self, language)
        assert isinstance(plain, dict)
        return plain


def _plain(value: object, language: str) -> Any:
    if isinstance(value, Notice):
        return value.to_dict(language)
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return {name: _plain(getattr(value, name), language) for name in names}
    if isinstance(value, Mapping):
        return {str(key): _plain(each, language) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each, language) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
