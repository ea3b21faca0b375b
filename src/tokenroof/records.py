"""One run, as it is measured, stored, imported and analysed: `tokenroof.run/1`.

A run is a prompt that was read and an answer that was written under stated conditions. Times are
the data; rates are derived from them, here and nowhere else. What is not known is None, and
written as null, never as 0.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tokenroof.notices import Notice

RUN_SCHEMA: Literal["tokenroof.run/1"] = "tokenroof.run/1"

Flag = Literal[
    "above_ceiling",
    "combined_rate",
    "contended",
    "empty_output",
    "end_to_end_rate",
    "length_missed",
    "lower_bound",
    "partial_offload",
    "prefill_implausible",
    "prefill_may_be_cached",
    "prefill_too_short",
    "reloaded",
    "speculative",
    "stopped_early",
    "throttled",
    "timing_disabled",
    "truncated",
    "unsteady",
]
"""Findings about a run. The set is closed and documented in docs/records.md."""

Exclusion = Literal[
    "cache_hit",
    "clock_step",
    "contended",
    "failed",
    "queue_busy",
    "reloaded",
    "stopped_early",
    "throttled",
    "truncated",
]
"""Why a run does not count: always something seen beside it, never its speed alone."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The root of all records: frozen, and writable as plain JSON values.

    Subclasses repeat ``frozen=True, kw_only=True``, which type checkers do not inherit.
    """

    def to_dict(self) -> dict[str, Any]:
        """The record as the JSON document that the contract shows."""
        # Through JSON itself, so that tuples are lists, as whoever reads the document finds them.
        plain = msgspec.json.decode(msgspec.json.encode(self))
        assert isinstance(plain, dict)
        return plain


class RunModel(Record, frozen=True, kw_only=True):
    """What was run. `weight_bytes` is what one decoded token reads of the weights.

    Only imported figures, whose source did not say, have no name.
    """

    name: str | None
    digest: str | None = None
    architecture: str | None = None
    file_type: str | None = None
    weight_bytes: int | float | None = None


class RunEngine(Record, frozen=True, kw_only=True):
    """What ran it, and where its layers were computed. `flags` are the engine's own options."""

    name: str
    version: str | None = None
    backend: str | None = None
    place: Literal["cpu", "gpu", "mixed"] | None = None
    flags: dict[str, Any] = {}


class Settings(Record, frozen=True, kw_only=True):
    """How the engine was set up. None means that the engine chose, or that nobody knows.

    `threads_batch` are those that read prompts, where they are not the `threads` that decode.
    """

    context: int | None = None
    kv_type_k: str | None = None
    kv_type_v: str | None = None
    flash_attention: bool | None = None
    gpu_layers: int | None = None
    threads: int | None = None
    batch: int | None = None
    ubatch: int | None = None
    threads_batch: int | None = None


class Workload(Record, frozen=True, kw_only=True):
    """What was asked for: a prompt of about `prompt_target` tokens on top of `depth`.

    `cached` says that the prompt was the one of the run before, and was to be found in a cache.
    """

    prompt_target: int | None = None
    depth: int = 0
    output_target: int | None = None
    round: int | None = None
    seed: int | None = None
    cached: bool = False


class Prompt(Record, frozen=True, kw_only=True):
    """The prompt as the engine read it. `cached` tokens were not read again."""

    tokens: int | None = None
    cached: int | None = None
    seconds: float | None = None


class Output(Record, frozen=True, kw_only=True):
    """The answer. `steps` is how many token steps `seconds` span (see the module `engines`)."""

    tokens: int | None = None
    steps: int | None = None
    seconds: float | None = None


class Quiet(Record, frozen=True, kw_only=True):
    """How quiet the machine was. `busy_*` is the share used by others than the engine."""

    waited_seconds: float | None = None
    busy_before: float | None = None
    busy_during: float | None = None
    queue_during: int | None = None


class Used(Record, frozen=True, kw_only=True):
    """What a run took of the machine, as far as the machine counts it.

    Attributes:
        memory_peak_bytes: the most that the engine's processes held resident.
        vram_peak_bytes: the most that they held of GPUs' own memory.
        joules: of the whole run, by counters of whole devices; `energy_sources` names them.
        prefill_joules: of it, until the first token.
        decode_joules: of it, from then on, over `decode_energy_steps` token steps.
        temperature_celsius_high: the highest that any watched device told.
        clock_mhz_low: the lowest clock that any watched device told.
    """

    memory_peak_bytes: int | None = None
    vram_peak_bytes: int | None = None
    joules: float | None = None
    prefill_joules: float | None = None
    decode_joules: float | None = None
    decode_energy_steps: int | None = None
    energy_sources: tuple[str, ...] = ()
    temperature_celsius_high: float | None = None
    clock_mhz_low: float | None = None


class Aggregate(Record, frozen=True, kw_only=True):
    """Said of a run that stands for several: it is never pooled with single runs."""

    of: int | None = None
    statistic: str = "mean"
    stddev_seconds: float | None = None


class Cost(Record, frozen=True, kw_only=True):
    """What the model made of the run: bytes and operations, without which times explain nothing.

    Attributes:
        read_bytes: weights and cache that a token read, at the mean depth of the steps.
        prefill_flop: operations of reading the prompt; cached tokens were not read.
        decode_flop: operations of one token, at the mean depth of the steps.
        is_moe: whether a token passes through some of the weights only (mixture of experts).
        source: where the figures come from; None for the model file's own tensor table.
    """

    read_bytes: int | float | None = None
    prefill_flop: float | None = None
    decode_flop: float | None = None
    is_moe: bool | None = None
    source: str | None = None


class BandwidthMeasured(Record, frozen=True, kw_only=True):
    """One measurement of a memory's bandwidth: the best of many repeats, and how they lay."""

    best_bytes_per_second: float
    median_bytes_per_second: float
    lowest_bytes_per_second: float
    repeats: int
    threads: int


class MemoryBandwidth(Record, frozen=True, kw_only=True):
    """What bounds the runs.

    Attributes:
        bytes_per_second: the most that the memory gives.
        basis: said by the person, measured here, published, or a data sheet.
        name: what has that memory, or where the figure comes from.
        place: where it bounds runs; None where it was not measured in any place.
        device: the runs' device that it belongs to; None where `place` decides.
        measured: every measurement behind it, in their order.
    """

    bytes_per_second: float
    basis: Literal["given", "measured", "public", "spec"]
    name: str | None = None
    place: Literal["cpu", "gpu"] | None = None
    device: str | None = None
    measured: tuple[BandwidthMeasured, ...] = ()


class RunConditions(Record, frozen=True, kw_only=True):
    """What surrounded the runs of a campaign: with it, a file of runs needs no journal beside it.

    Attributes:
        command: what was typed.
        machine: what is known of the machine, by the names of `hardware.Machine`.
        versions: of whatever could make a difference to the figures.
        bandwidth: of the memory; None where it is not known.
        notices: what happened on the way, as far as it was known when this was written.
        remarks: the words of whoever made the record.
        waits: prompts and answers, in tokens, whose wait is to be worked out.
    """

    command: tuple[str, ...] = ()
    machine: dict[str, Any] = {}
    versions: dict[str, str] = {}
    bandwidth: MemoryBandwidth | None = None
    notices: tuple[Notice, ...] = ()
    remarks: tuple[str, ...] = ()
    waits: tuple[tuple[int, int], ...] = ()


class Run(Record, frozen=True, kw_only=True):
    """One line of `runs.jsonl`.

    `conditions` stand in the first run of a campaign, and hold for all of that campaign.
    """

    id: str
    started: str | None
    source: str
    model: RunModel
    engine: RunEngine
    schema: Literal["tokenroof.run/1"] = RUN_SCHEMA
    campaign: str | None = None
    device: str | None = None
    settings: Settings = Settings()
    workload: Workload = Workload()
    prompt: Prompt = Prompt()
    output: Output = Output()
    load_seconds: float | None = None
    wall_seconds: float | None = None
    ttft_seconds: float | None = None
    quiet: Quiet = Quiet()
    used: Used = Used()
    flags: tuple[Flag, ...] = ()
    excluded: Exclusion | None = None
    aggregate: Aggregate | None = None
    cost: Cost | None = None
    conditions: RunConditions | None = None
    raw: dict[str, Any] = {}

    @property
    def error(self) -> str | None:
        """What was said of a run that failed; None where nothing was."""
        error = self.raw.get("error")
        return str(error["text"]) if isinstance(error, dict) and "text" in error else None

    @property
    def prefill_tokens_per_second(self) -> float | None:
        """Tokens that were read, over the seconds it took; cached tokens were not read."""
        tokens, seconds = self.prompt.tokens, self.prompt.seconds
        forbidden = {"prefill_implausible", "prefill_may_be_cached", "prefill_too_short"}
        if tokens is None or not seconds or forbidden & set(self.flags):
            return None
        return (tokens - (self.prompt.cached or 0)) / seconds

    @property
    def decode_tokens_per_second(self) -> float | None:
        """Steps over the seconds that they span."""
        steps, seconds = self.output.steps, self.output.seconds
        if not steps or not seconds or "timing_disabled" in self.flags:
            return None
        return steps / seconds

    @property
    def decode_joules_per_token(self) -> float | None:
        """Energy of the answer over the steps that it spans."""
        joules, steps = self.used.decode_joules, self.used.decode_energy_steps
        return joules / steps if joules is not None and steps else None

    @property
    def prefill_joules_per_token(self) -> float | None:
        """Energy until the first token over the tokens that were read for it."""
        joules, tokens = self.used.prefill_joules, self.prompt.tokens
        read = None if tokens is None else tokens - (self.prompt.cached or 0)
        return joules / read if joules is not None and read else None

    @property
    def mean_decode_depth(self) -> float | None:
        """The depth that the decode figure belongs to: tokens before it + (steps - 1) / 2."""
        if self.prompt.tokens is None or not self.output.steps:
            return None
        first = self.workload.depth + self.prompt.tokens
        return first + (self.output.steps - 1) / 2
